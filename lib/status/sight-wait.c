/* SPDX-License-Identifier: Apache-2.0
 *
 * Waiting for what is under way. The spool tells when something has changed there; only the moments before the job is in the
 * queue, and between its end and its settling by another, are looked at again and again: the store has no bell.
 */
#include "status/sight.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"

enum { LOOK_MS = 50 };

/* How long to sleep; -1: until the spool changes. */
static int
sight_patience(const struct sight *sight, int64_t deadline_ms)
{
	bool told = sight->has_job && !queue_is_finished(sight->job.status);
	int64_t left_ms = deadline_ms - clock_monotonic_ms();

	if (deadline_ms < 0)
		return told ? -1 : LOOK_MS;
	if (!told && left_ms > LOOK_MS)
		return LOOK_MS;
	return left_ms < 0 ? 0 : left_ms < INT32_MAX ? (int)left_ms : INT32_MAX;
}

static int
sight_wait_on(struct sight *sight, int watch, int64_t deadline_ms, struct error *err)
{
	struct pollfd fd = {.fd = watch, .events = POLLIN};

	for (;;) {
		if (watch >= 0)
			queue_watch_clear(watch);
		if (sight_again(sight, err) < 0)
			return -1;
		if (!sight->under_way)
			return 0;
		if (deadline_ms >= 0 && clock_monotonic_ms() >= deadline_ms)
			return error_set(err, EX_TEMPFAIL, "%s: job %s is still under way", sight->cluster->name, sight->last->job);
		if (poll(&fd, watch >= 0, sight_patience(sight, deadline_ms)) < 0 && errno != EINTR)
			return error_errno(err, EX_OSERR, "poll");
	}
}

int
sight_wait(struct sight *sight, int64_t timeout_ms, struct error *err)
{
	int64_t deadline_ms = timeout_ms < 0 ? -1 : clock_monotonic_ms() + timeout_ms;
	int watch = sight->queue ? queue_watch(sight->queue, err) : -1, result;

	if (sight->queue && watch < 0)
		return -1;
	result = sight_wait_on(sight, watch, deadline_ms, err);
	if (watch >= 0)
		close(watch);
	return result;
}
