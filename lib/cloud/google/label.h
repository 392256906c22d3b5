/* SPDX-License-Identifier: Apache-2.0
 *
 * Labels of Google: their values are at most 63 of the characters a to z, 0 to 9, "-" and "_". Whatever else is in a value is "_" and its number,
 * and a value that is too long ends with "__" and a part of its SHA-256: no two values are one label. Those that are too long are beside it, whole,
 * in the metadata.
 */
#ifndef CLOUD_GOOGLE_LABEL_H
#define CLOUD_GOOGLE_LABEL_H

#include <stdbool.h>

struct arena;

/* Returns the value as a label, in the arena, and sets whole where it can be read back. */
const char *google_label(const char *value, struct arena *arena, bool *whole);

/* Returns the value that a label stands for; NULL where it does not tell. */
const char *google_label_value(const char *label, struct arena *arena);

#endif
