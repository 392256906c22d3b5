/* SPDX-License-Identifier: Apache-2.0
 *
 * Values as canonical text: the same value gives the same bytes.
 */
#ifndef JSON_DUMP_H
#define JSON_DUMP_H

#include <jv.h>

struct buffer;

/* Appends the canonical text: one line, members sorted, no newline. */
void json_dump(jv value, struct buffer *out);

/* Appends the same with two blanks of indentation and a newline at the end. */
void json_dump_pretty(jv value, struct buffer *out);

/* Appends text as a JSON string, quotes included, exactly as json_dump does. */
void json_quote(const char *text, struct buffer *out);

/* Appends a number exactly as json_dump does. */
void json_number(double number, struct buffer *out);

#endif
