/* SPDX-License-Identifier: Apache-2.0 */
#include "json/json.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "json/build.h"
#include "json/scan.h"
#include "json/yaml-read.h"

enum { CHUNK = 64 * 1024 };

/* Tells whether only white space follows from text on; nobody promised a NUL behind it. */
static bool
json_is_blank(const char *text, size_t length)
{
	while (length && strchr(" \t\r\n", *text) && *text) {
		text++;
		length--;
	}
	return length == 0;
}

int
json_parse(const char *name, const char *text, size_t length, jv *out, struct error *err)
{
	ssize_t used = json_scan(text, length, true, err);

	if (used == 0)
		error_set(err, EX_DATAERR, "the file is empty; a JSON value is required");
	else if (used > 0 && !json_is_blank(text + used, length - (size_t)used))
		used = error_set(err, EX_DATAERR, "more follows behind the JSON value");
	if (used <= 0)
		return error_prefix(err, "%s", name);
	*out = build_value(text, (size_t)used);
	return 0;
}

struct json_input {
	int fd;
	const char *name;
	bool is_yaml, is_unknown; /* known to be YAML; to be known by how it begins */
	struct buffer text;
};

static void
json_recognise(struct json_input *input)
{
	const struct buffer *text = &input->text;

	if (!input->is_unknown || json_is_blank(text->data, text->length))
		return;
	input->is_yaml = yaml_is_text(text->data, text->length);
	input->is_unknown = false;
}

/* Reads to the end, or to what cannot be part of one JSON value: of a gigabyte of "[" no more than that is ever held.
 * Looks each time there is twice as much, so that scanning anew costs linear time in all. */
static int
json_read_value(struct json_input *input, struct error *err)
{
	struct buffer *text = &input->text;
	size_t look = CHUNK;
	ssize_t n, used;

	do {
		n = read(input->fd, buffer_room(text, CHUNK), CHUNK);
		if (n < 0 && errno != EINTR)
			return error_read(err, input->name);
		text->length += n > 0 ? (size_t)n : 0;
		if (text->length > JSON_BYTES)
			return error_too_large(err, input->name, JSON_BYTES);
		json_recognise(input);
		if (text->length < look || input->is_yaml)
			continue;
		look = 2 * text->length;
		used = json_scan(text->data, text->length, false, err);
		if (used < 0 || (used > 0 && !json_is_blank(text->data + used, text->length - (size_t)used)))
			return 0; /* json_parse will say why */
	} while (n != 0);
	return 0;
}

static int
json_parse_yaml(struct json_input *input, jv *out, struct yaml_source *source, struct error *err)
{
	struct buffer json = {0};
	int result = yaml_read(input->name, input->text.data, input->text.length, YAML_ONE, &json, err);

	if (result == 0)
		result = json_parse(input->name, json.data, json.length, out, err);
	if (result == 0 && source)
		yaml_source_set(source, input->text.data, input->text.length);
	buffer_release(&json);
	return result;
}

static int
json_read(const char *path, bool may_be_yaml, jv *out, struct yaml_source *source, struct error *err)
{
	bool is_stdin = strcmp(path, "-") == 0;
	struct json_input input = {
	    .fd = is_stdin ? STDIN_FILENO : file_open(AT_FDCWD, path, O_RDONLY, 0, err),
	    .name = is_stdin ? "standard input" : path,
	    .is_yaml = yaml_is_name(path),
	    .is_unknown = may_be_yaml && !yaml_is_name(path) && !yaml_is_json_name(path),
	};
	int result;

	if (input.fd < 0)
		return -1;
	result = json_read_value(&input, err);
	if (result == 0)
		result = input.is_yaml ? json_parse_yaml(&input, out, source, err)
		    : json_parse(input.name, input.text.data, input.text.length, out, err);
	buffer_release(&input.text);
	if (!is_stdin)
		close(input.fd);
	return result;
}

int
json_read_file(const char *path, jv *out, struct error *err)
{
	return json_read(path, false, out, NULL, err);
}

int
json_read_document(const char *path, jv *out, struct yaml_source *source, struct error *err)
{
	if (source)
		*source = (struct yaml_source){0};
	return json_read(path, true, out, source, err);
}

jv
json_get(jv object, const char *name)
{
	if (jv_get_kind(object) != JV_KIND_OBJECT)
		return jv_invalid();
	return jv_object_get(jv_copy(object), build_name(name, strlen(name)));
}

char *
json_get_string(jv object, const char *name)
{
	jv value = json_get(object, name);
	const char *text = json_string(value);
	char *copy = text ? memory_string(text) : NULL;

	jv_free(value);
	return copy;
}

const char *
json_arena_string(jv object, const char *name, struct arena *arena)
{
	char *text = json_get_string(object, name);
	const char *kept = text ? arena_string(arena, text) : NULL;

	free(text);
	return kept;
}

double
json_get_number(jv object, const char *name, double absent)
{
	jv value = json_get(object, name);
	double number = jv_get_kind(value) == JV_KIND_NUMBER ? jv_number_value(value) : absent;

	jv_free(value);
	return number;
}

jv
json_get_object(jv object, const char *name)
{
	jv value = json_get(object, name);

	if (jv_get_kind(value) == JV_KIND_OBJECT)
		return value;
	jv_free(value);
	return jv_object();
}

bool
json_is(jv object, const char *name, jv_kind kind)
{
	jv value = json_get(object, name);
	bool is = jv_get_kind(value) == kind;

	jv_free(value);
	return is;
}

const char *
json_string(jv value)
{
	return jv_get_kind(value) == JV_KIND_STRING ? jv_string_value(value) : NULL;
}

size_t
json_length(jv value)
{
	switch (jv_get_kind(value)) {
	case JV_KIND_ARRAY:
		return (size_t)jv_array_length(jv_copy(value));
	case JV_KIND_OBJECT:
		return (size_t)jv_object_length(jv_copy(value));
	default:
		return 0;
	}
}

jv
json_element(jv array, size_t index)
{
	return jv_get_kind(array) == JV_KIND_ARRAY && index <= INT_MAX ? jv_array_get(jv_copy(array), (int)index) : jv_invalid();
}

jv
json_find_named(jv array, const char *name)
{
	jv found = jv_invalid();

	for (size_t i = 0; i < json_length(array) && !jv_is_valid(found); i++) {
		jv element = json_element(array, i), its = json_get(element, "name");

		if (json_string(its) && strcmp(json_string(its), name) == 0)
			found = jv_copy(element);
		jv_free(its);
		jv_free(element);
	}
	return found;
}

char *
json_pointer_part(const char *part, size_t length)
{
	char *text = memory_substring(part, length), *to = text;

	for (const char *at = text; *at; at++)
		if (at[0] == '~' && (at[1] == '0' || at[1] == '1'))
			*to++ = *++at == '0' ? '~' : '/';
		else
			*to++ = *at;
	*to = '\0';
	return text;
}

jv
json_at(jv value, const char *pointer)
{
	jv found = jv_copy(value);

	while (*pointer == '/') {
		size_t length = strcspn(++pointer, "/");
		char *part = json_pointer_part(pointer, length);
		jv next = jv_get_kind(found) == JV_KIND_ARRAY ? json_element(found, strtoul(part, NULL, 10)) : json_get(found, part);

		jv_free(found);
		found = next;
		pointer += length;
		free(part);
	}
	return found;
}

bool
json_array_has(jv array, const char *member, const char *text)
{
	bool found = false;

	for (size_t i = 0; jv_get_kind(array) == JV_KIND_ARRAY && i < json_length(array) && !found; i++) {
		jv element = json_element(array, i), own = member ? json_get(element, member) : jv_copy(element);

		found = json_string(own) && strcmp(json_string(own), text) == 0;
		jv_free(own);
		jv_free(element);
	}
	return found;
}

jv
json_strings(const char *const *list, size_t count)
{
	jv array = jv_array();

	for (size_t i = 0; i < count; i++)
		array = jv_array_append(array, jv_string(list[i]));
	return array;
}

void
json_set(jv *object, const char *name, jv value)
{
	*object = jv_object_set(*object, build_name(name, strlen(name)), value);
}

void
json_set_string(jv *object, const char *name, const char *text)
{
	json_set(object, name, text ? jv_string(text) : jv_null());
}

void
json_set_number(jv *object, const char *name, double number)
{
	json_set(object, name, jv_number(number));
}

const char *
json_kind_name(jv value)
{
	jv_kind kind = jv_get_kind(value);

	switch (kind) {
	case JV_KIND_INVALID:
		return "nothing";
	case JV_KIND_TRUE:
	case JV_KIND_FALSE:
		return "boolean";
	default:
		return jv_kind_name(kind);
	}
}
