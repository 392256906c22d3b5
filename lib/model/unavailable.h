/* SPDX-License-Identifier: Apache-2.0
 *
 * How many nodes may be down at a time: a number ("2") or a share of them ("25%").
 */
#ifndef MODEL_UNAVAILABLE_H
#define MODEL_UNAVAILABLE_H

#define UNAVAILABLE_AUTO "auto"  /* what the cluster's template says, or else: */
#define UNAVAILABLE_USUAL "25%"
#define UNAVAILABLE_ALL "100%"   /* all at once: the same as no limit */

#include <stdbool.h>
#include <stddef.h>

/* Tells whether text is such a number: 1 or more, of at most nine digits, maybe with "%" behind. */
bool unavailable_is_valid(const char *text);

/* Returns how many of count nodes text means: a share is rounded down; at least one. text is valid, or NULL: all of them. */
size_t unavailable_of(const char *text, size_t count);

#endif
