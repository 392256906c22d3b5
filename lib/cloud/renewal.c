/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/renewal.h"

#include "base/clock.h"
#include "cloud/stop.h"

/* Asks for it, for all who wait. */
static int
renewal_ask(struct renewal *renewal, const struct renewal_calls *calls, void *context, const struct stop *stop, struct error *err)
{
	int result;

	renewal->asked = true;
	stop_unlock();
	result = calls->ask(context, stop, err);
	stop_lock();
	renewal->asked = false;
	if (result == 0) {
		int64_t life_ms = calls->take(context) - RENEWAL_MS;

		renewal->until_ms = clock_monotonic_ms() + (life_ms > calls->shortest_ms ? life_ms : calls->shortest_ms);
	}
	stop_wake_all();
	return result;
}

int
renewal_await(struct renewal *renewal, const struct renewal_calls *calls, void *context, const struct stop *stop, struct error *err)
{
	int result = 0;

	while (result == 0 && (renewal->asked || clock_monotonic_ms() >= renewal->until_ms))
		result = renewal->asked ? stop_wait(stop, INT64_MAX, err) : renewal_ask(renewal, calls, context, stop, err);
	return result;
}
