/* SPDX-License-Identifier: Apache-2.0 */
#include "model/document.h"

#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/option.h"
#include "base/suggest.h"
#include "model/amounts.h"
#include "model/name.h"

enum { MEMBERS_MAX = 64 };

static void document_parse_rows(const struct document *document, const struct place *place, struct arena *arena, void *to);

/* The field of a row, as a value of any type. */
static void *
document_field(const struct member *member, void *to)
{
	return (char *)to + member->offset;
}

static void
document_set_text(const struct member *member, void *to, const char *text)
{
	*(const char **)document_field(member, to) = text ? text : member->otherwise;
}

static void
document_check_constant(const struct place *place, const char *kind, bool is_required)
{
	const char *text = json_string(place->value);

	if (!is_required && !place_present(place))
		return;
	if (!text)
		place_problem(place, "expected \"%s\", found %s", kind, json_kind_name(place->value));
	else if (strcmp(text, kind) != 0)
		place_problem(place, "expected \"%s\", found \"%.80s\"", kind, text);
}

void
document_check_kind(const struct place *place, const char *kind, enum need need)
{
	struct place member = place_member(place, "kind");

	document_check_constant(&member, kind, need == NEED_REQUIRED);
}

static void
document_parse_string(const struct member *member, const struct place *place, enum need need, struct arena *arena, void *to)
{
	const char *text = json_string(place->value);
	bool blank = (member->flags & MEMBER_BLANK) && text && !text[strspn(text, " \t\r\n")];

	if (member->type == TYPE_NAME && !blank)
		text = name_read(place, need, arena);
	else if (blank || !place_text(place, need))
		text = NULL;
	else if (member->is_valid && !member->is_valid(text)) {
		place_problem(place, "\"%.80s\" is %s", text, member->what);
		text = NULL;
	} else
		text = arena_string(arena, text);
	document_set_text(member, to, text);
}

static void
document_parse_word(const struct member *member, const struct place *place, enum need need, void *to)
{
	int word = -1;

	if (place_text(place, need)) {
		word = member->word_find(json_string(place->value));
		if (word < 0)
			place_problem(place, "\"%.80s\" is %s", json_string(place->value), member->what);
	}
	*(int *)document_field(member, to) = word < 0 ? (int)member->integer.otherwise : word;
}

static void
document_parse_time(const struct member *member, const struct place *place, enum need need, void *to)
{
	int64_t *ms = document_field(member, to);

	*ms = place_text(place, need) ? clock_parse_rfc3339(json_string(place->value)) : 0;
	if (*ms < 0)
		place_problem(place, "\"%.80s\" is not a time like \"2026-11-21T10:00:00.123Z\"", json_string(place->value));
}

static void
document_parse_number(const struct member *member, const struct place *place, enum need need, void *to)
{
	void *field = document_field(member, to);

	if (need == NEED_REQUIRED && !place_present(place))
		place_problem(place, "expected number, found %s", json_kind_name(place->value));
	if (member->type == TYPE_INTEGER) {
		bool is_free = !member->integer.least && !member->integer.most;

		*(int64_t *)field = place_read_integer(place, member->integer.otherwise, member->integer.least,
		    is_free ? INT64_MAX : member->integer.most);
	} else {
		bool is_free = member->number.most == 0;

		*(double *)field = place_read_number(place, member->number.otherwise, member->number.least,
		    is_free ? AMOUNT_MAX : member->number.most);
	}
}

static void
document_parse_text(const struct member *member, const struct place *place, enum need need, struct arena *arena, void *to)
{
	struct buffer text = {0};

	document_set_text(member, to, NULL);
	if (!place_object(place, need))
		return;
	if (member->inner)
		document_validate(member->inner, place, arena);
	json_dump(place->value, &text);
	document_set_text(member, to, arena_substring(arena, text.data, text.length));
	buffer_release(&text);
}

/* Takes the elements of a list, or of a map those that are objects and whose keys are fine. */
static void
document_parse_elements(const struct member *member, const struct place *place, struct arena *arena, void *to)
{
	const struct document *inner = member->inner;
	const struct member *key = NULL; /* the row of a map's key */
	size_t length = json_length(place->value), *count = (size_t *)((char *)to + member->count);
	struct members members = {0};
	char *list = arena_alloc(arena, length, inner->size);
	struct place from;

	*(void **)document_field(member, to) = list;
	if (member->type == TYPE_MAP) {
		for (key = inner->members; !(key->flags & MEMBER_KEY);)
			key++;
		members = members_of(place);
	}
	for (size_t i = 0; key ? members_next(&members, &from) : i < length; i++) {
		void *element = list + *count * inner->size;

		if (!key)
			from = place_element(place, i);
		if (key && key->is_valid && !key->is_valid(from.name)) {
			place_problem(&from, "\"%.80s\" is %s", from.name, key->what);
			continue;
		}
		document_parse(inner, &from, arena, element);
		if (key)
			document_set_text(key, element, arena_string(arena, from.name));
		*count += !key || jv_get_kind(from.value) == JV_KIND_OBJECT;
	}
}

static void
document_parse_strings(const struct member *member, const struct place *place, enum need need, struct arena *arena, void *to)
{
	struct string_list *list = document_field(member, to);

	if (member->type != TYPE_STRINGS)
		*list = name_read_list(place, need, arena);
	else if (place_array(place, need))
		*list = place_read_strings(place, arena);
	if (member->type == TYPE_SET)
		name_set_make(list);
}

static void
document_parse_object(const struct member *member, const struct place *place, enum need need, struct arena *arena, void *to)
{
	if (place_present(place) || need == NEED_REQUIRED)
		document_parse(member->inner, place, arena, document_field(member, to));
	else
		document_parse_rows(member->inner, NULL, arena, document_field(member, to));
}

void
document_parse_member(const struct member *member, const struct place *place, bool is_required, struct arena *arena, void *to)
{
	enum need need = is_required ? NEED_REQUIRED : NEED_OPTIONAL;
	void *field = document_field(member, to);

	switch (member->type) {
	case TYPE_KIND:
		document_check_constant(place, member->otherwise, is_required);
		break;
	case TYPE_STRING:
	case TYPE_NAME:
		document_parse_string(member, place, need, arena, to);
		break;
	case TYPE_WORD:
		document_parse_word(member, place, need, to);
		break;
	case TYPE_TIME:
		document_parse_time(member, place, need, to);
		break;
	case TYPE_INTEGER:
	case TYPE_NUMBER:
		document_parse_number(member, place, need, to);
		break;
	case TYPE_BOOLEAN:
		*(bool *)field = place_read_boolean(place, member->integer.otherwise);
		break;
	case TYPE_NAMES:
	case TYPE_SET:
	case TYPE_STRINGS:
		document_parse_strings(member, place, need, arena, to);
		break;
	case TYPE_AMOUNTS:
		if (place_object(place, need))
			*(struct amounts *)field = amounts_read(place, arena);
		break;
	case TYPE_VALUE:
		*(jv *)field = place_object(place, need) ? place->value : (jv){0};
		break;
	case TYPE_TEXT:
		document_parse_text(member, place, need, arena, to);
		break;
	case TYPE_OBJECT:
		document_parse_object(member, place, need, arena, to);
		break;
	case TYPE_LIST:
	case TYPE_MAP:
		if (member->type == TYPE_LIST ? place_array(place, need) : place_object(place, need))
			document_parse_elements(member, place, arena, to);
		break;
	case TYPE_CUSTOM:
	case TYPE_PASSED:
		if (member->parse)
			member->parse(place, member, arena, to);
		break;
	}
	if (member->present)
		*(bool *)((char *)to + member->present) = place_present(place);
	if (member->check && place_present(place))
		member->check(place);
}

const struct member *
document_member(const struct document *document, const char *name)
{
	for (size_t i = 0; i < document->count; i++)
		if (strcmp(document->members[i].name, name) == 0)
			return &document->members[i];
	return NULL;
}

/* A member that is misspelled would say nothing. */
static void
document_refuse_unknown(const struct document *document, const struct place *place)
{
	const char *names[MEMBERS_MAX] = {0}, *near;
	struct members members = members_of(place);
	struct place member;

	for (size_t i = 0; i < document->count; i++)
		names[i] = document->members[i].name;
	while (members_next(&members, &member)) {
		if (document_member(document, member.name))
			continue;
		near = suggest_word(member.name, names);
		place_problem(&member, "%s%s%s%s", document->unknown, near ? "; did you mean " : "", near ? near : "",
		    near ? "?" : "");
	}
}

/* Parses those members that are parsed first, or all others; what the place has not, gets its default. */
static void
document_parse_some(const struct document *document, bool is_first, const struct place *place, struct arena *arena, void *to)
{
	unsigned variant = !is_first && document->variant ? document->variant(to) : 0;

	for (const struct member *member = document->members; member < document->members + document->count; member++) {
		bool comes_first = member->type == TYPE_KIND || (member->flags & MEMBER_FIRST);
		bool is_required = (member->flags & MEMBER_REQUIRED) || (member->required & variant);
		struct place at;

		if (comes_first != is_first || member->type == TYPE_PASSED || (member->flags & (MEMBER_KEY | MEMBER_UNCHECKED)) ||
		    (member->variants && !(member->variants & variant)))
			continue;
		at = place ? place_member(place, member->name) : (struct place){0};
		document_parse_member(member, &at, place && is_required, arena, to);
	}
}

/* place is NULL where the object is absent: then all members get their defaults. */
static void
document_parse_rows(const struct document *document, const struct place *place, struct arena *arena, void *to)
{
	document_parse_some(document, true, place, arena, to);
	if (place && document->unknown)
		document_refuse_unknown(document, place);
	document_parse_some(document, false, place, arena, to);
}

void
document_parse(const struct document *document, const struct place *place, struct arena *arena, void *to)
{
	bool is_object = place_object(place, NEED_REQUIRED);

	if (document->size)
		memset(to, 0, document->size);
	if (is_object && document->has_source)
		*(jv *)((char *)to + document->source) = jv_copy(place->value);
	document_parse_rows(document, is_object ? place : NULL, arena, to);
	if (is_object && document->check)
		document->check(place, arena, to);
}

void
document_validate(const struct document *document, const struct place *place, struct arena *arena)
{
	void *scratch = arena_alloc(arena, 1, document->size);

	document_parse(document, place, arena, scratch);
	document_release(document, scratch);
}

void
document_release(const struct document *document, void *to)
{
	if (document->release)
		document->release(to);
	for (const struct member *member = document->members; member < document->members + document->count; member++) {
		char *field = document_field(member, to);

		if (member->type == TYPE_OBJECT)
			document_release(member->inner, field);
		if (member->type != TYPE_LIST && member->type != TYPE_MAP)
			continue;
		for (size_t i = 0; i < *(size_t *)((char *)to + member->count); i++)
			document_release(member->inner, *(char **)field + i * member->inner->size);
	}
	if (document->has_source)
		jv_free(*(jv *)((char *)to + document->source));
	if (document->size)
		memset(to, 0, document->size);
}
