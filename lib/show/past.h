/* SPDX-License-Identifier: Apache-2.0
 *
 * What was done to a cluster: its operations, and what each of them has changed.
 */
#ifndef SHOW_PAST_H
#define SHOW_PAST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "status/sight.h"

/* Prints its operations, the newest first, at most limit (0: all). */
int past_print(struct sight *sight, enum sight_format format, int64_t limit, FILE *out, bool colour, struct error *err);

/* Prints what operation number has changed, or changes (alteration.h): 1, or 0 where that is nothing; -1. */
int past_difference(struct sight *sight, int64_t number, FILE *out, bool colour, struct error *err);

#endif
