/* SPDX-License-Identifier: Apache-2.0
 *
 * Some members of an object alone.
 */
#ifndef JSON_PICK_H
#define JSON_PICK_H

#include <stddef.h>

struct buffer;

/* Appends the object that the text is, with no other members than those named, with commas between; text that is no object as it is. */
void pick_members(const char *names, const char *text, size_t length, struct buffer *to);

#endif
