/* SPDX-License-Identifier: Apache-2.0
 *
 * Fields of a provider as Coopr's documents have them: "" stands for what is absent, booleans are strings, and lists are strings with commas. What
 * is wrong is a problem of the cloud's fields.
 */
#ifndef CLOUD_FIELDS_H
#define CLOUD_FIELDS_H

#include "cloud/cloud.h"

/* Tells whether a field has a value, which is not "". */
bool fields_given(const struct cloud *cloud, const char *name);

/* Adds a problem where a field has no value, "is required: WHAT". */
void fields_require(const struct cloud *cloud, const char *name, const char *what);

/* Adds a problem of a field, whatever it has. */
void fields_problem(const struct cloud *cloud, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Returns a boolean, or one that is a string; what is absent is otherwise. */
bool fields_boolean(const struct cloud *cloud, const char *name, bool otherwise);

/* Returns the words of a list, or of a string with commas, in the cloud's arena. */
struct string_list fields_words(struct cloud *cloud, const char *name);

/* Returns an integer, or one that is a string; what is absent is 0. */
int64_t fields_integer(const struct cloud *cloud, const char *name, int64_t min, int64_t max);

#endif
