/* SPDX-License-Identifier: Apache-2.0 */
#include "event/tail.h"

#include <stdlib.h>

#include "tap.h"

static void
append(struct tail *tail, const char *text)
{
	tail_append(tail, text, strlen(text));
}

static void
test_text(void)
{
	struct tail tail = {0};
	jv text;

	text = tail_text(&tail);
	tap_is_text(jv_string_value(text), "", "nothing is the empty string");
	jv_free(text);
	append(&tail, "one\n");
	tail_append(&tail, "two\0\xff", 5);
	text = tail_text(&tail);
	tap_is_text(jv_string_value(text), "one\ntwo\xef\xbf\xbd\xef\xbf\xbd", "what no text can hold is U+FFFD");
	jv_free(text);
	tail_release(&tail);
}

static void
test_long(void)
{
	struct tail tail = {0};
	bool bounded = true;
	const char *start;
	jv text;

	for (int i = 0; i < 100000; i++) {
		append(&tail, "€");
		bounded = bounded && tail.kept.length <= 2 * TAIL_BYTES;
	}
	append(&tail, "end");
	text = tail_text(&tail);
	start = jv_string_value(text);
	tap_ok(bounded, "memory does not grow with the text");
	tap_ok(strlen(start) <= TAIL_BYTES && strlen(start) > TAIL_BYTES - 4, "8 KiB are kept, less what is half a character");
	tap_ok(strncmp(start, "€", 3) == 0, "they begin with a whole character");
	tap_ok(strcmp(start + strlen(start) - 6, "€end") == 0, "they end with the end");
	jv_free(text);
	tail_release(&tail);
}

static void
test_line(void)
{
	static const char *const cases[][3] = {
		{"", "", "of nothing there is no last line"},
		{"one", "one", "a line need not end"},
		{"one\ntwo\n", "two", "the last one counts"},
		{"one\ntwo\n \n\r\n", "two", "empty ones do not"},
		{"\x1b[31mred", "?[31mred", "control characters are shown as ?"},
	};
	struct tail tail = {0};
	char *line;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		append(&tail, cases[i][0]);
		line = tail_last_line(&tail);
		tap_is_text(line, cases[i][1], "%s", cases[i][2]);
		free(line);
		tail_release(&tail);
	}
	for (int i = 0; i < 300; i++)
		append(&tail, "ä");
	line = tail_last_line(&tail);
	tap_ok(strlen(line) == 203 && strcmp(line + 198, "ä...") == 0, "a long one is cut, between characters");
	free(line);
	tail_release(&tail);
}

int
main(void)
{
	test_text();
	test_long();
	test_line();
	return tap_end();
}
