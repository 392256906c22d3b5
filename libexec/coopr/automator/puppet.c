/* SPDX-License-Identifier: Apache-2.0
 *
 * automator/puppet: puppet apply on the node, coopr-automators(7). The configuration becomes data of Hiera.
 *
 * Exit code and status: 0 done, whether it changed anything or not; 1 something has failed; 75 the node cannot be reached, 77 it may not
 * be entered, 78 there is no puppet on it, no such manifest, or the fields are wrong.
 */
#include <stdlib.h>
#include <string.h>

#include "automator/attributes.h"
#include "automator/automator.h"
#include "automator/tool.h"
#include "base/buffer.h"
#include "base/memory.h"

static const char schema[] =
    "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"title\":\"automator puppet\",\"type\":\"object\",\"stream\":true,\"status\":true,"
    "\"required\":[\"manifest\"],\"resources\":{"
    "\"manifests\":{\"formats\":[\"file\",\"archive\"],\"permissions\":\"0644\"},"
    "\"modules\":{\"formats\":[\"archive\"]}},\"properties\":{"
    "\"manifest\":{\"type\":\"string\",\"format\":\"script\",\"of\":\"path\",\"resources\":[\"manifests\"],\"description\":\"The manifest: a resource of the type manifests, a file in scripts/ of the catalogue, or an absolute path\"},"
    "\"modules\":{\"type\":\"string\",\"format\":\"files\",\"of\":\"path\",\"resources\":[\"modules\"],\"description\":\"The modules, separated by blanks\"},"
    TOOL_PROPERTIES "}}";

/* Returns a text so that Hiera, which expands what stands in %{...}, gives it as it is. */
static jv
puppet_escape(jv value)
{
	const char *text = json_string(value);
	struct buffer out = {0};
	jv escaped;

	for (const char *end; (end = strstr(text, "%{")); text = end + 2) {
		buffer_append(&out, text, (size_t)(end - text));
		buffer_text(&out, "%{literal('%')}{");
	}
	buffer_text(&out, text);
	escaped = jv_string(out.data);
	buffer_release(&out);
	return escaped;
}

static bool
puppet_is_name(const char *text)
{
	static const char first[] = "abcdefghijklmnopqrstuvwxyz";

	return *text && strchr(first, *text) && text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

/* Adds each member of an object as NAME::MEMBER, by which puppet finds the parameter of a class, unless the configuration has that
 * itself. */
static void
puppet_add_parameters(jv *data, const char *name, jv object)
{
	for (int at = jv_object_iter(object); jv_object_iter_valid(object, at); at = jv_object_iter_next(object, at)) {
		jv key = jv_object_iter_key(object, at), value = jv_object_iter_value(object, at), there;
		char *inner = memory_printf("%s::%s", name, json_string(key));

		if (puppet_is_name(json_string(key))) {
			there = json_get(*data, inner);
			if (!jv_is_valid(there))
				json_set(data, inner, jv_copy(value));
			jv_free(there);
			if (jv_get_kind(value) == JV_KIND_OBJECT)
				puppet_add_parameters(data, inner, value);
		}
		free(inner);
		jv_free(value);
		jv_free(key);
	}
}

static jv
puppet_add_all_parameters(jv config)
{
	jv data = jv_copy(config);

	for (int at = jv_object_iter(config); jv_object_iter_valid(config, at); at = jv_object_iter_next(config, at)) {
		jv key = jv_object_iter_key(config, at), value = jv_object_iter_value(config, at);

		if (puppet_is_name(json_string(key)) && jv_get_kind(value) == JV_KIND_OBJECT)
			puppet_add_parameters(&data, json_string(key), value);
		jv_free(value);
		jv_free(key);
	}
	return data;
}

static int
puppet_prepare(const struct task *task, struct arena *arena, struct automator_work *work, struct error *err)
{
	static const char *const files[] = {"manifest", "modules", NULL};
	static const struct tool tool = {"puppet", "puppet.sh", "manifest", files, false};
	jv all, escaped, data;
	int failed = attributes_all(task, &all, err);

	escaped = attributes_change_texts(all, puppet_escape, puppet_escape);
	data = puppet_add_all_parameters(escaped);
	work->complaint = "Error: ";
	if (!failed)
		failed = tool_prepare(&tool, task, data, arena, work, err);
	jv_free(data);
	jv_free(escaped);
	jv_free(all);
	return failed;
}

int
main(int argc, char **argv)
{
	static const struct automator automator = {.name = "automator/puppet", .schema = schema, .prepare = puppet_prepare,
	    .has_bootstrap = true, .take_answer = tool_take_answer};

	return automator_main(&automator, argc, argv);
}
