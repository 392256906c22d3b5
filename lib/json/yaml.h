/* SPDX-License-Identifier: Apache-2.0
 *
 * JSON values as YAML text for people.
 */
#ifndef JSON_YAML_H
#define JSON_YAML_H

#include <jv.h>

struct buffer;

/* Appends the value as a YAML document in block style, members sorted, a newline at its end and no "---" before it. Every reader
 * of YAML 1.1 and 1.2 takes it for the same value: what it could take for another type is quoted. */
void yaml_print(jv value, struct buffer *out);

#endif
