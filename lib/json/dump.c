/* SPDX-License-Identifier: Apache-2.0 */
#include "json/dump.h"

#include <math.h>
#include <string.h>

#include "base/buffer.h"

static void
dump(jv value, int flags, struct buffer *out)
{
	jv text = jv_dump_string(jv_copy(value), flags);

	buffer_text(out, jv_string_value(text));
	jv_free(text);
}

void
json_dump(jv value, struct buffer *out)
{
	dump(value, JV_PRINT_SORTED, out);
}

void
json_dump_pretty(jv value, struct buffer *out)
{
	dump(value, JV_PRINT_SORTED | JV_PRINT_PRETTY | JV_PRINT_INDENT_FLAGS(2), out);
	buffer_byte(out, '\n');
}

static void
dump_escape(unsigned char c, struct buffer *out)
{
	static const char names[] = "\b\f\n\r\t\"\\", letters[] = "bfnrt\"\\";
	const char *name = strchr(names, c);

	if (name)
		buffer_printf(out, "\\%c", letters[name - names]);
	else
		buffer_printf(out, "\\u%04x", c);
}

void
json_quote(const char *text, struct buffer *out)
{
	buffer_byte(out, '"');
	while (*text) {
		const char *start = text;

		/* What jv_dump prints as it is: all but quotes, backslashes and control characters. */
		while ((unsigned char)*text >= 0x20 && *text != '"' && *text != '\\' && *text != 0x7f)
			text++;
		buffer_append(out, start, (size_t)(text - start));
		if (*text)
			dump_escape((unsigned char)*text++, out);
	}
	buffer_byte(out, '"');
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
		dump(jv_number(number), 0, out);
}
