/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/fields.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/plural.h"
#include "base/process.h"
#include "base/suggest.h"
#include "exec/plugin-find.h"
#include "exec/plugin-schema.h"
#include "inspect/script.h"
#include "json/credential.h"
#include "json/place.h"

jv
fields_schema(struct fields_check *check, const char *kind, const char *type)
{
	char *key = memory_printf("%s/%s", kind, type);
	int number = names_find(&check->plugins, key);

	if (number == NAMES_NONE) {
		number = names_intern(&check->plugins, arena_string(&check->arena, key));
		if (check->capacity < check->plugins.count) {
			check->capacity = 2 * check->plugins.count;
			check->schemas = memory_resize(check->schemas, check->capacity, sizeof *check->schemas);
		}
		check->schemas[number] = plugin_schema(kind, type);
	}
	free(key);
	return check->schemas[number];
}

static bool
fields_has_all(const struct place *fields, jv names)
{
	bool all = true;

	for (size_t i = 0; all && i < json_length(names); i++) {
		jv name = json_element(names, i);
		struct place field = place_member(fields, json_string(name) ? json_string(name) : "");

		all = place_present(&field);
		jv_free(name);
	}
	return all;
}

/* Returns the names of the fields that are required, owned: of alternatives, "anyOf", the first where none is whole. */
static jv
fields_required(const struct place *fields, jv schema)
{
	jv required = json_get(schema, "required"), choices = json_get(schema, "anyOf");

	for (size_t i = 0; i < json_length(choices); i++) {
		jv choice = json_element(choices, i), names = json_get(choice, "required");
		bool whole = fields_has_all(fields, names);

		if (i == 0 || whole) {
			jv_free(required);
			required = jv_copy(names);
		}
		jv_free(names);
		jv_free(choice);
		if (whole)
			break;
	}
	jv_free(choices);
	return required;
}

static void
fields_check_required(const struct place *fields, jv schema, const char *title)
{
	jv required = fields_required(fields, schema);

	for (size_t i = 0; i < json_length(required); i++) {
		jv name = json_element(required, i);
		struct place field = place_member(fields, json_string(name) ? json_string(name) : "");

		if (!place_present(&field))
			place_problem(fields, "%s requires the field \"%.80s\"", title, json_string(name));
		jv_free(name);
	}
	jv_free(required);
}

/* Warns of a field that the plugin does not know; where it takes any, of one that is spelled nearly like one that it knows. */
static void
fields_warn_unknown(const struct fields_check *check, const struct place *field, jv properties, bool takes_any, const char *title)
{
	struct problems unused = {0};
	struct place root = place_root(properties, &unused), property, warning = *field;
	struct members members = members_of(&root);
	struct arguments names = {0};
	const char *near;

	while (members_next(&members, &property))
		arguments_push(&names, property.name);
	near = names.count ? suggest_word(field->name, (const char *const *)names.list) : NULL;
	warning.problems = check->warnings;
	if (near)
		place_problem(&warning, "%s %s field \"%.80s\"; did you mean \"%s\"?", title, takes_any ? "does not know the" : "has no",
		    field->name, near);
	else if (!takes_any)
		place_problem(&warning, "%s has no field \"%.80s\"", title, field->name);
	arguments_release(&names);
	problems_release(&unused);
}

static bool
fields_is_of_type(jv value, const char *type)
{
	if (strcmp(type, "integer") == 0)
		return jv_get_kind(value) == JV_KIND_NUMBER && jv_is_integer(value);
	return strcmp(type, json_kind_name(value)) == 0;
}

/* Warns of a value that is of none of the types that the plugin knows for the field; one that names a secret is of any. */
static void
fields_warn_type(const struct fields_check *check, const struct place *field, jv property)
{
	jv types = json_get(property, "type");
	struct place warning = *field;
	struct buffer names = {0};
	bool is_generated, is_one = jv_get_kind(field->value) == JV_KIND_NULL;
	char *secret = credential_reference(field->value, &is_generated);

	if (jv_get_kind(types) == JV_KIND_STRING)
		types = JV_ARRAY(types);
	for (size_t i = 0; i < json_length(types); i++) {
		jv type = json_element(types, i);
		const char *name = json_string(type);

		is_one = is_one || (name && fields_is_of_type(field->value, name));
		buffer_printf(&names, "%s%.40s", i ? " or " : "", name ? name : "");
		jv_free(type);
	}
	warning.problems = check->warnings;
	if (names.length && !is_one && !secret)
		place_problem(&warning, "expected %s, found %s", names.data, json_kind_name(field->value));
	buffer_release(&names);
	free(secret);
	jv_free(types);
}

/* Looks for the script or the files that the field names, each line once for a plugin. */
static void
fields_check_files(struct fields_check *check, const struct place *field, jv property)
{
	char *format = json_get_string(property, "format");
	const char *text = json_string(field->value);
	size_t known = check->scripts.count;
	struct error err;
	int result = 0;

	if (format && text && !check->kept && !check->files_apart &&
	    (size_t)names_intern(&check->scripts, arena_printf(&check->arena, "%s\n%s", check->plugin, text)) >= known) {
		if (strcmp(format, "script") == 0)
			result = script_check(check->catalogue, check->plugin, text, &err);
		else if (strcmp(format, "files") == 0)
			result = script_check_files(check->catalogue, check->plugin, text, &err);
		if (result < 0)
			place_problem(field, "%s", err.text);
	}
	free(format);
}

/* Warns of a value that is none of those that the plugin knows for the field; one that is empty counts as absent. */
static void
fields_warn_other(const struct fields_check *check, const struct place *field, jv property)
{
	jv known = json_get(property, "enum");
	const char *text = json_string(field->value);
	size_t count = json_length(known);
	struct place warning = *field;
	struct buffer names = {0};
	bool is_one = jv_get_kind(field->value) == JV_KIND_NULL || (text && !*text);

	for (size_t i = 0; i < count; i++) {
		jv one = json_element(known, i);

		is_one = is_one || jv_equal(jv_copy(one), jv_copy(field->value));
		buffer_printf(&names, "%s%.40s", plural_before(i, count, " or "), json_string(one) ? json_string(one) : "another");
		jv_free(one);
	}
	warning.problems = check->warnings;
	if (names.length && !is_one)
		place_problem(&warning, "expected %s", names.data);
	buffer_release(&names);
	jv_free(known);
}

static void fields_check_value(struct fields_check *check, const struct place *value, jv property, const char *title);

/* Checks the members of an object by its schema. */
static void
fields_check_object(struct fields_check *check, const struct place *fields, jv schema, const char *title)
{
	jv properties = json_get(schema, "properties"), others = json_get(schema, "additionalProperties");
	struct members members;
	struct place field;

	fields_check_required(fields, schema, title);
	if (jv_get_kind(properties) == JV_KIND_OBJECT && jv_get_kind(fields->value) == JV_KIND_OBJECT) {
		members = members_of(fields);
		while (members_next(&members, &field)) {
			jv property = json_get(properties, field.name);

			if (jv_is_valid(property))
				fields_check_value(check, &field, property, title);
			else
				fields_warn_unknown(check, &field, properties, jv_get_kind(others) == JV_KIND_TRUE, title);
			jv_free(property);
		}
	}
	jv_free(others);
	jv_free(properties);
}

/* Checks what is in the value: members of an object that has no others than its schema names, or whose members have one schema, and
 * elements of a list. */
static void
fields_check_within(struct fields_check *check, const struct place *value, jv property, const char *title)
{
	jv others = json_get(property, "additionalProperties"), items = json_get(property, "items");
	struct members members;
	struct place member;

	if (jv_get_kind(value->value) == JV_KIND_OBJECT && jv_get_kind(others) == JV_KIND_FALSE)
		fields_check_object(check, value, property, title);
	if (jv_get_kind(value->value) == JV_KIND_OBJECT && jv_get_kind(others) == JV_KIND_OBJECT) {
		members = members_of(value);
		while (members_next(&members, &member))
			fields_check_value(check, &member, others, title);
	}
	if (jv_get_kind(value->value) == JV_KIND_ARRAY && jv_get_kind(items) == JV_KIND_OBJECT)
		for (size_t i = 0; i < json_length(value->value); i++) {
			member = place_element(value, i);
			fields_check_value(check, &member, items, title);
		}
	jv_free(items);
	jv_free(others);
}

static void
fields_check_value(struct fields_check *check, const struct place *value, jv property, const char *title)
{
	fields_warn_type(check, value, property);
	fields_warn_other(check, value, property);
	fields_check_files(check, value, property);
	fields_check_within(check, value, property, title);
}

/* Tells of a plugin that is not here; one that has nearly the name of another is misspelt. */
static void
fields_find_plugin(struct fields_check *check, const struct place *type, const char *kind, const char *plugin)
{
	const char *name = json_string(type->value);
	struct place warning = *type;
	struct error err;
	char *path;

	if (check->elsewhere && names_find(check->elsewhere, plugin) != NAMES_NONE)
		return;
	path = plugin_find(kind, name, &err);
	if (!path) {
		warning.problems = plugin_is_near(kind, name) ? check->warnings : check->missing;
		place_problem(&warning, "%s", err.text);
		check->missing_count++;
	}
	free(path);
}

static void
fields_check_all(struct fields_check *check, const struct place *fields, const char *kind, const struct place *place)
{
	const char *type = json_string(place->value);
	size_t known = check->plugins.count;
	jv schema = fields_schema(check, kind, type);
	char *title = memory_printf("%s \"%s\"", kind, type), *plugin = memory_printf("%s/%s", kind, type);

	if (check->missing && (check->plugins.count > known || strcmp(kind, "provider") == 0)) /* many actions have one automator */
		fields_find_plugin(check, place, kind, plugin);
	check->plugin = plugin;
	if (jv_get_kind(schema) == JV_KIND_OBJECT)
		fields_check_object(check, fields, schema, title);
	check->plugin = NULL;
	free(plugin);
	free(title);
}

void
fields_check_provider(struct fields_check *check, const struct place *provider)
{
	struct place type = place_member(provider, "providertype"), fields = place_member(provider, "provisioner");

	if (json_string(type.value))
		fields_check_all(check, &fields, "provider", &type);
}

void
fields_check_service(struct fields_check *check, const struct place *service)
{
	struct place provisioner = place_member(service, "provisioner"), actions = place_member(&provisioner, "actions"), action;
	struct members members = members_of(&actions);

	while (members_next(&members, &action)) {
		struct place type = place_member(&action, "type"), fields = place_member(&action, "fields");
		struct place kept = place_member(&action, "kept");

		check->kept = jv_get_kind(kept.value) == JV_KIND_TRUE;
		if (json_string(type.value))
			fields_check_all(check, &fields, "automator", &type);
	}
	check->kept = false;
}

void
fields_check_release(struct fields_check *check)
{
	for (size_t i = 0; i < check->plugins.count; i++)
		jv_free(check->schemas[i]);
	free(check->schemas);
	names_release(&check->plugins);
	names_release(&check->scripts);
	arena_release(&check->arena);
	*check = (struct fields_check){0};
}
