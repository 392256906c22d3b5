/* SPDX-License-Identifier: Apache-2.0 */
#include "model/print.h"

#include <inttypes.h>
#include <string.h>

#include "base/buffer.h"
#include "model/amounts.h"

void
print_begin(struct print *print, jv source, struct buffer *out)
{
	*print = (struct print){.out = out, .source = source, .empty = true};
	if (jv_get_kind(source) == JV_KIND_OBJECT) {
		print->keys = jv_keys(jv_copy(source));
		print->count = json_length(print->keys);
	}
	buffer_byte(out, '{');
}

static void
print_start(struct print *print, const char *name)
{
	if (!print->empty)
		buffer_byte(print->out, ',');
	print->empty = false;
	json_quote(name, print->out);
	buffer_byte(print->out, ':');
}

/* The members of source whose names come before name (NULL: all that are left); one of that very name is dropped. */
static void
print_pass_on(struct print *print, const char *name)
{
	while (print->index < print->count) {
		jv key = jv_array_get(jv_copy(print->keys), (int)print->index);
		int order = name ? strcmp(jv_string_value(key), name) : -1;

		if (order < 0) {
			jv value = json_get(print->source, jv_string_value(key));

			print_start(print, jv_string_value(key));
			json_dump(value, print->out);
			jv_free(value);
		}
		jv_free(key);
		if (order > 0)
			return;
		print->index++;
	}
}

void
print_name(struct print *print, const char *name)
{
	print_pass_on(print, name);
	print_start(print, name);
}

void
print_absent(struct print *print, const char *name)
{
	print_pass_on(print, name);
}

static void
print_append_string(const char *text, struct buffer *out)
{
	if (text)
		json_quote(text, out);
	else
		buffer_text(out, "null");
}

void
print_string(struct print *print, const char *name, const char *text)
{
	print_name(print, name);
	print_append_string(text, print->out);
}

void
print_integer(struct print *print, const char *name, int64_t number)
{
	print_number(print, name, (double)number);
}

void
print_number(struct print *print, const char *name, double number)
{
	print_name(print, name);
	json_number(number, print->out);
}

void
print_strings(struct print *print, const char *name, const struct string_list *list)
{
	print_name(print, name);
	if (!list) {
		buffer_text(print->out, "null");
		return;
	}
	buffer_byte(print->out, '[');
	for (size_t i = 0; i < list->count; i++) {
		if (i)
			buffer_byte(print->out, ',');
		print_append_string(list->list[i], print->out);
	}
	buffer_byte(print->out, ']');
}

void
print_amounts(struct print *print, const char *name, const struct amounts *amounts)
{
	struct print members;

	print_name(print, name);
	print_begin(&members, (jv){0}, print->out);
	for (size_t i = 0; i < amounts->count; i++)
		if (amounts->list[i].exact)
			print_string(&members, amounts->list[i].resource, amounts->list[i].exact);
		else
			print_number(&members, amounts->list[i].resource, amounts->list[i].value);
	print_close(&members);
}

void
print_value(struct print *print, const char *name, jv value)
{
	if (!jv_is_valid(value)) {
		print_absent(print, name);
		return;
	}
	print_name(print, name);
	json_dump(value, print->out);
}

void
print_json(struct print *print, const char *name, const char *text)
{
	if (!text) {
		print_absent(print, name);
		return;
	}
	print_name(print, name);
	buffer_text(print->out, text);
}

void
print_close(struct print *print)
{
	print_pass_on(print, NULL);
	jv_free(print->keys);
	buffer_byte(print->out, '}');
}

void
print_end(struct print *print)
{
	print_close(print);
	buffer_byte(print->out, '\n');
}
