/* SPDX-License-Identifier: Apache-2.0 */
#include "json/members.h"

#include <string.h>

enum { FIND_MAX = 64 }; /* members of an object in which one is looked for */

/* Behind the string that starts at text; NULL where it has no end. */
static const char *
members_string_end(const char *text, const char *end)
{
	for (text++; text < end; text++)
		if (*text == '\\')
			text++;
		else if (*text == '"')
			return text + 1;
	return NULL;
}

/* Behind the value that starts at text; NULL where it has no end, or holds a blank. */
static const char *
members_value_end(const char *text, const char *end)
{
	int depth = 0;

	while (text < end) {
		if (*text == '"') {
			text = members_string_end(text, end);
			if (!text)
				return NULL;
			continue;
		}
		if (*text == ' ' || *text == '\t' || *text == '\n' || *text == '\r')
			return NULL;
		if (depth == 0 && (*text == ',' || *text == '}'))
			return text;
		depth += (*text == '{' || *text == '[') - (*text == '}' || *text == ']');
		text++;
	}
	return NULL;
}

/* Tells whether the name comes behind the one before it. */
static bool
members_is_behind(const struct json_range *name, const struct json_range *before)
{
	size_t shorter = name->length < before->length ? name->length : before->length;
	int order = memcmp(name->text, before->text, shorter);

	return order > 0 || (order == 0 && name->length > before->length);
}

/* Reads "NAME":VALUE; returns what is behind it, NULL where that is not what stands there. */
static const char *
members_read_member(const char *text, const char *end, struct json_member *member)
{
	const char *name_end = text < end && *text == '"' ? members_string_end(text, end) : NULL;

	if (!name_end || name_end == end || *name_end != ':')
		return NULL;
	member->name = (struct json_range){text + 1, (size_t)(name_end - text) - 2};
	if (memchr(member->name.text, '\\', member->name.length))
		return NULL;
	text = name_end + 1;
	name_end = members_value_end(text, end);
	member->value = (struct json_range){text, name_end ? (size_t)(name_end - text) : 0};
	return member->value.length > 0 ? name_end : NULL;
}

int
json_members(const char *text, size_t length, struct json_member *list, int max)
{
	const char *end = text + length;
	int count = 0;

	if (length < 2 || *text != '{')
		return -1;
	do {
		if (count == max || !(text = members_read_member(text + 1, end, &list[count])) ||
		    (count > 0 && !members_is_behind(&list[count].name, &list[count - 1].name)))
			return -1;
		count++;
	} while (*text == ',');
	return *text == '}' && text + 1 == end ? count : -1;
}

bool
json_range_find(const struct json_range *object, const char *name, struct json_range *value)
{
	size_t length = object->length > 0 && object->text[object->length - 1] == '\n' ? object->length - 1 : object->length;
	struct json_member list[FIND_MAX];
	int count = json_members(object->text, length, list, FIND_MAX);

	for (int i = 0; i < count; i++)
		if (list[i].name.length == strlen(name) && memcmp(list[i].name.text, name, list[i].name.length) == 0) {
			*value = list[i].value;
			return true;
		}
	return false;
}

bool
json_range_string(const struct json_range *value, struct json_range *string)
{
	if (value->length < 2 || value->text[0] != '"' || memchr(value->text, '\\', value->length))
		return false;
	*string = (struct json_range){value->text + 1, value->length - 2};
	return true;
}
