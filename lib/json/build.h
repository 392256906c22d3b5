/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes values of text that json_scan has let through, so that nothing is checked twice. Records have the same names of
 * members again and again: those are shared between values, with the hash that libjq keeps of each.
 */
#ifndef JSON_BUILD_H
#define JSON_BUILD_H

#include <stddef.h>

#include <jv.h>

/* Returns the value that stands in the first length bytes of text, white space around it left out. */
jv build_value(const char *text, size_t length);

/* Returns the string of length bytes, shared where it was asked for lately. */
jv build_name(const char *text, size_t length);

/* Has values share nothing from now on: libjq counts who has a string without a lock, so that threads may have only their own. Called before
 * the first of them starts. */
void build_share_nothing(void);

#endif
