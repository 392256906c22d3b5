/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/digest.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "json/json.h"

/* Appends a line for each script whose contents have changed, and one for all of which it was not known what they were. */
static void
digest_list_scripts(jv older, jv newer, const char *name, struct buffer *lines)
{
	jv a = json_get(older, "provisioner"), b = json_get(newer, "provisioner");
	jv before = json_get(a, "actions"), after = json_get(b, "actions");
	jv names = jv_get_kind(after) == JV_KIND_OBJECT ? jv_keys(jv_copy(after)) : jv_array();
	bool silent = false;

	for (size_t i = 0; i < json_length(names); i++) {
		jv key = json_element(names, i), was = json_get(before, json_string(key)), is = json_get(after, json_string(key));
		jv fields = json_get(is, "fields");
		char *old = json_get_string(was, "digest"), *new = json_get_string(is, "digest"), *script = json_get_string(fields, "script");

		if (old && new && strcmp(old, new) != 0 && script)
			buffer_printf(lines, "service %s: script %s (%s) has changed\n", name, script, json_string(key));
		else if (old && new && strcmp(old, new) != 0)
			buffer_printf(lines, "service %s: what %s sends has changed\n", name, json_string(key));
		silent = silent || (jv_is_valid(was) && !old && new);
		free(script);
		free(new);
		free(old);
		jv_free(fields);
		jv_free(is);
		jv_free(was);
		jv_free(key);
	}
	if (silent)
		buffer_printf(lines, "service %s: it is not known what its scripts were; they count as unchanged, and changes are seen from now "
		    "on\n", name);
	jv_free(names);
	jv_free(after);
	jv_free(before);
	jv_free(b);
	jv_free(a);
}

/* Appends a line for each type that has changed. */
static void
digest_list_types(jv older, jv newer, const char *member, const char *words, struct buffer *lines)
{
	jv list = json_get(newer, member), before = json_get(older, member);

	for (size_t i = 0; i < json_length(list); i++) {
		jv is = json_element(list, i), was;
		char *name = json_get_string(is, "name");

		was = name ? json_find_named(before, name) : jv_invalid();
		if (jv_is_valid(was) && !jv_equal(jv_copy(was), jv_copy(is)))
			buffer_printf(lines, "%s %s: its definition has changed\n", words, name);
		jv_free(was);
		free(name);
		jv_free(is);
	}
	jv_free(before);
	jv_free(list);
}

/* Appends a line where the template or the provider has changed. */
static void
digest_list_entity(jv older, jv newer, const char *member, struct buffer *lines)
{
	jv was = json_get(older, member), is = json_get(newer, member);
	char *name = json_get_string(is, "name");

	if (jv_is_valid(was) && !jv_equal(jv_copy(was), jv_copy(is)))
		buffer_printf(lines, "%s %s: its definition has changed\n", member, name ? name : "");
	free(name);
	jv_free(is);
	jv_free(was);
}

void
digest_list_changes(jv older, jv newer, struct buffer *lines)
{
	jv services = json_get(newer, "services"), before = json_get(older, "services");

	for (size_t i = 0; i < json_length(services); i++) {
		jv is = json_element(services, i), a, b, was;
		char *name = json_get_string(is, "name");

		was = name ? json_find_named(before, name) : jv_invalid();
		if (jv_is_valid(was)) {
			a = digest_strip(was);
			b = digest_strip(is);
			if (!jv_equal(jv_copy(a), jv_copy(b)))
				buffer_printf(lines, "service %s: its definition has changed\n", name);
			digest_list_scripts(was, is, name, lines);
			jv_free(b);
			jv_free(a);
		}
		jv_free(was);
		free(name);
		jv_free(is);
	}
	jv_free(before);
	jv_free(services);
	digest_list_entity(older, newer, "template", lines);
	digest_list_entity(older, newer, "provider", lines);
	digest_list_types(older, newer, "hardwaretypes", "hardware type", lines);
	digest_list_types(older, newer, "imagetypes", "image type", lines);
}
