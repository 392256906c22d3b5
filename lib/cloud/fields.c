/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/fields.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool
fields_given(const struct cloud *cloud, const char *name)
{
	jv value = json_get(cloud->fields.value, name);
	const char *text = json_string(value);
	bool given = jv_is_valid(value) && jv_get_kind(value) != JV_KIND_NULL && !(text && !*text);

	jv_free(value);
	return given;
}

void
fields_problem(const struct cloud *cloud, const char *name, const char *format, ...)
{
	struct place place = place_member(&cloud->fields, name);
	va_list ap;
	char *text;

	va_start(ap, format);
	text = memory_vprintf(format, ap);
	va_end(ap);
	place_problem(&place, "%s", text);
	free(text);
}

void
fields_require(const struct cloud *cloud, const char *name, const char *what)
{
	if (!fields_given(cloud, name))
		fields_problem(cloud, name, "is required: %s", what);
}

bool
fields_boolean(const struct cloud *cloud, const char *name, bool otherwise)
{
	struct place place = place_member(&cloud->fields, name);
	const char *text = json_string(place.value);
	bool value = otherwise;

	if (!text)
		value = place_read_boolean(&place, otherwise);
	else if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
		value = *text == 't';
	else if (*text)
		place_problem(&place, "expected true or false, found \"%s\"", text);
	return value;
}

struct string_list
fields_words(struct cloud *cloud, const char *name)
{
	struct place place = place_member(&cloud->fields, name);
	const char *text = json_string(place.value);
	struct string_list words = {0};

	if (!text) {
		words = place_read_strings(&place, &cloud->arena);
	} else {
		words.list = arena_alloc(&cloud->arena, strlen(text) + 1, sizeof *words.list);
		for (text += strspn(text, ", "); *text; text += strspn(text, ", ")) {
			words.list[words.count++] = arena_substring(&cloud->arena, text, strcspn(text, ", "));
			text += strcspn(text, ", ");
		}
	}
	return words;
}

int64_t
fields_integer(const struct cloud *cloud, const char *name, int64_t min, int64_t max)
{
	return fields_given(cloud, name) ? place_integer(&cloud->fields, name, 0, min, max) : 0;
}
