/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of the shell: quotes text that becomes part of a command on a node, and splits a line that a person wrote.
 */
#ifndef SSH_SHELL_WORDS_H
#define SSH_SHELL_WORDS_H

#include <stddef.h>

struct arguments;
struct buffer;
struct error;

/* Append a text as one word of a POSIX shell that means exactly it, whatever it is but NUL. */
void shell_words_quote(const char *text, struct buffer *out);
void shell_words_quote_bytes(const char *bytes, size_t length, struct buffer *out);

/* Appends the words of line to out, split as a shell does at blanks that are not in '...' or "..." and not behind \. Nothing is
 * expanded; $ and ` and ; are text. Returns -1 with EX_CONFIG if a quote is left open. */
int shell_words_split(const char *line, struct arguments *out, struct error *err);

#endif
