/* SPDX-License-Identifier: Apache-2.0 */
#include "json/credential.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"

bool
credential_is_name(const char *text)
{
	static const char *const ends[] = {"password", "passwd", "passphrase", "secret", "token", "_key", "apikey"};
	size_t length = strlen(text);

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		size_t end = strlen(ends[i]);

		if (length >= end && strcasecmp(text + length - end, ends[i]) == 0)
			return strcasecmp(text, "public_key") != 0;
	}
	return false;
}

bool
credential_is_clear(const char *name, jv value)
{
	jv_kind kind = jv_get_kind(value);

	if (!credential_is_name(name))
		return false;
	return kind == JV_KIND_NUMBER ||
	    (kind == JV_KIND_STRING && *json_string(value) && strcmp(json_string(value), CREDENTIAL_HIDDEN) != 0);
}

char *
credential_reference(jv value, bool *is_generated)
{
	bool is_one = jv_get_kind(value) == JV_KIND_OBJECT && json_length(value) == 1;
	char *name = is_one ? json_get_string(value, "secret") : NULL;

	*is_generated = is_one && !name;
	return *is_generated ? json_get_string(value, CREDENTIAL_GENERATED) : name;
}

static bool
credential_is_reference(jv value)
{
	bool is_generated;
	char *name = credential_reference(value, &is_generated);

	free(name);
	return name != NULL;
}

size_t
credential_check(const struct place *place)
{
	struct members members;
	struct place part;
	size_t count = 0;

	if (place->name && credential_is_clear(place->name, place->value)) {
		place_problem(place, "a password or key in clear; write {\"secret\": \"NAME\"} in its place, and store it with coopr secret "
		    "set NAME");
		return 1;
	}
	for (size_t i = 0; jv_get_kind(place->value) == JV_KIND_ARRAY && i < json_length(place->value); i++) {
		part = place_element(place, i);
		count += credential_check(&part);
	}
	if (jv_get_kind(place->value) != JV_KIND_OBJECT || credential_is_reference(place->value))
		return count;
	members = members_of(place);
	while (members_next(&members, &part))
		count += credential_check(&part);
	return count;
}

/* Replaces the members of an object, and hides what is in them. */
static void
credential_hide_members(jv *object)
{
	jv names = jv_keys(jv_copy(*object));

	for (size_t i = 0; i < json_length(names); i++) {
		jv name = json_element(names, i), member = json_get(*object, json_string(name));

		if (credential_is_clear(json_string(name), member)) {
			jv_free(member);
			member = jv_string(CREDENTIAL_HIDDEN);
		} else {
			credential_hide(&member);
		}
		json_set(object, json_string(name), member);
		jv_free(name);
	}
	jv_free(names);
}

void
credential_hide(jv *value)
{
	if (jv_get_kind(*value) == JV_KIND_OBJECT && !credential_is_reference(*value))
		credential_hide_members(value);
	for (size_t i = 0; jv_get_kind(*value) == JV_KIND_ARRAY && i < json_length(*value); i++) {
		jv element = json_element(*value, i);

		credential_hide(&element);
		*value = jv_array_set(*value, (int)i, element);
	}
}

/* Returns the last part of a path, "site.port" or "/site/port". */
static char *
credential_last_part(const char *path, size_t length)
{
	size_t start = length;

	while (start > 0 && !strchr("./", path[start - 1]))
		start--;
	return memory_substring(path + start, length - start);
}

char *
credential_hide_assignment(const char *assignment)
{
	size_t length = strcspn(assignment, "=");
	char *name = credential_last_part(assignment, length);
	const char *text = assignment + length + (assignment[length] == '=');
	struct buffer shown = {0};
	jv value, object = jv_object();
	struct error ignored; /* then it is a string */

	if (!strchr("{[", *text) || json_parse("the value", text, strlen(text), &value, &ignored) < 0)
		value = jv_string(text);
	json_set(&object, name, value);
	credential_hide(&object);
	value = json_get(object, name);
	buffer_append(&shown, assignment, length);
	buffer_text(&shown, assignment[length] ? "=" : "");
	if (json_string(value))
		buffer_text(&shown, json_string(value));
	else
		json_dump(value, &shown);
	jv_free(value);
	jv_free(object);
	free(name);
	return buffer_take(&shown);
}

void
credential_check_hidden(const struct place *place)
{
	struct members members;
	struct place part;

	if (place->name && credential_is_name(place->name) && json_string(place->value) &&
	    strcmp(json_string(place->value), CREDENTIAL_HIDDEN) == 0)
		place_problem(place, "this value was hidden from you; leave the member as it is with --set, or write {\"secret\": \"NAME\"}");
	for (size_t i = 0; jv_get_kind(place->value) == JV_KIND_ARRAY && i < json_length(place->value); i++) {
		part = place_element(place, i);
		credential_check_hidden(&part);
	}
	if (jv_get_kind(place->value) != JV_KIND_OBJECT)
		return;
	members = members_of(place);
	while (members_next(&members, &part))
		credential_check_hidden(&part);
}
