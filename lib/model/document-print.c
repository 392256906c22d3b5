/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "model/amounts.h"
#include "model/document.h"
#include "model/print.h"

static void
document_print_text(const struct member *member, const char *text, struct print *print)
{
	if (text)
		print_string(print, member->name, text);
	else if (member->flags & MEMBER_OMITTED)
		print_absent(print, member->name);
	else
		print_string(print, member->name, NULL);
}

static void
document_print_json(const struct member *member, const char *text, struct print *print)
{
	if (!text)
		text = member->otherwise;
	if (text)
		print_json(print, member->name, text);
	else
		print_absent(print, member->name);
}

static void
document_print_time(const struct member *member, int64_t ms, struct print *print)
{
	char text[CLOCK_RFC3339_SIZE];

	print_string(print, member->name, clock_rfc3339(ms, text));
}

static void
document_print_strings(const struct member *member, const struct string_list *list, struct print *print)
{
	if (list->count == 0 && (member->flags & MEMBER_OMITTED))
		print_absent(print, member->name);
	else
		print_strings(print, member->name, list);
}

static void
document_print_inner(const struct member *member, const void *field, struct print *print)
{
	const struct document *inner = member->inner;

	if (inner->is_verbatim) {
		print_value(print, member->name, *(const jv *)((const char *)field + inner->source));
		return;
	}
	print_name(print, member->name);
	document_append(inner, field, print->out);
}

static void
document_print_elements(const struct member *member, const void *from, struct print *print)
{
	size_t count = *(const size_t *)((const char *)from + member->count);
	const char *list = *(const char *const *)((const char *)from + member->offset);

	if (count == 0 && (member->flags & MEMBER_OMITTED)) {
		print_absent(print, member->name);
		return;
	}
	print_name(print, member->name);
	buffer_byte(print->out, '[');
	for (size_t i = 0; i < count; i++) {
		if (i)
			buffer_byte(print->out, ',');
		document_append(member->inner, list + i * member->inner->size, print->out);
	}
	buffer_byte(print->out, ']');
}

void
document_print_member(const struct member *member, const void *from, struct print *print)
{
	const void *field = (const char *)from + member->offset;

	switch (member->type) {
	case TYPE_KIND:
		print_string(print, "kind", member->otherwise);
		break;
	case TYPE_STRING:
	case TYPE_NAME:
		document_print_text(member, *(const char *const *)field, print);
		break;
	case TYPE_WORD:
		document_print_text(member, member->word_name(*(const int *)field), print);
		break;
	case TYPE_TIME:
		document_print_time(member, *(const int64_t *)field, print);
		break;
	case TYPE_INTEGER:
		if (*(const int64_t *)field == 0 && (member->flags & MEMBER_OMITTED))
			print_absent(print, member->name);
		else
			print_integer(print, member->name, *(const int64_t *)field);
		break;
	case TYPE_NUMBER:
		print_number(print, member->name, *(const double *)field);
		break;
	case TYPE_BOOLEAN:
		if (*(const bool *)field == (bool)member->integer.otherwise && (member->flags & MEMBER_OMITTED))
			print_absent(print, member->name);
		else
			print_json(print, member->name, *(const bool *)field ? "true" : "false");
		break;
	case TYPE_NAMES:
	case TYPE_SET:
	case TYPE_STRINGS:
		document_print_strings(member, field, print);
		break;
	case TYPE_AMOUNTS:
		if (((const struct amounts *)field)->count == 0 && (member->flags & MEMBER_OMITTED))
			print_absent(print, member->name);
		else
			print_amounts(print, member->name, field);
		break;
	case TYPE_VALUE:
		print_value(print, member->name, *(const jv *)field);
		break;
	case TYPE_TEXT:
		document_print_json(member, *(const char *const *)field, print);
		break;
	case TYPE_OBJECT:
		document_print_inner(member, field, print);
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
		    (member->is_printed && !member->is_printed(from)))
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
