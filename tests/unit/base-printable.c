/* SPDX-License-Identifier: Apache-2.0 */
#include "base/printable.h"

#include <stdlib.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "tap.h"

struct sample {
	const char *text, *shown;
	size_t columns;
};

static const struct sample samples[] = {
	{"", "", 0},
	{"plain text", "plain text", 10},
	{"a\033[2Jb", "a?[2Jb", 6},
	{"a\nb\tc\x7f\r", "a b c??", 7},
	{"\302\233" "2J", "?2J", 3},                 /* CSI as one character of C1 */
	{"\342\200\256abc", "?abc", 4},              /* right-to-left override */
	{"caf\303\251", "caf\303\251", 4},
	{"\346\227\245\346\234\254", "\346\227\245\346\234\254", 4}, /* two columns each */
	{"\377\303", "??", 2},
	{"e\314\201", "e\314\201", 1},               /* a combining accent takes no column */
};

static void
try_lines(void)
{
	struct buffer out = {0};

	printable_line("so\nand \033[2Jso\r\n\n", &out);
	tap_is_text(out.data, "so and ?[2Jso", "a text is one line");
	printable_line("", &out);
	printable_line("\n", &out);
	tap_is_text(out.data, "so and ?[2Jso", "of nothing there is nothing");
	buffer_clear(&out);
	printable_lines("| ", "one\n\n\033two", &out);
	tap_is_text(out.data, "| one\n| \n| ?two\n", "lines have a prefix, all of them");
	buffer_clear(&out);
	printable_lines("| ", "one\n", &out);
	tap_is_text(out.data, "| one\n", "the end of a line begins no other");
	buffer_release(&out);
}

int
main(void)
{
	for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
		char *text = memory_string(samples[i].text);
		size_t columns = printable(text);

		tap_is_text(text, samples[i].shown, "what would drive a terminal is a question mark: %s", text);
		tap_is_number(columns, samples[i].columns, "its columns are counted: %zu", columns);
		free(text);
	}
	tap_is_number(printable_prefix("caf\303\251s", 4), 5, "a prefix is measured in columns");
	tap_is_number(printable_prefix("\346\227\245\346\234\254", 3), 3, "and cuts no character");
	try_lines();
	return tap_end();
}
