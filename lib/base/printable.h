/* SPDX-License-Identifier: Apache-2.0
 *
 * What may reach a terminal of a text that came from a document, a node or a plugin. Characters that would drive the
 * terminal (C0, DEL, C1), that turn the direction of writing, and bytes that are no UTF-8 are shown as "?", a tab as
 * a blank. The locale of the process does not matter.
 */
#ifndef BASE_PRINTABLE_H
#define BASE_PRINTABLE_H

#include <stddef.h>

/* Makes text fit to print, in place: it grows no longer. Returns the columns it takes. */
size_t printable(char *text);

/* The bytes of such a text that fit in so many columns, no character cut. */
size_t printable_prefix(const char *text, size_t columns);

#endif
