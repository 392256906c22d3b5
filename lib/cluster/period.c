/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/period.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/memory.h"

enum { DAYS_TO_MONDAY = 3 }; /* 1970 began with a Thursday */

static const int64_t second_ms = 1000, hour_ms = 3600 * 1000, day_ms = 86400 * (int64_t)1000,
    week_ms = 7 * 86400 * (int64_t)1000;

/* Returns the time that text, which stood behind "now", means ("-7d"); -1 if it is none. */
static int64_t
period_relative(const char *text, int64_t now_ms)
{
	static const char letters[] = "smhdw";
	const int64_t units[] = {second_ms, 60 * second_ms, hour_ms, day_ms, week_ms};
	const char *letter;
	char *end;
	int64_t number;

	if (!*text)
		return now_ms;
	if ((*text != '-' && *text != '+') || text[1] < '0' || text[1] > '9')
		return -1;
	number = strtoll(text, &end, 10);
	letter = *end ? strchr(letters, *end) : NULL;
	if (!letter || end[1] || number > 1000000000 || number < -1000000000)
		return -1;
	number = now_ms + number * units[letter - letters];
	return number < 0 ? -1 : number;
}

int64_t
period_time(const char *text, int64_t now_ms)
{
	size_t length = strlen(text), digits = strspn(text, "0123456789");
	char whole[CLOCK_RFC3339_SIZE];

	if (strncmp(text, "now", 3) == 0)
		return period_relative(text + 3, now_ms);
	if (digits == length)
		return length && length <= 11 ? strtoll(text, NULL, 10) * second_ms : -1;
	snprintf(whole, sizeof whole, "%s%s", text, length == 7 ? "-01T00:00:00Z" : length == 10 ? "T00:00:00Z" : "");
	return clock_parse_rfc3339(whole);
}

enum period
period_of(const char *name)
{
	static const char *const names[] = {"", "hour", "day", "week", "month", "year"};
	int period = PERIOD_HOUR;

	while (period < PERIOD_COUNT && strcmp(names[period], name) != 0)
		period++;
	return (enum period)period;
}

/* Returns when the next period of the calendar begins. */
static int64_t
period_next_of(enum period period, int64_t ms)
{
	const int64_t monday = DAYS_TO_MONDAY * day_ms;
	time_t seconds = (time_t)(ms / second_ms);
	struct tm parts;

	if (period == PERIOD_HOUR)
		return (ms / hour_ms + 1) * hour_ms;
	if (period == PERIOD_DAY)
		return (ms / day_ms + 1) * day_ms;
	if (period == PERIOD_WEEK)
		return ((ms + monday) / week_ms + 1) * week_ms - monday;
	if (period == PERIOD_WHOLE || !gmtime_r(&seconds, &parts))
		return INT64_MAX;
	parts = (struct tm){.tm_year = parts.tm_year + (period == PERIOD_YEAR), .tm_mday = 1,
	    .tm_mon = period == PERIOD_YEAR ? 0 : parts.tm_mon + 1};
	return (int64_t)timegm(&parts) * second_ms;
}

int64_t *
period_bounds(enum period period, int64_t start_ms, int64_t end_ms, size_t max, size_t *count)
{
	int64_t *bounds = NULL;
	size_t used = 0, capacity = 0;

	for (int64_t at = start_ms; at < end_ms && used <= max; at = period_next_of(period, at)) {
		ARRAY_ROOM(bounds, used, capacity);
		bounds[used++] = at;
	}
	*count = used;
	ARRAY_ROOM(bounds, used, capacity);
	bounds[used] = end_ms;
	if (used <= max)
		return bounds;
	free(bounds);
	return NULL;
}
