/* SPDX-License-Identifier: Apache-2.0
 *
 * What may reach a terminal of a text that came from a document, a node or a plugin. Characters that would drive the
 * terminal (C0, DEL, C1), that turn the direction of writing, and bytes that are no UTF-8 are shown as "?", the end of a
 * line and a tab as a blank. The locale of the process does not matter.
 */
#ifndef BASE_PRINTABLE_H
#define BASE_PRINTABLE_H

#include <stddef.h>

struct buffer;

/* Makes text fit to print, in place: it grows no longer. Returns the columns it takes. */
size_t printable(char *text);

/* Returns how many bytes of such a text fit in so many columns, without cutting a character. */
size_t printable_prefix(const char *text, size_t columns);

/* Appends text, fit to print: one line at most, without the ends of lines behind it. */
void printable_line(const char *text, struct buffer *out);

/* Appends a line for each line of text, fit to print, behind the prefix. */
void printable_lines(const char *prefix, const char *text, struct buffer *out);

#endif
