/* SPDX-License-Identifier: Apache-2.0
 *
 * Templates in kubectl's jsonpath syntax, "{.name} has {.nodes} nodes{"\n"}": text, and what stands in a value at the paths in
 * braces. coopr-output(7) says what a template may have. The module hides its grammar; a template is read again each time that it
 * is used, so that there is nothing to release.
 */
#ifndef JSON_JSONPATH_H
#define JSON_JSONPATH_H

#include <jv.h>

struct buffer;
struct error;

/* Checks a template. Fails with EX_USAGE: "column 7: expected ...". */
int jsonpath_check(const char *template, struct error *err);

/* Appends what a template, which was checked, makes of a value. Strings are appended as they are, objects and lists as JSON, and
 * null and what is not there as nothing; several values at a path have a blank between them. */
void jsonpath_print(const char *template, jv value, struct buffer *out);

#endif
