/* SPDX-License-Identifier: Apache-2.0 */
#include "json/dump.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"

/* Prints by libjq: pretty text, and numbers that are no plain integers. */
static void
dump_by_libjq(jv value, int flags, struct buffer *out)
{
	jv text = jv_dump_string(jv_copy(value), flags);

	buffer_text(out, jv_string_value(text));
	jv_free(text);
}

static void
dump_escape(unsigned char c, struct buffer *out)
{
	static const char names[] = "\b\f\n\r\t\"\\", letters[] = "bfnrt\"\\";
	const char *name = memchr(names, c, sizeof names - 1);

	if (name)
		buffer_printf(out, "\\%c", letters[name - names]);
	else
		buffer_printf(out, "\\u%04x", c);
}

static void
dump_string(const char *text, size_t length, struct buffer *out)
{
	const char *end = text + length;

	buffer_byte(out, '"');
	while (text < end) {
		const char *start = text;

		/* jv_dump prints these as they are: all but quotes, backslashes and control characters. */
		while (text < end && (unsigned char)*text >= 0x20 && *text != '"' && *text != '\\' && *text != 0x7f)
			text++;
		buffer_append(out, start, (size_t)(text - start));
		if (text < end)
			dump_escape((unsigned char)*text++, out);
	}
	buffer_byte(out, '"');
}

void
json_quote(const char *text, struct buffer *out)
{
	dump_string(text, strlen(text), out);
}

/* Most numbers are such, and printf is slow at them. */
static void
dump_append_integer(unsigned long long number, struct buffer *out)
{
	char digits[24];
	size_t start = sizeof digits;

	do
		digits[--start] = (char)('0' + number % 10);
	while ((number /= 10) > 0);
	buffer_append(out, digits + start, sizeof digits - start);
}

void
json_number(double number, struct buffer *out)
{
	if (!signbit(number) && number < 1e15 && number == (double)(long long)number)
		dump_append_integer((unsigned long long)number, out);
	else
		dump_by_libjq(jv_number(number), 0, out);
}

static size_t
dump_length(jv string)
{
	return (size_t)jv_string_length_bytes(jv_copy(string));
}

struct dump_member {
	jv name, value;
};

/* The order of libjq: that of the bytes. */
static int
dump_compare(const void *a, const void *b)
{
	const struct dump_member *x = a, *y = b;
	size_t x_length = dump_length(x->name), y_length = dump_length(y->name);
	int order = memcmp(jv_string_value(x->name), jv_string_value(y->name), x_length < y_length ? x_length : y_length);

	return order ? order : (x_length > y_length) - (x_length < y_length);
}

static void
dump_object(jv object, struct buffer *out)
{
	struct dump_member *members = memory_zeroed((size_t)jv_object_length(jv_copy(object)), sizeof *members);
	bool sorted = true;
	size_t count = 0;

	for (int i = jv_object_iter(object); jv_object_iter_valid(object, i); i = jv_object_iter_next(object, i)) {
		members[count] = (struct dump_member){jv_object_iter_key(object, i), jv_object_iter_value(object, i)};
		sorted = sorted && (count == 0 || dump_compare(&members[count - 1], &members[count]) < 0);
		count++;
	}
	if (!sorted)
		qsort(members, count, sizeof *members, dump_compare);
	buffer_byte(out, '{');
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			buffer_byte(out, ',');
		dump_string(jv_string_value(members[i].name), dump_length(members[i].name), out);
		buffer_byte(out, ':');
		json_dump(members[i].value, out);
		jv_free(members[i].name);
		jv_free(members[i].value);
	}
	buffer_byte(out, '}');
	free(members);
}

static void
dump_array(jv array, struct buffer *out)
{
	int count = jv_array_length(jv_copy(array));

	buffer_byte(out, '[');
	for (int i = 0; i < count; i++) {
		jv element = jv_array_get(jv_copy(array), i);

		if (i > 0)
			buffer_byte(out, ',');
		json_dump(element, out);
		jv_free(element);
	}
	buffer_byte(out, ']');
}

void
json_dump(jv value, struct buffer *out)
{
	switch (jv_get_kind(value)) {
	case JV_KIND_OBJECT:
		dump_object(value, out);
		break;
	case JV_KIND_ARRAY:
		dump_array(value, out);
		break;
	case JV_KIND_STRING:
		dump_string(jv_string_value(value), dump_length(value), out);
		break;
	case JV_KIND_NUMBER:
		json_number(jv_number_value(value), out);
		break;
	default:
		dump_by_libjq(value, 0, out);
	}
}

void
json_dump_pretty(jv value, struct buffer *out)
{
	dump_by_libjq(value, JV_PRINT_SORTED | JV_PRINT_PRETTY | JV_PRINT_INDENT_FLAGS(2), out);
	buffer_byte(out, '\n');
}
