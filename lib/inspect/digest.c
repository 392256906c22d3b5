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
#include "resource/named.h"
#include "ssh/bundle.h"
#include "ssh/script-store.h"
#include "ssh/shell-words.h"

struct digest {
	struct fields_check plugins; /* that were asked */
	char *catalogue;             /* of the request; NULL: none */
	struct store *store;         /* whose resources are meant; or NULL */
	unsigned flags;
	bool is_damaged;             /* a resource is there, and cannot be used */
	bool beneath;                /* a tenant has written the service */
	char *whole;                 /* the plugin ("automator/chef") of which all resources were read; NULL: none yet */
	char whole_hex[CONTENT_DIGEST_SIZE]; /* the digest of these, "" where there are none */
	jv whole_resources;
	/* Does something with one action; -1 ends the walk. */
	int (*do_action)(struct digest *digest, const char *service, const char *name, jv *action, struct error *err);
};

struct digest_action { /* one action, as it is read */
	char *plugin; /* "automator/shell" */
	struct bundle bundle;
	jv resources; /* the digests of those that it names */
	bool is_whole; /* it is all that there is for the plugin, and nothing else */
	bool is_known; /* all that was read before for another action: the bundle is empty */
};

static void
digest_action_release(struct digest_action *read)
{
	bundle_release(&read->bundle);
	jv_free(read->resources);
	free(read->plugin);
}

/* Adds what one word names: a resource, if the store has one of that name, else a file. */
static int
digest_add_word(struct digest *digest, jv property, const char *word, bool as_script, struct digest_action *read, struct error *err)
{
	jv types = json_get(property, "resources");
	int got = 0;

	if (digest->store && !digest->catalogue)
		got = named_add(digest->store, read->plugin, types, word, as_script, &read->bundle, &read->resources, err);
	digest->is_damaged |= got < 0;
	if (got == 0)
		got = bundle_add(&read->bundle, digest->catalogue, word, err);
	jv_free(types);
	return got < 0 ? -1 : 0;
}

/* Adds the files that a field names, if the plugin says that it names some in that way. */
static int
digest_add_field(struct digest *digest, jv schema, jv fields, const char *format, struct digest_action *read, struct error *err)
{
	jv properties = json_get(schema, "properties");
	int result = 0;

	for (int at = jv_object_iter(fields); result == 0 && jv_object_iter_valid(fields, at); at = jv_object_iter_next(fields, at)) {
		jv key = jv_object_iter_key(fields, at), value = jv_object_iter_value(fields, at);
		jv property = json_get(properties, json_string(key));
		char *is = json_get_string(property, "format");
		bool as_script = strcmp(format, "script") == 0;
		struct arguments words = {0};

		if (is && strcmp(is, format) == 0 && json_string(value)) {
			if (as_script)
				arguments_push(&words, json_string(value));
			else
				result = shell_words_split(json_string(value), &words, err);
		}
		for (size_t i = 0; i < words.count && result == 0; i++)
			result = digest_add_word(digest, property, words.list[i], as_script, read, err);
		arguments_release(&words);
		free(is);
		jv_free(property);
		jv_free(value);
		jv_free(key);
	}
	jv_free(properties);
	return result;
}

/* Adds all resources of the types of a property, which is consumed. */
static int
digest_add_property(struct digest *digest, jv property, struct digest_action *read, struct error *err)
{
	jv types = json_get(property, "resources");
	int result = 0;

	for (size_t i = 0; i < json_length(types) && result == 0; i++) {
		jv type = json_element(types, i);

		if (json_string(type) && digest->catalogue && !digest->beneath)
			result = bundle_add_all(&read->bundle, digest->catalogue, json_string(type), err);
		else if (json_string(type) && digest->store && !digest->catalogue)
			result = named_add_all(digest->store, read->plugin, json_string(type), &read->bundle, &read->resources, err);
		jv_free(type);
	}
	digest->is_damaged |= result < 0 && !digest->catalogue;
	jv_free(types);
	jv_free(property);
	return result;
}

/* Adds what fields that are absent stand for, as the plugin says: all that there is. Many actions of a cluster are made with the same, which
 * may be large, and is read once. */
static int
digest_add_all(struct digest *digest, jv schema, jv fields, struct digest_action *read, struct error *err)
{
	jv properties = json_get(schema, "properties");
	jv names = jv_get_kind(properties) == JV_KIND_OBJECT ? jv_keys(jv_copy(properties)) : jv_array();
	struct arguments absent = {0};
	size_t all = 0;
	int result = 0;

	for (size_t i = 0; i < json_length(names); i++) {
		jv name = json_element(names, i), property = json_get(properties, json_string(name)), field = json_get(fields, json_string(name));

		all += json_is(property, "all", JV_KIND_TRUE);
		if (json_is(property, "all", JV_KIND_TRUE) && !jv_is_valid(field))
			arguments_push(&absent, json_string(name));
		jv_free(field);
		jv_free(property);
		jv_free(name);
	}
	read->is_whole = all > 0 && absent.count == all && !read->bundle.count && !digest->catalogue;
	read->is_known = read->is_whole && digest->whole && strcmp(digest->whole, read->plugin) == 0;
	for (size_t i = 0; i < absent.count && result == 0 && !read->is_known; i++)
		result = digest_add_property(digest, json_get(properties, absent.list[i]), read, err);
	arguments_release(&absent);
	jv_free(names);
	jv_free(properties);
	return result;
}

/* Reads what the action's fields name, the script first, as the plugin does. Release *read, also where that fails. */
static int
digest_read(struct digest *digest, jv action, struct digest_action *read, struct error *err)
{
	char *type = json_get_string(action, "type");
	jv fields = json_get(action, "fields"), schema;
	int result = 0;

	*read = (struct digest_action){.plugin = memory_printf("automator/%s", type ? type : ""), .resources = jv_array()};
	read->bundle.plugin = read->plugin;
	read->bundle.beneath = digest->beneath;
	if (type && jv_get_kind(fields) == JV_KIND_OBJECT) {
		schema = fields_schema(&digest->plugins, "automator", type);
		result = digest_add_field(digest, schema, fields, "script", read, err);
		if (result == 0)
			result = digest_add_field(digest, schema, fields, "files", read, err);
		if (result == 0)
			result = digest_add_all(digest, schema, fields, read, err);
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
	if (digest->whole)
		jv_free(digest->whole_resources);
	free(digest->whole);
	free(digest->catalogue);
	fields_check_release(&digest->plugins);
	jv_free(cluster);
	return result;
}

static int
digest_forget_action(struct digest *digest, const char *service, const char *name, jv *action, struct error *err)
{
	static const char *const members[] = {"digest", "kept", "resources"};

	(void)digest;
	(void)service;
	(void)name;
	(void)err;
	for (size_t i = 0; i < sizeof members / sizeof *members; i++)
		*action = jv_object_delete(*action, jv_string(members[i]));
	return 0;
}

/* Returns whether the action uses resources, as it was when a cluster was made of it. */
static bool
digest_has_resources(jv action)
{
	jv resources = json_get(action, "resources");
	bool has = json_length(resources) > 0;

	jv_free(resources);
	return has;
}

/* Finds the digest of what was read, and remembers that of all that there is for a plugin. "": nothing was. */
static void
digest_find(struct digest *digest, struct digest_action *read, char hex[static CONTENT_DIGEST_SIZE])
{
	*hex = '\0';
	if (read->is_known) {
		memcpy(hex, digest->whole_hex, CONTENT_DIGEST_SIZE);
		jv_free(read->resources);
		read->resources = jv_copy(digest->whole_resources);
	} else if (read->bundle.count) {
		script_store_digest(&read->bundle, hex);
	}
	if (!read->is_whole || read->is_known)
		return;
	if (digest->whole)
		jv_free(digest->whole_resources);
	free(digest->whole);
	digest->whole = memory_string(read->plugin);
	digest->whole_resources = jv_copy(read->resources);
	memcpy(digest->whole_hex, hex, CONTENT_DIGEST_SIZE);
}

/* Says in the action what it is made with now, and keeps that. */
static int
digest_note(struct digest *digest, struct digest_action *read, jv *action, struct error *err)
{
	char hex[CONTENT_DIGEST_SIZE];

	digest_find(digest, read, hex);
	if (!*hex)
		return 0;
	json_set_string(action, "digest", hex);
	if (json_length(read->resources) > 0) {
		json_set(action, "kept", jv_true());
		json_set(action, "resources", jv_copy(read->resources));
	}
	return digest->flags & DIGEST_KEEP && !read->is_known ? script_store_keep(&read->bundle, err) : 0;
}

static int
digest_set_action(struct digest *digest, const char *service, const char *name, jv *action, struct error *err)
{
	bool stays = digest->flags & DIGEST_AGAIN && digest_has_resources(*action);
	struct digest_action read;
	struct error unread; /* whoever runs it says so */
	int result = digest_read(digest, *action, &read, &unread);

	stays = stays && result < 0 && !digest->is_damaged;
	if (!stays)
		digest_forget_action(digest, service, name, action, err);
	if (digest->is_damaged) {
		*err = unread;
		result = error_prefix(err, "service %s: %s", service, name);
	} else {
		result = result == 0 ? digest_note(digest, &read, action, err) : 0;
	}
	digest_action_release(&read);
	return result;
}

int
digest_services(jv *request, struct store *store, unsigned flags, struct error *err)
{
	struct digest digest = {.store = store, .flags = flags, .do_action = digest_set_action};

	return digest_walk(&digest, request, err);
}

static int
digest_restore_action(struct digest *digest, const char *service, const char *name, jv *action, struct error *err)
{
	char *then = json_get_string(*action, "digest"), hex[CONTENT_DIGEST_SIZE] = "", *script;
	bool resources = digest_has_resources(*action);
	struct digest_action read;
	struct error unread;
	jv fields;
	int result = 0;

	if (!then)
		return 0;
	*action = jv_object_delete(*action, jv_string("kept"));
	/* What came from resources is not on this host under a name. */
	if (digest_read(digest, *action, &read, &unread) == 0 && !resources)
		script_store_digest(&read.bundle, hex);
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
	digest_action_release(&read);
	free(then);
	return result;
}

int
digest_restore(jv *document, struct error *err)
{
	struct digest digest = {.do_action = digest_restore_action};

	return digest_walk(&digest, document, err);
}

jv
digest_strip(jv service)
{
	struct digest digest = {.do_action = digest_forget_action};
	struct error ignored; /* it never fails */
	jv copy = jv_copy(service);

	digest_walk_service(&digest, &copy, &ignored);
	return copy;
}
