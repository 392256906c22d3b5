/* SPDX-License-Identifier: Apache-2.0 */
#include "model/take/config.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "json/credential.h"
#include "json/place.h"

enum { PATH_MAX_DEPTH = 100 };

jv
config_of_template(jv template)
{
	jv defaults = json_get(template, "defaults"), services = json_get(defaults, "services");
	jv config = json_get_object(defaults, "config");

	for (size_t i = 0; i < json_length(services); i++) {
		jv service = json_element(services, i);
		char *name = json_get_string(service, "name");
		jv own = json_get(service, "config"), given = name ? json_get(config, name) : jv_invalid();

		if (name && jv_get_kind(given) == JV_KIND_OBJECT && jv_get_kind(own) == JV_KIND_OBJECT)
			json_set(&config, name, jv_object_merge(jv_copy(given), jv_copy(own)));
		else if (name && jv_is_valid(own))
			json_set(&config, name, jv_copy(own));
		jv_free(given);
		jv_free(own);
		free(name);
		jv_free(service);
	}
	jv_free(services);
	jv_free(defaults);
	return config;
}

/* The next name of a path, and what is behind it (NULL: nothing). The caller frees it. */
static char *
config_next_name(const char *path, bool is_pointer, const char **rest)
{
	size_t length = strcspn(path, is_pointer ? "/" : ".");

	*rest = path[length] ? path + length + 1 : NULL;
	return is_pointer ? json_pointer_part(path, length) : memory_substring(path, length);
}

/* The number of an element, one behind the last at most; -1 where it is none. */
static int
config_element_of(jv list, const char *name)
{
	size_t digits = strspn(name, "0123456789"), length = json_length(list);
	size_t number = strtoul(name, NULL, 10);

	return digits && digits < 10 && !name[digits] && number <= length ? (int)number : -1;
}

/* Takes value, and returns what it becomes when text is put at path in it; invalid, the reason in err, where path
 * leads through what has no members. */
static jv
config_put(jv value, const char *path, bool is_pointer, const char *text, size_t depth, struct error *err)
{
	struct error ignored;
	const char *rest;
	bool is_list;
	int element;
	char *name;
	jv inner;

	if (!path) {
		jv_free(value);
		return json_parse("", text, strlen(text), &value, &ignored) == 0 ? value : jv_string(text);
	}
	if (!jv_is_valid(value) || jv_get_kind(value) == JV_KIND_NULL) {
		jv_free(value);
		value = jv_object();
	}
	name = config_next_name(path, is_pointer, &rest);
	is_list = jv_get_kind(value) == JV_KIND_ARRAY;
	element = is_list ? config_element_of(value, name) : -1;
	if ((element >= 0 || jv_get_kind(value) == JV_KIND_OBJECT) && depth < PATH_MAX_DEPTH) {
		inner = is_list ? jv_array_get(jv_copy(value), element) : json_get(value, name);
		inner = config_put(inner, rest, is_pointer, text, depth + 1, err);
	} else {
		error_set(err, EX_USAGE, "there is no \"%s\" in this %s", name, json_kind_name(value));
		inner = jv_invalid();
	}
	if (!jv_is_valid(inner)) {
		jv_free(value);
		value = inner;
	} else if (is_list) {
		value = jv_array_set(value, element, inner);
	} else {
		json_set(&value, name, inner);
	}
	free(name);
	return value;
}

int
config_set(jv *config, const char *assignment, struct error *err)
{
	const char *equals = strchr(assignment, '=');
	bool is_pointer = *assignment == '/';
	char *path;
	jv changed;

	if (!equals || equals == assignment)
		return error_set(err, EX_USAGE, "%s: expected PATH=VALUE", assignment);
	path = memory_substring(assignment, (size_t)(equals - assignment));
	changed = config_put(jv_copy(*config), path + is_pointer, is_pointer, equals + 1, 0, err);
	if (jv_is_valid(changed)) {
		jv_free(*config);
		*config = changed;
	} else {
		error_prefix(err, "%s", path);
	}
	free(path);
	return jv_is_valid(changed) ? 0 : -1;
}

int
config_check_hidden(jv config, struct error *err)
{
	struct problems problems = {0};
	struct place root = place_root(config, &problems);
	int result;

	credential_check_hidden(&root);
	result = problems_error(&problems, "the configuration", EX_DATAERR, err);
	problems_release(&problems);
	return result;
}
