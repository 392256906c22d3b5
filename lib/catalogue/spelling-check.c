/* SPDX-License-Identifier: Apache-2.0 */
#include "catalogue/spelling-check.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/suggest.h"
#include "catalogue/validate.h"
#include "model/document.h"

static void spelling_check_object(const struct document *document, const struct place *place);

static void
spelling_check_name(const struct document *document, const struct place *member)
{
	const char **names = memory_zeroed(document->count + 1, sizeof *names), *near;

	for (size_t i = 0; i < document->count; i++)
		names[i] = document->members[i].name;
	near = suggest_word(member->name, names);
	if (near)
		place_problem(member, "nothing reads this member; did you mean \"%s\"?", near);
	free(names);
}

/* The elements of a list, or the members of a map or of a row with functions of its own, are as the row's inner table says. */
static void
spelling_check_elements(const struct member *row, const struct place *place)
{
	struct members members;
	struct place element;

	for (size_t i = 0; jv_get_kind(place->value) == JV_KIND_ARRAY && i < json_length(place->value); i++) {
		element = place_element(place, i);
		spelling_check_object(row->inner, &element);
	}
	if (jv_get_kind(place->value) != JV_KIND_OBJECT)
		return;
	members = members_of(place);
	while (members_next(&members, &element))
		spelling_check_object(row->inner, &element);
}

static void
spelling_check_object(const struct document *document, const struct place *place)
{
	struct members members;
	struct place member;

	if (jv_get_kind(place->value) != JV_KIND_OBJECT || document->unknown)
		return;
	members = members_of(place);
	while (members_next(&members, &member)) {
		const struct member *row = document_member(document, member.name);

		if (!row)
			spelling_check_name(document, &member);
		else if (row->inner && (row->type == TYPE_OBJECT || row->type == TYPE_TEXT))
			spelling_check_object(row->inner, &member);
		else if (row->inner)
			spelling_check_elements(row, &member);
	}
}

void
spelling_check(const char *kind, const struct place *place)
{
	const struct document *tables[2];

	if (validate_tables(kind, tables) && !tables[1])
		spelling_check_object(tables[0], place);
}
