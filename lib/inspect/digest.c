/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/digest.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/process.h"
#include "inspect/fields.h"
#include "json/json.h"
#include "model/take/origin.h"
#include "ssh/bundle.h"
#include "ssh/script-store.h"
#include "ssh/shell-words.h"

struct digest {
	struct fields_check plugins; /* that were asked */
	char *catalogue;             /* of the request; NULL: none */
	bool keep;
	bool beneath;                /* a tenant has written the service */
	/* Does something with one action; -1 ends the walk. */
	int (*do_action)(struct digest *digest, const char *service, const char *name, jv *action, struct error *err);
};

/* Adds the files that a field names, if the plugin says that it names some in that way. */
static int
digest_add_field(const struct digest *digest, jv schema, jv fields, const char *format, struct bundle *bundle, struct error *err)
{
	jv properties = json_get(schema, "properties");
	int result = 0;

	for (int at = jv_object_iter(fields); result == 0 && jv_object_iter_valid(fields, at); at = jv_object_iter_next(fields, at)) {
		jv key = jv_object_iter_key(fields, at), value = jv_object_iter_value(fields, at);
		jv property = json_get(properties, json_string(key));
		char *is = json_get_string(property, "format");
		struct arguments words = {0};

		if (is && strcmp(is, format) == 0 && json_string(value)) {
			if (strcmp(format, "script") == 0)
				arguments_push(&words, json_string(value));
			else
				result = shell_words_split(json_string(value), &words, err);
		}
		for (size_t i = 0; i < words.count && result == 0; i++)
			result = bundle_add(bundle, digest->catalogue, words.list[i], err);
		arguments_release(&words);
		free(is);
		jv_free(property);
		jv_free(value);
		jv_free(key);
	}
	jv_free(properties);
	return result;
}

/* Reads what the action's fields name, the script first, as the plugin does. */
static int
digest_read(struct digest *digest, jv action, struct bundle *bundle, struct error *err)
{
	char *type = json_get_string(action, "type");
	jv fields = json_get(action, "fields"), schema;
	int result = 0;

	bundle->beneath = digest->beneath;
	if (type && jv_get_kind(fields) == JV_KIND_OBJECT) {
		schema = fields_schema(&digest->plugins, "automator", type);
		result = digest_add_field(digest, schema, fields, "script", bundle, err);
		if (result == 0)
			result = digest_add_field(digest, schema, fields, "files", bundle, err);
	}
	jv_free(fields);
	free(type);
	return result;
}

/* Does with each action of a service what the walk is about. */
static int
digest_walk_service(struct digest *digest, jv *service, struct error *err)
{
	jv provisioner = json_get(*service, "provisioner"), actions = json_get(provisioner, "actions");
	char *name = json_get_string(*service, "name");
	jv names = jv_get_kind(actions) == JV_KIND_OBJECT ? jv_keys(jv_copy(actions)) : jv_array();
	int result = 0;

	digest->beneath = origin_of(*service, ORIGIN_INSTALLATION) == ORIGIN_TENANT;
	for (size_t i = 0; i < json_length(names) && result == 0; i++) {
		jv key = json_element(names, i), action = json_get(actions, json_string(key));

		if (jv_get_kind(action) == JV_KIND_OBJECT) {
			result = digest->do_action(digest, name ? name : "", json_string(key), &action, err);
			json_set(&actions, json_string(key), action);
		} else {
			jv_free(action);
		}
		jv_free(key);
	}
	if (json_length(names) > 0) {
		json_set(&provisioner, "actions", actions);
		json_set(service, "provisioner", provisioner);
	} else {
		jv_free(actions);
		jv_free(provisioner);
	}
	jv_free(names);
	free(name);
	return result;
}

/* Walks over the services of a request, or the definitions of a cluster record. */
static int
digest_walk(struct digest *digest, jv *document, struct error *err)
{
	jv cluster = json_get(*document, "cluster");
	const char *member = jv_is_valid(cluster) ? "services" : "definitions";
	jv services = json_get(*document, member);
	int result = 0;

	digest->catalogue = json_get_string(jv_is_valid(cluster) ? cluster : *document, "catalogue");
	for (size_t i = 0; i < json_length(services) && result == 0; i++) {
		jv service = json_element(services, i);

		result = digest_walk_service(digest, &service, err);
		services = jv_array_set(services, (int)i, service);
	}
	if (jv_is_valid(services))
		json_set(document, member, services);
	free(digest->catalogue);
	fields_check_release(&digest->plugins);
	jv_free(cluster);
	return result;
}

static int
digest_forget_action(struct digest *digest, const char *service, const char *name, jv *action, struct error *err)
{
	(void)digest;
	(void)service;
	(void)name;
	(void)err;
	*action = jv_object_delete(jv_object_delete(*action, jv_string("digest")), jv_string("kept"));
	return 0;
}

static int
digest_set_action(struct digest *digest, const char *service, const char *name, jv *action, struct error *err)
{
	char hex[CONTENT_DIGEST_SIZE];
	struct bundle bundle = {0};
	struct error unread; /* whoever runs it says so */
	int result = 0;

	digest_forget_action(digest, service, name, action, err);
	if (digest_read(digest, *action, &bundle, &unread) == 0 && bundle.count) {
		script_store_digest(&bundle, hex);
		json_set_string(action, "digest", hex);
		if (digest->keep)
			result = script_store_keep(&bundle, err);
	}
	bundle_release(&bundle);
	return result;
}

int
digest_services(jv *request, bool keep, struct error *err)
{
	struct digest digest = {.keep = keep, .do_action = digest_set_action};

	return digest_walk(&digest, request, err);
}

static int
digest_restore_action(struct digest *digest, const char *service, const char *name, jv *action, struct error *err)
{
	char *then = json_get_string(*action, "digest"), hex[CONTENT_DIGEST_SIZE] = "", *script;
	struct bundle bundle = {0};
	struct error unread;
	jv fields;
	int result = 0;

	if (!then)
		return 0;
	*action = jv_object_delete(*action, jv_string("kept"));
	if (digest_read(digest, *action, &bundle, &unread) == 0)
		script_store_digest(&bundle, hex);
	if (strcmp(hex, then) != 0 && script_store_has(then)) {
		json_set(action, "kept", jv_true());
	} else if (strcmp(hex, then) != 0) {
		fields = json_get(*action, "fields");
		script = json_get_string(fields, "script");
		result = error_set(err, EX_NO, "script %s (%s of service %s) is not what it was, and its former contents were not kept; put the "
		    "former one back", script ? script : "", name, service);
		free(script);
		jv_free(fields);
	}
	bundle_release(&bundle);
	free(then);
	return result;
}

int
digest_restore(jv *document, struct error *err)
{
	struct digest digest = {.do_action = digest_restore_action};

	return digest_walk(&digest, document, err);
}

/* Returns the service without what the scripts' contents are. */
static jv
digest_strip(jv service)
{
	struct digest digest = {.do_action = digest_forget_action};
	struct error ignored; /* it never fails */
	jv copy = jv_copy(service);

	digest_walk_service(&digest, &copy, &ignored);
	return copy;
}

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

		if (old && new && strcmp(old, new) != 0)
			buffer_printf(lines, "service %s: script %s (%s) has changed\n", name, script ? script : "", json_string(key));
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
