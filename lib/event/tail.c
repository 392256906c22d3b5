/* SPDX-License-Identifier: Apache-2.0 */
#include "event/tail.h"

#include <string.h>

#include "base/memory.h"
#include "base/printable.h"

enum { LINE_BYTES = 200 };

void
tail_append(struct tail *tail, const char *bytes, size_t length)
{
	buffer_append(&tail->kept, bytes, length);
	/* Dropping moves what is kept: once for as much again. */
	if (tail->kept.length > 2 * TAIL_BYTES) {
		size_t surplus = tail->kept.length - TAIL_BYTES;

		tail->dropped += surplus;
		buffer_drop(&tail->kept, surplus);
	}
}

void
tail_release(struct tail *tail)
{
	buffer_release(&tail->kept);
}

static bool
tail_is_continuation(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

jv
tail_text(const struct tail *tail)
{
	size_t length = tail->kept.length, start = length > TAIL_BYTES ? length - TAIL_BYTES : 0;
	struct buffer text = {0};
	jv value;

	if (start + tail->dropped > 0)
		while (start < length && tail_is_continuation(tail->kept.data[start]))
			start++;
	for (size_t i = start; i < length; i++)
		if (tail->kept.data[i])
			buffer_byte(&text, tail->kept.data[i]);
		else
			buffer_text(&text, "\xef\xbf\xbd");
	value = text.length ? jv_string_sized(text.data, (int)text.length) : jv_string("");
	buffer_release(&text);
	return value;
}

/* Finds the last line that ends at or before end and holds something: *start, and where it ends; 0 if there is none. */
static size_t
tail_find_line(const char *text, size_t end, size_t *start)
{
	while (end > 0 && (text[end - 1] == '\n' || text[end - 1] == ' ' || text[end - 1] == '\r'))
		end--;
	for (*start = end; *start > 0 && text[*start - 1] != '\n'; (*start)--)
		;
	return end;
}

char *
tail_last_line_with(const struct tail *tail, const char *with)
{
	const char *text = tail->kept.data;
	size_t start, last, length, end = tail_find_line(text, tail->kept.length, &start);
	char *line;

	for (last = end; with && last > 0; last = tail_find_line(text, start, &start))
		if (memmem(text + start, last - start, with, strlen(with)))
			break;
	if (with && last > 0)
		end = last;
	else
		end = tail_find_line(text, tail->kept.length, &start);
	length = end - start < LINE_BYTES ? end - start : LINE_BYTES;
	while (length > 0 && length < end - start && tail_is_continuation(text[start + length]))
		length--;
	line = memory_printf("%.*s%s", (int)length, length ? text + start : "", length < end - start ? "..." : "");
	printable(line);
	return line;
}

char *
tail_last_line(const struct tail *tail)
{
	return tail_last_line_with(tail, NULL);
}
