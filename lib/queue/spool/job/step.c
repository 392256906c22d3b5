/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/spool/job/step.h"

#include <stdlib.h>

#include "base/memory.h"
#include "queue/spool/job/ready.h"

enum action
step_action(struct index *index, uint32_t number)
{
	const struct index_step *step = index_step(index, number);
	uint8_t phase = index_live(index, number)->phase;

	return (enum action)(phase == 0 || phase > INDEX_UNDO_MAX ? step->action : step->undo[phase - 1]);
}

static void
step_set_status(struct index *index, uint32_t step, enum step_status status)
{
	struct index_live *live = index_live(index, step);

	if (!index_step(index, step)->is_milestone && live->status < STEP_STATUS_COUNT) {
		index->header->count[live->status]--;
		index->header->count[status]++;
	}
	live->status = (uint8_t)status;
}

static void
step_make_ready(struct index *index, uint32_t step)
{
	step_set_status(index, step, STEP_READY);
	ready_add(index, step);
}

/* due_ms 0: at once. */
static void
step_make_ready_at(struct index *index, uint32_t step, int64_t due_ms)
{
	if (due_ms <= 0) {
		step_make_ready(index, step);
		return;
	}
	index_live(index, step)->due_ms = due_ms;
	step_set_status(index, step, STEP_DELAYED);
	timer_add(index, step);
}

/* A stack, not recursion: milestones may stand in chains as long as the plan. */
struct stack {
	uint32_t *list;
	size_t count, capacity;
};

static void
step_push(struct stack *stack, uint32_t step)
{
	ARRAY_ROOM(stack->list, stack->count, stack->capacity);
	stack->list[stack->count++] = step;
}

/* Tells those who wait for a step that it is done. */
static void
step_release_next(struct index *index, uint32_t done, struct stack *milestones)
{
	const struct index_step *step = index_step(index, done);

	for (uint32_t i = 0; i < step->next_count; i++) {
		uint32_t next = *index_number(index, INDEX_EDGES, (uint64_t)step->next_first + i);
		struct index_live *live = index_live(index, next);

		if (index->broken || live->missing == 0 || --live->missing > 0)
			continue;
		if (index_step(index, next)->is_milestone)
			step_push(milestones, next);
		else if (live->status == STEP_BLOCKED)
			step_make_ready(index, next);
	}
}

/* A step is done, or skipped, and with it the milestones that waited for it alone. */
static void
step_complete(struct index *index, uint32_t step, enum step_status status)
{
	struct stack stack = {0};

	step_set_status(index, step, status);
	step_release_next(index, step, &stack);
	while (stack.count > 0) {
		uint32_t done = stack.list[--stack.count];

		step_set_status(index, done, STEP_DONE);
		step_release_next(index, done, &stack);
	}
	free(stack.list);
}

void
step_begin_all(struct index *index)
{
	uint32_t count = index->header->step_count;

	for (uint32_t i = 0; i < count; i++) {
		index_live(index, i)->missing = index_step(index, i)->waits;
		index->header->count[STEP_BLOCKED] += !index_step(index, i)->is_milestone;
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct index_step *step = index_step(index, i);

		if (step->waits == 0 && step->is_milestone)
			step_complete(index, i, STEP_DONE);
		else if (step->waits == 0)
			step_make_ready(index, i);
	}
}

static void
step_list_running(struct index *index, uint32_t step)
{
	struct index_live *live = index_live(index, step);

	live->previous = 0;
	live->next = index->header->running;
	if (live->next)
		index_live(index, live->next - 1)->previous = step + 1;
	index->header->running = step + 1;
}

static void
step_unlist_running(struct index *index, uint32_t step)
{
	struct index_live *live = index_live(index, step);

	if (live->next)
		index_live(index, live->next - 1)->previous = live->previous;
	if (live->previous)
		index_live(index, live->previous - 1)->next = live->next;
	else
		index->header->running = live->next;
	live->previous = live->next = 0;
}

void
step_start(struct index *index, uint32_t step, int64_t attempt, uint64_t worker, int64_t until_ms)
{
	struct index_live *live = index_live(index, step);

	if (live->status == STEP_READY)
		ready_remove(index, step);
	else
		timer_remove(index, step);
	live->attempt = (uint32_t)attempt;
	live->worker = worker;
	live->due_ms = until_ms;
	step_set_status(index, step, STEP_RUNNING);
	step_list_running(index, step);
	if (until_ms)
		timer_add(index, step);
	ready_set_busy(index, index_step(index, step)->node, true);
}

/* The attempt is over, whatever came of it. */
static void
step_end_attempt(struct index *index, uint32_t step)
{
	struct index_live *live = index_live(index, step);

	timer_remove(index, step);
	step_unlist_running(index, step);
	live->worker = 0;
	live->due_ms = 0;
	ready_set_busy(index, index_step(index, step)->node, false);
}

void
step_done(struct index *index, uint32_t step)
{
	struct index_live *live = index_live(index, step);

	step_end_attempt(index, step);
	if (live->phase == 0) {
		step_complete(index, step, STEP_DONE);
		return;
	}
	/* One action of its undo is done: the next of them, or at last its own again. */
	live->phase = live->phase < index_step(index, step)->undo_count ? (uint8_t)(live->phase + 1) : 0;
	live->failures = live->setbacks = 0;
	step_make_ready(index, step);
}

static void
step_count_failure(struct index_live *live, bool setback)
{
	if (setback)
		live->setbacks = (uint16_t)(live->setbacks + 1);
	else
		live->failures = (uint16_t)(live->failures + 1);
}

void
step_retry(struct index *index, uint32_t step, bool setback, int64_t due_ms)
{
	step_end_attempt(index, step);
	step_count_failure(index_live(index, step), setback);
	step_make_ready_at(index, step, due_ms);
}

void
step_undo(struct index *index, uint32_t step, int64_t due_ms)
{
	struct index_live *live = index_live(index, step);

	step_end_attempt(index, step);
	live->cycles = (uint16_t)(live->cycles + 1);
	live->rounds++;
	live->failures = live->setbacks = 0;
	live->phase = 1;
	step_make_ready_at(index, step, due_ms);
}

void
step_fail(struct index *index, uint32_t step, bool setback)
{
	step_end_attempt(index, step);
	step_count_failure(index_live(index, step), setback);
	step_set_status(index, step, STEP_FAILED);
}

void
step_afresh(struct index *index, uint32_t step)
{
	struct index_live *live = index_live(index, step);

	timer_remove(index, step);
	live->failures = live->setbacks = live->cycles = 0;
	live->due_ms = 0;
	step_make_ready(index, step);
}

void
step_skip(struct index *index, uint32_t step)
{
	struct index_live *live = index_live(index, step);

	if (live->status == STEP_READY)
		ready_drop(index, step);
	timer_remove(index, step);
	live->due_ms = 0;
	step_complete(index, step, STEP_SKIPPED);
}

void
step_due(struct index *index, int64_t now_ms)
{
	uint32_t link;

	while ((link = timer_first(index)) != 0 && !index->broken) {
		struct index_live *live = index_live(index, link - 1);

		/* A lease that ran out is for an event to end, not for time alone. */
		if (live->due_ms > now_ms || live->status != STEP_DELAYED)
			return;
		timer_remove(index, link - 1);
		live->due_ms = 0;
		step_make_ready(index, link - 1);
	}
}
