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

/* Appends bytes as one word of a POSIX shell that means exactly them, whatever they are but NUL. */
void shell_words_quote(const char *bytes, size_t length, struct buffer *out);

/* Appends the words of line to out, split as a shell does: blanks between, '...', "..." and \ take blanks
 * their meaning. Nothing is expanded; $ and ` and ; are text. -1 with EX_CONFIG where a quote is left open. */
int shell_words_split(const char *line, struct arguments *out, struct error *err);

#endif
