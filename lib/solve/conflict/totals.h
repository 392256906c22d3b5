/* SPDX-License-Identifier: Apache-2.0
 *
 * The sums of a conflict about room: what all services that it names take together, and what the largest machines hold.
 */
#ifndef SOLVE_CONFLICT_TOTALS_H
#define SOLVE_CONFLICT_TOTALS_H

#include <stdbool.h>

struct buffer;
struct reason;

/* Appends "db, cache and 10 others need 4001 m, but 4 machines of the largest type hold 4000", if at least two services of the conflict take
 * something and the number of machines is part of it. Returns whether it did. */
bool totals_append(const struct reason *reason, struct buffer *out);

#endif
