/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/shell-words.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/process.h"
#include "tap.h"

/* What a shell makes of the word that shell_words_quote gives; appended to out. */
static bool
through(const char *shell, const char *bytes, size_t length, struct buffer *out)
{
	struct buffer script = {0};
	struct error err;
	char *argv[] = {(char *)(uintptr_t)shell, NULL};
	int code;

	buffer_text(&script, "printf %s ");
	shell_words_quote_bytes(bytes, length, &script);
	buffer_byte(&script, '\n');
	buffer_clear(out);
	code = process_run(argv, script.data, script.length, out, NULL, 1 << 20, &err);
	buffer_release(&script);
	return code == 0;
}

static bool
survives(const char *shell, const char *bytes, size_t length)
{
	struct buffer out = {0};
	bool same = through(shell, bytes, length, &out) && out.length == length &&
	    (length == 0 || memcmp(out.data, bytes, length) == 0);

	buffer_release(&out);
	return same;
}

static void
test_quote(const char *shell)
{
	char all[255 * 4], random[400];
	bool every = true, mixed = true;
	unsigned state = 1;

	for (int i = 0; i < 255; i++) {
		char one = (char)(i + 1);

		all[4 * i] = all[4 * i + 3] = one;
		all[4 * i + 1] = '\'';
		all[4 * i + 2] = '\\';
		every = every && survives(shell, &one, 1);
	}
	tap_ok(every, "%s: each byte but NUL is itself", shell);
	tap_ok(survives(shell, all, sizeof all), "%s: all of them in one word, among quotes and backslashes", shell);
	tap_ok(survives(shell, "", 0), "%s: the empty word is a word", shell);
	for (int round = 0; round < 100; round++) {
		for (size_t i = 0; i < sizeof random; i++)
			random[i] = (char)((state = state * 1103515245 + 12345) >> 16 & 255 ? state >> 16 : 1);
		for (size_t i = 0; i < sizeof random; i++)
			random[i] = random[i] ? random[i] : 'x';
		mixed = mixed && survives(shell, random, sizeof random);
	}
	tap_ok(mixed, "%s: 100 random words", shell);
}

/* The words of line, each in brackets; "error" where it has none. */
static char *
split(const char *line)
{
	struct arguments words = {0};
	struct buffer text = {0};
	struct error err;

	buffer_text(&text, "");
	if (shell_words_split(line, &words, &err) < 0) {
		buffer_text(&text, "error");
		if (err.code != EX_CONFIG)
			buffer_text(&text, " of another code");
	} else {
		for (size_t i = 0; i < words.count; i++)
			buffer_printf(&text, "[%s]", words.list[i]);
	}
	arguments_release(&words);
	return buffer_take(&text);
}

static void
test_split(void)
{
	static const char *const cases[][3] = {
		{"", "", "nothing is no word"},
		{" \t\n ", "", "blanks are no word"},
		{"one two", "[one][two]", "blanks part words"},
		{"  one\ttwo \n", "[one][two]", "however many"},
		{"'one two' three", "[one two][three]", "single quotes take blanks in"},
		{"\"one two\"three", "[one twothree]", "double quotes too, and words go on behind them"},
		{"one\\ two", "[one two]", "so does a backslash"},
		{"'' \"\"", "[][]", "quotes around nothing are a word"},
		{"'a\\b' \"a\\b\" \"a\\\"b\\\\\\$\"", "[a\\b][a\\b][a\"b\\$]", "a backslash is text in single quotes, nearly so in double"},
		{"a\\\nb \"c\\\nd\"", "[ab][cd]", "a backslash takes a newline away"},
		{"$HOME `id` $(id) ; | & > # *", "[$HOME][`id`][$(id)][;][|][&][>][#][*]", "nothing is expanded"},
		{"'open", "error", "an open single quote is an error"},
		{"\"open", "error", "an open double quote too"},
		{"\"open\\", "error", "also behind a backslash"},
		{"a\\", "error", "and a backslash at the end"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *found = split(cases[i][0]);

		tap_is_text(found, cases[i][1], "%s", cases[i][2]);
		free(found);
	}
}

static void
test_both(void)
{
	struct arguments words = {0};
	struct buffer line = {0};
	struct error err;
	char every[256];

	for (int i = 0; i < 255; i++)
		every[i] = (char)(i + 1);
	every[255] = '\0';
	shell_words_quote_bytes(every, 255, &line);
	tap_ok(shell_words_split(line.data, &words, &err) == 0 && words.count == 1 && strcmp(words.list[0], every) == 0,
	    "what shell_words_quote makes is one word for shell_words_split");
	arguments_release(&words);
	buffer_release(&line);
}

int
main(void)
{
	test_quote("sh");
	test_quote("bash");
	test_split();
	test_both();
	return tap_end();
}
