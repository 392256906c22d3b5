/* SPDX-License-Identifier: Apache-2.0
 *
 * What was done to a cluster: its operations, and what each of them has changed.
 */
#ifndef SHOW_PAST_H
#define SHOW_PAST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "status/status.h"

/* Prints its operations, the newest first, at most limit (0: all). */
int past_print(struct cluster_status *status, enum status_output format, int64_t limit, FILE *out, bool colour, struct error *err);

/* Prints what operation number has changed, or changes (alteration.h): 1, or 0 where that is nothing; -1. */
int past_difference(struct cluster_status *status, int64_t number, FILE *out, bool colour, struct error *err);

#endif
