/* SPDX-License-Identifier: Apache-2.0 */
#include "model/limits.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "model/document.h"
#include "model/print.h"

enum { LIMIT_MAX = INT32_MAX };

static void
limits_parse_list(const struct place *place, const struct member *member, struct arena *arena, void *to)
{
	struct limit_list *list = (struct limit_list *)(void *)((char *)to + member->offset);
	struct members members;
	struct place limit;

	(void)arena;
	if (!place_object(place, NEED_OPTIONAL))
		return;
	members = members_of(place);
	while (members_next(&members, &limit))
		limits_set(to, list, limit.name, place_read_integer(&limit, -1, 0, LIMIT_MAX));
}

static void
limits_print_list(const struct member *member, const void *from, struct print *print)
{
	const struct limit_list *list = (const struct limit_list *)(const void *)((const char *)from + member->offset);
	struct print inner;

	if (list->count == 0)
		return;
	print_name(print, member->name);
	print_begin(&inner, (jv){0}, print->out);
	for (size_t i = 0; i < list->count; i++)
		print_integer(&inner, list->list[i].name, list->list[i].max);
	print_close(&inner);
}

static bool
limits_has_total(const void *from)
{
	return ((const struct limits *)from)->total >= 0;
}

static void
limits_release_all(void *to)
{
	struct limits *limits = to;

	free(limits->providers.list);
	free(limits->tenants.list);
	arena_release(&limits->arena);
}

static const struct member members[] = {
	{"kind", MEMBER_KIND("limits")},
	{"providers", MEMBER_CUSTOM_FIELD(struct limits, providers, struct limit_list), 0, .parse = limits_parse_list,
	    .print = limits_print_list},
	{"tenants", MEMBER_CUSTOM_FIELD(struct limits, tenants, struct limit_list), 0, .parse = limits_parse_list,
	    .print = limits_print_list},
	{"total", MEMBER_INTEGER(struct limits, total), 0, .integer = {0, LIMIT_MAX, -1}, .is_printed = limits_has_total},
};
const struct document limits_table = {DOCUMENT_MEMBERS(members), .size = sizeof(struct limits),
	.release = limits_release_all};

void
limits_parse(const struct place *place, struct limits *limits)
{
	document_parse(&limits_table, place, &limits->arena, limits);
}

void
limits_print(const struct limits *limits, struct buffer *out)
{
	document_print(&limits_table, limits, out);
}

void
limits_set(struct limits *limits, struct limit_list *list, const char *name, int64_t max)
{
	size_t at = 0;

	while (at < list->count && strcmp(list->list[at].name, name) < 0)
		at++;
	if (at < list->count && strcmp(list->list[at].name, name) == 0) {
		if (max >= 0)
			list->list[at].max = max;
		else
			memmove(&list->list[at], &list->list[at + 1], (--list->count - at) * sizeof *list->list);
		return;
	}
	if (max < 0)
		return;
	ARRAY_ROOM(list->list, list->count, list->capacity);
	memmove(&list->list[at + 1], &list->list[at], (list->count++ - at) * sizeof *list->list);
	list->list[at] = (struct limit){arena_string(&limits->arena, name), max};
}

int64_t
limits_of(const struct limit_list *list, const char *name)
{
	int64_t of_each = -1;

	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->list[i].name, name) == 0)
			return list->list[i].max;
		else if (strcmp(list->list[i].name, "*") == 0)
			of_each = list->list[i].max;
	return of_each;
}

void
limits_release(struct limits *limits)
{
	document_release(&limits_table, limits);
	limits->total = -1;
}
