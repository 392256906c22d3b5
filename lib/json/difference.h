/* SPDX-License-Identifier: Apache-2.0
 *
 * What is different between two values, place by place: members by their names, elements of lists by their numbers.
 */
#ifndef JSON_DIFFERENCE_H
#define JSON_DIFFERENCE_H

#include <stddef.h>

#include <jv.h>

struct buffer;

/* Appends a line for each difference, by JSON Pointer; returns how many there are:
 *	- /size/max 5
 *	+ /size/min 3
 *	~ /description "old" -> "new"
 * The pointer of the whole value is "/". */
size_t json_difference(jv from, jv to, struct buffer *out);

#endif
