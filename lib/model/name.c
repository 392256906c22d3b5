/* SPDX-License-Identifier: Apache-2.0 */
#include "model/name.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/printable.h"

#define DIGITS "0123456789"
#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

enum { NAME_MAX_LENGTH = 255, HOST_MAX_LENGTH = 253, SUFFIX_MAX_LENGTH = 191, LABEL_MAX_LENGTH = 63 };

bool
name_is_valid(const char *text)
{
	size_t length = strspn(text, LETTERS DIGITS "_.-");

	return length > 0 && length <= NAME_MAX_LENGTH && !text[length] && strcmp(text, ".") != 0 &&
	    strcmp(text, "..") != 0;
}

bool
name_is_host(const char *text)
{
	size_t length = strspn(text, LETTERS DIGITS "_.:%-");

	return length > 0 && length <= HOST_MAX_LENGTH && !text[length] && strchr(LETTERS DIGITS ":", *text);
}

bool
name_is_user(const char *text)
{
	return name_is_valid(text) && *text != '-';
}

bool
name_is_label(const char *text)
{
	size_t length = strlen(text);
	char shown[NAME_MAX_LENGTH + 1];

	if (length == 0 || length > NAME_MAX_LENGTH)
		return false;
	strcpy(shown, text);
	printable(shown);
	return strcmp(shown, text) == 0;
}

bool
name_is_dns_suffix(const char *text)
{
	if (*text == '.')
		text++;
	if (strlen(text) > SUFFIX_MAX_LENGTH)
		return false;
	for (;;) {
		size_t length = strspn(text, LETTERS DIGITS "-");

		if (length == 0 || length > LABEL_MAX_LENGTH || text[length - 1] == '-')
			return false;
		if (!text[length])
			return true;
		if (text[length] != '.')
			return false;
		text += length + 1;
	}
}

const char *
name_read(const struct place *place, enum need need, struct arena *arena)
{
	const char *text = json_string(place->value);

	if (!place_text(place, need))
		return NULL;
	if (name_is_valid(text))
		return arena_string(arena, text);
	place_problem(place, "\"%.80s\" is not a name: 1 to 255 of A-Z a-z 0-9 _ . - are allowed", text);
	return NULL;
}

const char *
name_parse(const struct place *object, const char *member, enum need need, struct arena *arena)
{
	struct place place = place_member(object, member);

	return name_read(&place, need, arena);
}

const char *
name_parse_as(const struct place *object, const char *member, enum need need,
    bool (*is_fine)(const char *text), const char *what, struct arena *arena)
{
	struct place place = place_member(object, member);
	const char *text = place_string(object, member, need, arena);

	if (!text || is_fine(text))
		return text;
	place_problem(&place, "\"%.80s\" is not %s", text, what);
	return NULL;
}

void
name_check_addresses(const struct place *addresses)
{
	struct members members = members_of(addresses);
	struct place address;

	while (members_next(&members, &address))
		if (!json_string(address.value) || !name_is_host(json_string(address.value)))
			place_problem(&address, "expected an address");
}

struct string_list
name_read_list(const struct place *array, enum need need, struct arena *arena)
{
	struct string_list names = {0};
	size_t count;

	if (!place_array(array, need))
		return names;
	count = json_length(array->value);
	names.list = arena_alloc(arena, count, sizeof *names.list);
	for (size_t i = 0; i < count; i++) {
		struct place element = place_element(array, i);
		const char *name = name_read(&element, NEED_REQUIRED, arena);

		if (name)
			names.list[names.count++] = name;
	}
	return names;
}

struct string_list
name_list_parse(const struct place *object, const char *member, struct arena *arena)
{
	struct place array = place_member(object, member);

	return name_read_list(&array, NEED_OPTIONAL, arena);
}

int
name_compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void
name_set_make(struct string_list *list)
{
	size_t kept = 0;

	if (!list->count)
		return;
	qsort(list->list, list->count, sizeof *list->list, name_compare);
	for (size_t i = 1; i < list->count; i++)
		if (strcmp(list->list[i], list->list[kept]) != 0)
			list->list[++kept] = list->list[i];
	list->count = kept + 1;
}

bool
name_list_has(const struct string_list *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->list[i], name) == 0)
			return true;
	return false;
}

void
name_list_add(struct string_list *list, const char *name)
{
	if (name_list_has(list, name))
		return;
	list->list = memory_resize(list->list, list->count + 1, sizeof *list->list);
	list->list[list->count++] = name;
}

struct string_list
name_set_parse(const struct place *object, const char *member, struct arena *arena)
{
	struct string_list names = name_list_parse(object, member, arena);

	name_set_make(&names);
	return names;
}

struct string_list
name_set_of(const struct place *array, struct arena *arena)
{
	struct string_list names = name_read_list(array, NEED_REQUIRED, arena);

	name_set_make(&names);
	return names;
}

bool
name_set_has(const struct string_list *set, const char *name)
{
	return set->count && bsearch(&name, set->list, set->count, sizeof *set->list, name_compare);
}
