/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "model/amounts.h"
#include "model/document.h"
#include "model/print.h"

/* Tells whether a field holds nothing worth printing: NULL, an empty list, 0 or a boolean's default. */
static bool
document_is_empty(const struct member *member, const void *from)
{
	const void *field = (const char *)from + member->offset;

	switch (member->type) {
	case TYPE_STRING:
	case TYPE_NAME:
		return !*(const char *const *)field;
	case TYPE_WORD:
		return !member->word_name(*(const int *)field);
	case TYPE_INTEGER:
		return *(const int64_t *)field == 0;
	case TYPE_BOOLEAN:
		return *(const bool *)field == (bool)member->integer.otherwise;
	case TYPE_NAMES:
	case TYPE_SET:
	case TYPE_STRINGS:
		return ((const struct string_list *)field)->count == 0;
	case TYPE_AMOUNTS:
		return ((const struct amounts *)field)->count == 0;
	case TYPE_LIST:
		return *(const size_t *)((const char *)from + member->count) == 0;
	default:
		return false;
	}
}

static void
document_print_elements(const struct member *member, const void *from, struct print *print)
{
	size_t count = *(const size_t *)((const char *)from + member->count);
	const char *list = *(const char *const *)((const char *)from + member->offset);

	print_name(print, member->name);
	buffer_byte(print->out, '[');
	for (size_t i = 0; i < count; i++) {
		if (i)
			buffer_byte(print->out, ',');
		document_append(member->inner, list + i * member->inner->size, print->out);
	}
	buffer_byte(print->out, ']');
}

static void
document_print_object(const struct member *member, const void *field, struct print *print)
{
	if (member->inner->is_verbatim) {
		print_value(print, member->name, *(const jv *)((const char *)field + member->inner->source));
		return;
	}
	print_name(print, member->name);
	document_append(member->inner, field, print->out);
}

void
document_print_member(const struct member *member, const void *from, struct print *print)
{
	const void *field = (const char *)from + member->offset;
	const char *name = member->name;
	char time[CLOCK_RFC3339_SIZE];

	switch (member->type) {
	case TYPE_KIND:
		print_string(print, "kind", member->otherwise);
		break;
	case TYPE_STRING:
	case TYPE_NAME:
		print_string(print, name, *(const char *const *)field);
		break;
	case TYPE_WORD:
		print_string(print, name, member->word_name(*(const int *)field));
		break;
	case TYPE_TIME:
		print_string(print, name, clock_rfc3339(*(const int64_t *)field, time));
		break;
	case TYPE_INTEGER:
		print_integer(print, name, *(const int64_t *)field);
		break;
	case TYPE_NUMBER:
		print_number(print, name, *(const double *)field);
		break;
	case TYPE_BOOLEAN:
		print_json(print, name, *(const bool *)field ? "true" : "false");
		break;
	case TYPE_NAMES:
	case TYPE_SET:
	case TYPE_STRINGS:
		print_strings(print, name, field);
		break;
	case TYPE_AMOUNTS:
		print_amounts(print, name, field);
		break;
	case TYPE_VALUE:
		print_value(print, name, *(const jv *)field);
		break;
	case TYPE_TEXT:
		print_json(print, name, *(const char *const *)field ? *(const char *const *)field : member->otherwise);
		break;
	case TYPE_OBJECT:
		document_print_object(member, field, print);
		break;
	case TYPE_LIST:
		document_print_elements(member, from, print);
		break;
	case TYPE_MAP:    /* no document with one is printed from its struct */
	case TYPE_PASSED: /* its source has it */
		break;
	case TYPE_CUSTOM:
		member->print(member, from, print);
		break;
	}
}

void
document_append(const struct document *document, const void *from, struct buffer *out)
{
	jv source = document->has_source ? *(const jv *)((const char *)from + document->source) : (jv){0};
	unsigned variant = document->variant ? document->variant(from) : 0;
	struct print print;

	if (document->is_verbatim) {
		json_dump(source, out);
		return;
	}
	print_begin(&print, source, out);
	for (const struct member *member = document->members; member < document->members + document->count; member++) {
		if (member->variants && !(member->variants & variant))
			continue;
		if ((member->present && !*(const bool *)((const char *)from + member->present)) ||
		    (member->is_printed && !member->is_printed(from)) ||
		    ((member->flags & MEMBER_OMITTED) && document_is_empty(member, from)))
			print_absent(&print, member->name);
		else
			document_print_member(member, from, &print);
	}
	print_close(&print);
}

void
document_print(const struct document *document, const void *from, struct buffer *out)
{
	document_append(document, from, out);
	buffer_byte(out, '\n');
}
