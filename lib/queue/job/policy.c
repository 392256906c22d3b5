/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/job/policy.h"

#include <sys/random.h>
#include <sysexits.h>

#include "model/action.h"
#include "model/result.h"

/* Tasks that failed together do not come back together: the delay is spread to both sides by so many hundredths. */
enum { SPREAD = 25, TEMPORARY_SPREAD = 10 };

/* Returns base_ms doubled for each time after the first, but no more than max_ms or, where that is more, base_ms. */
static int64_t
policy_back_off(int64_t base_ms, unsigned times, int64_t max_ms)
{
	int64_t delay = base_ms, most = base_ms > max_ms ? base_ms : max_ms;

	while (--times > 0 && delay < most)
		delay *= 2;
	return delay > most ? most : delay;
}

static int64_t
policy_spread(int64_t delay, int64_t hundredths, uint32_t chance)
{
	return delay - delay * hundredths / 100 + (int64_t)((double)(2 * delay * hundredths) / 100 * chance / UINT32_MAX);
}

static void
policy_again(struct event *event, enum event_next next, int64_t base_ms, unsigned times, int64_t now_ms, uint32_t chance)
{
	event->next = next;
	if (base_ms > 0)
		event->ready_ms = now_ms + policy_spread(policy_back_off(base_ms, times, QUEUE_BACKOFF_MAX_MS), SPREAD, chance);
}

/* Tries a task again that failed for the time being, until its patience is over: at last at that very time. */
static void
policy_wait(struct job_state *state, uint32_t number, struct event *event, int64_t now_ms, uint32_t chance)
{
	const struct state_live *live = state_live(state, number);
	int64_t base = state->header->backoff_ms, since = live->since_ms > 0 ? live->since_ms : now_ms;
	int64_t until = since + (int64_t)state_step(state, number)->patience_s * 1000, delay;

	if (now_ms >= until)
		return;
	event->next = EVENT_NEXT_RETRY;
	event->since_ms = since > 0 ? since : 1;
	if (base <= 0)
		return;
	delay = policy_back_off(base, live->setbacks + 1u, POLICY_TEMPORARY_MAX_MS);
	delay = policy_spread(delay, TEMPORARY_SPREAD, chance);
	event->ready_ms = now_ms + delay < until ? now_ms + delay : until;
}

/* Tells whether a failure is one for the time being. What a check says of a service that is not healthy yet always is. */
static bool
policy_is_temporary(const struct state_step *step, const struct state_live *live, int64_t status)
{
	return status == EX_TEMPFAIL || (live->phase == 0 && action_table[step->action].is_check);
}

void
policy_decide_by(struct job_state *state, uint32_t number, struct event *event, int64_t now_ms, uint32_t chance)
{
	const struct state_step *step = state_step(state, number);
	const struct state_live *live = state_live(state, number);
	int64_t base = state->header->backoff_ms;
	unsigned failures = live->failures + 1u, cycles = live->cycles + 1u;

	event->next = EVENT_NEXT_FAILED;
	if (event->kind == EVENT_LOST) {
		if (live->losses < POLICY_LOSSES_MAX)
			policy_again(event, EVENT_NEXT_RETRY, 0, 0, now_ms, chance);
	} else if (policy_is_temporary(step, live, event->status)) {
		policy_wait(state, number, event, now_ms, chance);
	} else if (result_is_permanent(event->status)) {
		return;
	} else if (live->phase == 0 && step->undo_count > 0) {
		if (cycles <= step->retries)
			policy_again(event, EVENT_NEXT_UNDO, base, cycles, now_ms, chance);
	} else if (failures <= step->retries) {
		policy_again(event, EVENT_NEXT_RETRY, base, failures, now_ms, chance);
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
