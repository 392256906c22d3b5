/* SPDX-License-Identifier: Apache-2.0 */
#include "base/printable.h"

#include <locale.h>
#include <stdbool.h>
#include <string.h>
#include <wchar.h>

#include "base/buffer.h"

/* Returns whether a character drives a terminal or turns the direction of writing. */
static bool
printable_is_control(wchar_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x202a && c <= 0x202e) ||
	    (c >= 0x2066 && c <= 0x2069);
}

/* Makes the C library read UTF-8 in this thread; returns the locale before. */
static locale_t
printable_enter_utf8(void)
{
	static locale_t utf8;

	if (!utf8)
		utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", NULL);
	return utf8 ? uselocale(utf8) : (locale_t)0;
}

static void
printable_leave_utf8(locale_t before)
{
	if (before)
		uselocale(before);
}

/* Reads the next character of text. Returns its length in bytes; *width gets its columns, *shown whether it may be printed. */
static size_t
printable_next_character(const char *text, size_t length, size_t *width, bool *shown)
{
	mbstate_t state = {0};
	wchar_t c;
	size_t n = mbrtowc(&c, text, length, &state);
	bool whole = n != (size_t)-1 && n != (size_t)-2;
	int columns = whole ? wcwidth(c) : 1;

	*shown = whole && !printable_is_control(c);
	*width = !*shown || columns < 0 ? 1 : (size_t)columns;
	return whole && n ? n : 1;
}

/* Returns how many bytes text begins with that are a column each, and may be printed. */
static size_t
printable_plain(const char *text)
{
	size_t length = 0;

	while (text[length] >= ' ' && text[length] < 0x7f)
		length++;
	return length;
}

size_t
printable(char *text)
{
	size_t length = strlen(text), width = printable_plain(text), to = width;
	locale_t before;

	if (width == length) /* most texts */
		return width;
	before = printable_enter_utf8();
	for (size_t from = width; from < length;) {
		size_t columns;
		bool shown;
		size_t n = printable_next_character(text + from, length - from, &columns, &shown);

		if (shown) {
			memmove(text + to, text + from, n);
			to += n;
		} else {
			text[to++] = text[from] == '\t' || text[from] == '\n' ? ' ' : '?';
		}
		from += n;
		width += columns;
	}
	text[to] = '\0';
	printable_leave_utf8(before);
	return width;
}

size_t
printable_prefix(const char *text, size_t columns)
{
	size_t length = strlen(text), from = 0, width = 0;
	locale_t before = printable_enter_utf8();

	while (from < length) {
		size_t wide;
		bool shown;
		size_t n = printable_next_character(text + from, length - from, &wide, &shown);

		if (width + wide > columns)
			break;
		width += wide;
		from += n;
	}
	printable_leave_utf8(before);
	return from;
}

static void
printable_append(const char *text, size_t length, struct buffer *out)
{
	size_t start = out->length;

	buffer_append(out, text, length);
	printable(out->data + start);
	out->length = start + strlen(out->data + start);
}

void
printable_line(const char *text, struct buffer *out)
{
	size_t length = strlen(text);

	while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == '\r'))
		length--;
	printable_append(text, length, out);
}

void
printable_lines(const char *prefix, const char *text, struct buffer *out)
{
	for (const char *end; *text; text = *end ? end + 1 : end) {
		end = text + strcspn(text, "\n");
		buffer_text(out, prefix);
		printable_append(text, (size_t)(end - text), out);
		buffer_byte(out, '\n');
	}
}
