/* SPDX-License-Identifier: Apache-2.0
 *
 * What is different between two values, place by place: members by their names, elements of lists by their numbers.
 */
#ifndef JSON_DIFF_H
#define JSON_DIFF_H

#include <stddef.h>

#include <jv.h>

struct buffer;

/* Appends a line for each difference, by JSON Pointer, and returns their number:
 *	- /size/max 5
 *	+ /size/min 3
 *	~ /description "old" -> "new"
 * The pointer of the whole value is "/". label, which may be NULL, stands before each pointer: "~ config /port 80 -> 8080".
 * Passwords and keys in clear are [hidden]. */
size_t json_diff(jv from, jv to, const char *label, struct buffer *out);

#endif
