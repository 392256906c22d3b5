/* SPDX-License-Identifier: Apache-2.0
 *
 * Periods of the calendar in UTC, and times as people give them. Milliseconds since 1970.
 */
#ifndef CLUSTER_PERIOD_H
#define CLUSTER_PERIOD_H

#include <stddef.h>
#include <stdint.h>

enum period { PERIOD_WHOLE, PERIOD_HOUR, PERIOD_DAY, PERIOD_WEEK, PERIOD_MONTH, PERIOD_YEAR, PERIOD_COUNT };

/* Returns the time that a text says: "now", "now-7d" (s m h d w), "2026-11-21", "2026-11", RFC 3339, seconds since 1970;
 * -1 where it is none of these. */
int64_t period_time(const char *text, int64_t now_ms);

/* Returns the period of that name, "hour" to "year"; PERIOD_COUNT if there is none. */
enum period period_of(const char *name);

/* Returns the limits of the periods between two times: bounds[0] is start, bounds[count] is end; those between are where periods
 * of the calendar begin (weeks with Monday). Owned. NULL where there would be more than max. */
int64_t *period_bounds(enum period period, int64_t start_ms, int64_t end_ms, size_t max, size_t *count);

#endif
