/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/job/policy.h"

#include <sys/random.h>
#include <sysexits.h>

#include "model/result.h"

/* Doubled for each time, up to a minute, and spread by a quarter to both sides, so that what failed together
 * does not come back together. */
static int64_t
policy_back_off(int64_t base_ms, unsigned times, uint32_t chance)
{
	int64_t delay = base_ms;

	while (--times > 0 && delay < QUEUE_BACKOFF_MAX_MS)
		delay *= 2;
	if (delay > QUEUE_BACKOFF_MAX_MS)
		delay = base_ms > QUEUE_BACKOFF_MAX_MS ? base_ms : QUEUE_BACKOFF_MAX_MS;
	return delay - delay / 4 + (int64_t)((double)delay / 2 * chance / UINT32_MAX);
}

static void
policy_again(struct event *event, enum event_next next, int64_t base_ms, unsigned times, int64_t now_ms, uint32_t chance)
{
	event->next = next;
	event->ready_ms = base_ms > 0 ? now_ms + policy_back_off(base_ms, times, chance) : 0;
}

void
policy_decide_by(struct job_state *state, uint32_t number, struct event *event, int64_t now_ms, uint32_t chance)
{
	const struct state_step *step = state_step(state, number);
	const struct state_live *live = state_live(state, number);
	int64_t base = state->header->backoff_ms;
	unsigned failures = live->failures + 1u, setbacks = live->setbacks + 1u, cycles = live->cycles + 1u;

	event->next = EVENT_NEXT_FAILED;
	if (event->kind == EVENT_LOST) {
		if (setbacks <= POLICY_SETBACKS_MAX)
			policy_again(event, EVENT_NEXT_RETRY, 0, 0, now_ms, chance);
	} else if (event->status == EX_TEMPFAIL) {
		if (setbacks <= POLICY_SETBACKS_MAX)
			policy_again(event, EVENT_NEXT_RETRY, base, failures + setbacks - 1, now_ms, chance);
	} else if (result_is_permanent(event->status)) {
		return;
	} else if (live->phase == 0 && step->undo_count > 0) {
		if (cycles <= step->retries)
			policy_again(event, EVENT_NEXT_UNDO, base, cycles, now_ms, chance);
	} else if (failures <= step->retries) {
		policy_again(event, EVENT_NEXT_RETRY, base, failures + setbacks - 1, now_ms, chance);
	}
}

void
policy_decide(struct job_state *state, uint32_t step, struct event *event, int64_t now_ms)
{
	uint32_t chance;

	/* Without any the delay is not spread. */
	if (getrandom(&chance, sizeof chance, GRND_NONBLOCK) != sizeof chance)
		chance = UINT32_MAX / 2;
	policy_decide_by(state, step, event, now_ms, chance);
}
