/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/job/step.h"

#include <stdlib.h>

#include "base/memory.h"
#include "queue/job/ready.h"

enum action
step_action(struct job_state *state, uint32_t number)
{
	const struct state_step *step = state_step(state, number);
	uint8_t phase = state_live(state, number)->phase;

	return (enum action)(phase == 0 || phase > STATE_UNDO_MAX ? step->action : step->undo[phase - 1]);
}

uint32_t
step_first(struct job_state *state, unsigned actions)
{
	uint32_t first = 0;

	if (actions == 0)
		return ready_first(state);
	for (uint32_t i = 0; i < state->header->ready_count; i++) {
		uint32_t link = state_node(state, *state_number(state, STATE_READY, i))->best;

		if (link && (ACTION_BIT(step_action(state, link - 1)) & actions) &&
		    (!first || state_step(state, link - 1)->rank > state_step(state, first - 1)->rank))
			first = link;
	}
	return first;
}

static void
step_set_status(struct job_state *state, uint32_t step, enum step_status status)
{
	struct state_live *live = state_live(state, step);

	if (!state_step(state, step)->is_milestone && live->status < STEP_STATUS_COUNT) {
		state->header->count[live->status]--;
		state->header->count[status]++;
	}
	live->status = (uint8_t)status;
}

static void
step_make_ready(struct job_state *state, uint32_t step)
{
	step_set_status(state, step, STEP_READY);
	ready_add(state, step);
}

/* due_ms 0: at once. */
static void
step_make_ready_at(struct job_state *state, uint32_t step, int64_t due_ms)
{
	if (due_ms <= 0) {
		step_make_ready(state, step);
		return;
	}
	state_live(state, step)->due_ms = due_ms;
	step_set_status(state, step, STEP_DELAYED);
	timer_add(state, step);
}

/* A stack, not recursion: milestones may stand in chains as long as the plan. */
struct stack {
	uint32_t *list;
	size_t count, capacity;
};

/* Tells those who wait for a step that it is done. */
static void
step_release_next(struct job_state *state, uint32_t done, struct stack *milestones)
{
	const struct state_step *step = state_step(state, done);

	for (uint32_t i = 0; i < step->next_count; i++) {
		uint32_t next = *state_number(state, STATE_EDGES, (uint64_t)step->next_first + i);
		struct state_live *live = state_live(state, next);

		if (state->broken || live->missing == 0 || --live->missing > 0)
			continue;
		if (state_step(state, next)->is_milestone) {
			ARRAY_ROOM(milestones->list, milestones->count, milestones->capacity);
			milestones->list[milestones->count++] = next;
		} else if (live->status == STEP_BLOCKED) {
			step_make_ready(state, next);
		}
	}
}

/* A step is done, or skipped, and with it the milestones that waited for it alone. */
static void
step_complete(struct job_state *state, uint32_t step, enum step_status status)
{
	struct stack stack = {0};

	step_set_status(state, step, status);
	step_release_next(state, step, &stack);
	while (stack.count > 0) {
		uint32_t done = stack.list[--stack.count];

		step_set_status(state, done, STEP_DONE);
		step_release_next(state, done, &stack);
	}
	free(stack.list);
}

void
step_begin_all(struct job_state *state)
{
	uint32_t count = state->header->step_count;

	for (uint32_t i = 0; i < count; i++) {
		state_live(state, i)->missing = state_step(state, i)->waits;
		state->header->count[STEP_BLOCKED] += !state_step(state, i)->is_milestone;
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct state_step *step = state_step(state, i);

		if (step->waits == 0 && step->is_milestone)
			step_complete(state, i, STEP_DONE);
		else if (step->waits == 0)
			step_make_ready(state, i);
	}
}

void
step_start(struct job_state *state, uint32_t step, int64_t attempt, uint64_t worker, int64_t until_ms)
{
	struct state_live *live = state_live(state, step);

	if (live->status == STEP_READY)
		ready_remove(state, step);
	else
		timer_remove(state, step);
	live->attempt = (uint32_t)attempt;
	live->worker = worker;
	live->due_ms = until_ms;
	step_set_status(state, step, STEP_RUNNING);
	live->previous = 0;
	live->next = state->header->running;
	if (live->next)
		state_live(state, live->next - 1)->previous = step + 1;
	state->header->running = step + 1;
	if (until_ms)
		timer_add(state, step);
	ready_set_busy(state, state_step(state, step)->node, true);
}

/* The attempt is over, whatever came of it. */
static void
step_end_attempt(struct job_state *state, uint32_t step)
{
	struct state_live *live = state_live(state, step);

	timer_remove(state, step);
	if (live->next)
		state_live(state, live->next - 1)->previous = live->previous;
	if (live->previous)
		state_live(state, live->previous - 1)->next = live->next;
	else
		state->header->running = live->next;
	live->previous = live->next = 0;
	live->worker = 0;
	live->due_ms = 0;
	ready_set_busy(state, state_step(state, step)->node, false);
}

/* Lets a step begin as if it had never failed. */
static void
step_forget_failures(struct state_live *live)
{
	live->failures = live->setbacks = live->losses = 0;
	live->since_ms = 0;
}

void
step_done(struct job_state *state, uint32_t step)
{
	struct state_live *live = state_live(state, step);

	step_end_attempt(state, step);
	if (live->phase == 0) {
		step_complete(state, step, STEP_DONE);
		return;
	}
	/* One action of its undo is done: the next of them, or at last its own again. */
	live->phase = live->phase < state_step(state, step)->undo_count ? (uint8_t)(live->phase + 1) : 0;
	step_forget_failures(live);
	step_make_ready(state, step);
}

/* Counts a failure. Setbacks are those in a row; what is lost is none, and does not end the row. */
static void
step_count_failure(struct state_live *live, enum step_failure failure, int64_t since_ms)
{
	if (failure == STEP_LOSS) {
		live->losses = (uint16_t)(live->losses + 1);
		return;
	}
	if (failure == STEP_FAILURE)
		live->failures = (uint16_t)(live->failures + 1);
	live->setbacks = failure == STEP_SETBACK && live->setbacks < UINT16_MAX ? (uint16_t)(live->setbacks + 1) : 0;
	live->since_ms = since_ms;
}

void
step_retry(struct job_state *state, uint32_t step, enum step_failure failure, int64_t due_ms, int64_t since_ms)
{
	step_end_attempt(state, step);
	step_count_failure(state_live(state, step), failure, since_ms);
	step_make_ready_at(state, step, due_ms);
}

void
step_undo(struct job_state *state, uint32_t step, int64_t due_ms)
{
	struct state_live *live = state_live(state, step);

	step_end_attempt(state, step);
	live->cycles = (uint16_t)(live->cycles + 1);
	live->rounds++;
	step_forget_failures(live);
	live->phase = 1;
	step_make_ready_at(state, step, due_ms);
}

void
step_fail(struct job_state *state, uint32_t step, enum step_failure failure)
{
	step_end_attempt(state, step);
	step_count_failure(state_live(state, step), failure, 0);
	step_set_status(state, step, STEP_FAILED);
}

void
step_afresh(struct job_state *state, uint32_t step)
{
	struct state_live *live = state_live(state, step);

	timer_remove(state, step);
	step_forget_failures(live);
	live->cycles = 0;
	live->due_ms = 0;
	step_make_ready(state, step);
}

void
step_skip(struct job_state *state, uint32_t step)
{
	struct state_live *live = state_live(state, step);

	if (live->status == STEP_READY)
		ready_drop(state, step);
	timer_remove(state, step);
	live->due_ms = 0;
	step_complete(state, step, STEP_SKIPPED);
}

void
step_due(struct job_state *state, int64_t now_ms)
{
	uint32_t link;

	while ((link = timer_first(state)) != 0 && !state->broken) {
		struct state_live *live = state_live(state, link - 1);

		/* A lease that ran out is for an event to end, not for time alone. */
		if (live->due_ms > now_ms || live->status != STEP_DELAYED)
			return;
		timer_remove(state, link - 1);
		live->due_ms = 0;
		step_make_ready(state, link - 1);
	}
}
