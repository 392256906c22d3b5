/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/shell-words.h"

#include <stdbool.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/process.h"

/* Within single quotes a shell gives meaning to nothing but the quote itself, which is put outside of
 * them: it's becomes 'it'\''s'. */
void
shell_words_quote_bytes(const char *bytes, size_t length, struct buffer *out)
{
	const char *end = bytes + length, *quote;

	buffer_byte(out, '\'');
	while ((quote = memchr(bytes, '\'', (size_t)(end - bytes)))) {
		buffer_append(out, bytes, (size_t)(quote - bytes));
		buffer_text(out, "'\\''");
		bytes = quote + 1;
	}
	buffer_append(out, bytes, (size_t)(end - bytes));
	buffer_byte(out, '\'');
}

void
shell_words_quote(const char *text, struct buffer *out)
{
	shell_words_quote_bytes(text, strlen(text), out);
}

static bool
shell_words_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

/* Takes the text between double quotes, the first of which text points at. Returns the end of it, NULL if there is none. */
static const char *
shell_words_read_double_quoted(const char *text, struct buffer *word)
{
	for (text++; *text != '"'; text++) {
		if (*text == '\0')
			return NULL;
		if (*text == '\\' && text[1] && strchr("$`\"\\\n", text[1]) && *++text == '\n')
			continue;
		buffer_byte(word, *text);
	}
	return text + 1;
}

/* Takes one word. Returns the end of it, or NULL if a quote is left open. */
static const char *
shell_words_read_word(const char *text, struct buffer *word)
{
	const char *end;

	while (text && *text && !shell_words_is_blank(*text)) {
		switch (*text) {
		case '\'':
			end = strchr(text + 1, '\'');
			if (end)
				buffer_append(word, text + 1, (size_t)(end - text - 1));
			text = end ? end + 1 : NULL;
			break;
		case '"':
			text = shell_words_read_double_quoted(text, word);
			break;
		case '\\':
			/* An escaped newline vanishes. */
			if (text[1] && text[1] != '\n')
				buffer_byte(word, text[1]);
			text = text[1] ? text + 2 : NULL;
			break;
		default:
			buffer_byte(word, *text++);
		}
	}
	return text;
}

int
shell_words_split(const char *line, struct arguments *out, struct error *err)
{
	struct buffer word = {0};
	const char *text = line;

	for (;;) {
		while (shell_words_is_blank(*text))
			text++;
		if (!*text)
			break;
		buffer_clear(&word);
		buffer_text(&word, "");
		text = shell_words_read_word(text, &word);
		if (!text) {
			buffer_release(&word);
			return error_set(err, EX_CONFIG, "a quote or backslash is left open in: %s", line);
		}
		arguments_push(out, word.data);
	}
	buffer_release(&word);
	return 0;
}
