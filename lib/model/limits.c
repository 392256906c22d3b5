/* SPDX-License-Identifier: Apache-2.0 */
#include "model/limits.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "model/document.h"
#include "model/print.h"

static const int64_t LIMIT_MAX = INT32_MAX;

static void
limits_parse_list(const struct place *document, const char *name, struct limits *limits, struct limit_list *list)
{
	struct place place = place_member(document, name), member;
	struct members members;

	if (!place_object(&place, NEED_OPTIONAL))
		return;
	members = members_of(&place);
	while (members_next(&members, &member))
		limits_set(limits, list, member.name, place_integer(&place, member.name, -1, 0, LIMIT_MAX));
}

void
limits_parse(const struct place *place, struct limits *limits)
{
	*limits = (struct limits){.total = -1};
	if (!place_object(place, NEED_REQUIRED))
		return;
	document_check_kind(place, "limits", NEED_REQUIRED);
	limits_parse_list(place, "providers", limits, &limits->providers);
	limits_parse_list(place, "tenants", limits, &limits->tenants);
	limits->total = place_integer(place, "total", -1, 0, LIMIT_MAX);
}

static void
limits_print_list(struct print *print, const char *name, const struct limit_list *list)
{
	struct print inner;

	if (list->count == 0)
		return;
	print_name(print, name);
	print_begin(&inner, (jv){0}, print->out);
	for (size_t i = 0; i < list->count; i++)
		print_integer(&inner, list->list[i].name, list->list[i].max);
	print_close(&inner);
}

void
limits_print(const struct limits *limits, struct buffer *out)
{
	struct print print;

	print_begin(&print, (jv){0}, out);
	print_string(&print, "kind", "limits");
	limits_print_list(&print, "providers", &limits->providers);
	limits_print_list(&print, "tenants", &limits->tenants);
	if (limits->total >= 0)
		print_integer(&print, "total", limits->total);
	print_end(&print);
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
	arena_release(&limits->arena);
	free(limits->providers.list);
	free(limits->tenants.list);
	*limits = (struct limits){.total = -1};
}
