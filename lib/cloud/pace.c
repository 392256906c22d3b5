/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/pace.h"

#include <stddef.h>
#include <sys/random.h>

#include "base/clock.h"

enum { BACKOFF_MS = 250, BACKOFF_MAX_MS = 20 * 1000, BURST = 4 };

void
pace_init(struct pace *pace, double per_second)
{
	*pace = (struct pace){.interval_ms = per_second > 0 ? 1000 / per_second : 0};
}

int
pace_wait(struct pace *pace, bool first, const struct stop *stop, struct error *err)
{
	int64_t now = clock_monotonic_ms();
	double earliest = (double)now - (BURST - 1) * pace->interval_ms;
	int result = stop_check(stop, err);
	double turn, shift;

	stop_lock();
	/* Who was idle may send a few at once. */
	if (pace->next_ms < earliest)
		pace->next_ms = earliest;
	turn = pace->next_ms;
	pace->next_ms += pace->interval_ms;
	pace->first_ms += first ? pace->interval_ms : 0;
	if (first && turn > (double)now) {
		turn = (double)now;
		pace->shift_ms += pace->interval_ms;
	}
	shift = pace->shift_ms;
	while (result == 0) {
		double mine = first ? turn : turn + pace->shift_ms - shift;
		int64_t until = (int64_t)mine + 1 > pace->closed_ms ? (int64_t)mine + 1 : pace->closed_ms;

		if ((double)clock_monotonic_ms() >= mine && clock_monotonic_ms() >= pace->closed_ms)
			break;
		result = stop_wait(stop, until, err);
	}
	stop_unlock();
	return result;
}

void
pace_close(struct pace *pace, int64_t ms)
{
	int64_t until = clock_monotonic_ms() + ms;

	stop_lock();
	if (pace->closed_ms < until)
		pace->closed_ms = until;
	stop_unlock();
}

int64_t
pace_backoff_ms(unsigned try)
{
	int64_t most = BACKOFF_MS;
	uint32_t random = 0;

	while (try-- > 1 && most < BACKOFF_MAX_MS)
		most *= 2;
	if (most > BACKOFF_MAX_MS)
		most = BACKOFF_MAX_MS;
	if (getrandom(&random, sizeof random, 0) != sizeof random)
		random = UINT32_MAX / 2;
	return most / 2 + (int64_t)((double)random / UINT32_MAX * (double)most / 2);
}
