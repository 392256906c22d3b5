/* SPDX-License-Identifier: Apache-2.0 */
#include "json/schemas.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/location.h"
#include "base/memory.h"
#include "json/json.h"

#define FOLDER "share/coopr/schema"
#define ENDING ".json"
#define PLACE "#/components/schemas/"

/* Returns where in the description a reference of a schema leads to: "node.json#/$defs/x", "node.json", or "#/$defs/x" of its own. */
static jv
schemas_place(const char *reference, const char *own)
{
	size_t file = strcspn(reference, "#");
	const char *inside = reference + file + (reference[file] == '#');

	return file == 0 ? jv_string_fmt(PLACE "%s%s", own, inside)
	                 : jv_string_fmt(PLACE "%.*s%s", (int)(file - strlen(ENDING)), reference, inside);
}

/* Returns a part of a schema, with its references. */
static jv
schemas_follow(jv part, const char *own)
{
	jv followed = jv_copy(part);

	if (jv_get_kind(part) == JV_KIND_ARRAY) {
		jv_array_foreach(part, i, element) {
			followed = jv_array_set(followed, i, schemas_follow(element, own));
			jv_free(element);
		}
	} else if (jv_get_kind(part) == JV_KIND_OBJECT) {
		jv_object_foreach(part, name, value) {
			bool refers = strcmp(jv_string_value(name), "$ref") == 0 && jv_get_kind(value) == JV_KIND_STRING;

			json_set(&followed, jv_string_value(name), refers ? schemas_place(jv_string_value(value), own) : schemas_follow(value, own));
			jv_free(name);
			jv_free(value);
		}
	}
	return followed;
}

/* Adds the schema that a file has. */
static void
schemas_add(const char *path, const char *name, jv *all)
{
	struct error ignored; /* references to it have no end, which the tests would tell */
	jv schema;

	if (json_read_file(path, &schema, &ignored) < 0)
		return;
	schema = jv_object_delete(jv_object_delete(schema, jv_string("$schema")), jv_string("$id"));
	json_set(all, name, schemas_follow(schema, name));
	jv_free(schema);
}

jv
schemas_all(void)
{
	char *folder = location_installed(FOLDER);
	struct dirent **entries = NULL;
	int count = folder ? scandir(folder, &entries, NULL, alphasort) : 0;
	jv all = jv_object();

	for (int i = 0; i < count; i++) {
		size_t length = strlen(entries[i]->d_name);

		if (length > strlen(ENDING) && strcmp(entries[i]->d_name + length - strlen(ENDING), ENDING) == 0) {
			char *path = memory_printf("%s/%s", folder, entries[i]->d_name);
			char *name = memory_substring(entries[i]->d_name, length - strlen(ENDING));

			schemas_add(path, name, &all);
			free(path);
			free(name);
		}
		free(entries[i]);
	}
	free(entries);
	free(folder);
	return all;
}

jv
schemas_of(jv all, const char *names)
{
	jv list = jv_array(), schema = jv_object(), one;

	for (const char *at = names; at && *at; at += strcspn(at, " "), at += strspn(at, " ")) {
		char *name = memory_substring(at, strcspn(at, " "));

		one = json_get(all, name);
		list = jv_array_append(list, JV_OBJECT(jv_string("$ref"), jv_string_fmt(PLACE "%s%s", jv_is_valid(one) ? "" : "records/$defs/", name)));
		jv_free(one);
		free(name);
	}
	if (json_length(list) == 0)
		json_set_string(&schema, "type", "object");
	else if (json_length(list) == 1)
		jv_free(schema), schema = json_element(list, 0);
	else
		json_set(&schema, "anyOf", jv_copy(list));
	jv_free(list);
	return schema;
}
