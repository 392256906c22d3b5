/* SPDX-License-Identifier: Apache-2.0 */
#include "simulate/rehearse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "queue/spool/job/fold.h"
#include "queue/spool/job/ready.h"
#include "queue/spool/job/step.h"
#include "queue/spool/policy.h"
#include "queue/spool/shared/spool.h"

#define BOOT "rehearsal"

enum { LENGTH_MAX_S = 1000 * 1000 * 1000 };

struct running { /* an attempt, and when it ends */
	int64_t end_ms;
	uint32_t order; /* of two that end together, the one that began first */
	uint32_t step, slot;
	bool fails;
};

struct stage { /* a rehearsal while it goes on */
	const struct rehearse_options *options;
	const struct plan_loader *loader;
	struct rehearsal *rehearsal;
	int64_t now_ms;
	uint64_t seq;
	struct running *running; /* a heap, the first to end on top */
	uint32_t running_count;
	uint32_t *free_slots;    /* a stack */
	uint32_t free_count;
	int64_t *spent_ms;       /* by step: its attempts, and the back-off between them */
	int64_t *node_ms;        /* by node */
};

enum draw { DRAW_LENGTH, DRAW_LENGTH_TOO, DRAW_FAILURE, DRAW_PART, DRAW_BACKOFF };

static uint64_t
rehearse_mix(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* A number that seed, task, attempt and what it is for decide. */
static uint64_t
rehearse_draw(struct stage *stage, uint32_t step, enum draw what)
{
	struct job_state *index = &stage->rehearsal->index;
	uint64_t task = spool_hash(state_step_id(index, step)), attempt = state_live(index, step)->attempt;

	return rehearse_mix(rehearse_mix(rehearse_mix(stage->options->seed + UINT64_C(0x9e3779b97f4a7c15)) ^ task) + attempt * 8 + (uint64_t)what);
}

/* The same as a part of one. */
static double
rehearse_draw_part(struct stage *stage, uint32_t step, enum draw what)
{
	return (double)(rehearse_draw(stage, step, what) >> 11) / 9007199254740992.0;
}

/* Half to one and a half times what is expected, most often near it; and no longer than that the sum of all fits. */
static int64_t
rehearse_draw_length(struct stage *stage, uint32_t step)
{
	struct job_state *index = &stage->rehearsal->index;
	bool own = state_live(index, step)->phase == 0;
	double expect_s = own ? stage->loader->steps[step].expect_s : action_expect_s(step_action(index, step));
	double factor = 0.5 + (rehearse_draw_part(stage, step, DRAW_LENGTH) + rehearse_draw_part(stage, step,
	    DRAW_LENGTH_TOO)) / 2;

	return expect_s < LENGTH_MAX_S ? (int64_t)(expect_s * 1000 * factor + 0.5) : (int64_t)LENGTH_MAX_S * 1000;
}

static bool
rehearse_ends_before(const struct running *a, const struct running *b)
{
	return a->end_ms != b->end_ms ? a->end_ms < b->end_ms : a->order < b->order;
}

static void
rehearse_push(struct stage *stage, struct running entry)
{
	struct running *heap = stage->running;
	uint32_t i = stage->running_count++;

	for (; i > 0 && rehearse_ends_before(&entry, &heap[(i - 1) / 2]); i = (i - 1) / 2)
		heap[i] = heap[(i - 1) / 2];
	heap[i] = entry;
}

static struct running
rehearse_pop(struct stage *stage)
{
	struct running *heap = stage->running, top = heap[0], last = heap[--stage->running_count];
	uint32_t i = 0, child;

	while ((child = 2 * i + 1) < stage->running_count) {
		if (child + 1 < stage->running_count && rehearse_ends_before(&heap[child + 1], &heap[child]))
			child++;
		if (!rehearse_ends_before(&heap[child], &last))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = last;
	return top;
}

static int
rehearse_record(struct stage *stage, struct event *event, struct error *err)
{
	event->seq = ++stage->seq;
	event->at_ms = stage->now_ms;
	if (fold(&stage->rehearsal->index, event, 0, err) < 0)
		return -1;
	if (stage->options->events)
		event_print(event, stage->options->events);
	return 0;
}

static int
rehearse_begin(struct stage *stage, uint32_t step, struct error *err)
{
	struct rehearsal *rehearsal = stage->rehearsal;
	struct job_state *index = &rehearsal->index;
	uint32_t slot = stage->free_slots[--stage->free_count];
	enum action action = step_action(index, step);
	char by[32];
	struct event take = {.kind = EVENT_TAKE, .task = state_step_id(index, step), .by = by,
	    .attempt = (int64_t)state_live(index, step)->attempt + 1,
	    .action = state_live(index, step)->phase ? action_name(action) : NULL};
	struct running entry = {.order = rehearsal->attempts++, .step = step, .slot = slot};
	int64_t length_ms;

	snprintf(by, sizeof by, "slot-%u", slot + 1);
	if (rehearse_record(stage, &take, err) < 0)
		return -1;
	length_ms = rehearse_draw_length(stage, step);
	entry.fails = rehearse_draw_part(stage, step, DRAW_FAILURE) < stage->options->failures;
	if (entry.fails)
		length_ms = (int64_t)((double)length_ms * rehearse_draw_part(stage, step, DRAW_PART));
	entry.end_ms = stage->now_ms + length_ms;
	rehearse_push(stage, entry);
	stage->spent_ms[step] += length_ms;
	stage->node_ms[state_step(index, step)->node] += length_ms;
	rehearsal->work_ms += length_ms;
	if (stage->running_count > rehearsal->peak)
		rehearsal->peak = stage->running_count;
	return 0;
}

static int
rehearse_fail(struct stage *stage, uint32_t step, struct event *event, struct error *err)
{
	event->status = 1;
	event->result = "{\"message\":\"drawn to fail\",\"status\":1}";
	policy_decide_by(&stage->rehearsal->index, step, event, stage->now_ms, (uint32_t)rehearse_draw(stage, step,
	    DRAW_BACKOFF));
	stage->rehearsal->failures++;
	stage->rehearsal->retries += event->next != EVENT_NEXT_FAILED;
	stage->rehearsal->undone += event->next == EVENT_NEXT_UNDO;
	if (event->ready_ms > stage->now_ms)
		stage->spent_ms[step] += event->ready_ms - stage->now_ms;
	return rehearse_record(stage, event, err);
}

static int
rehearse_end(struct stage *stage, struct error *err)
{
	struct running over = rehearse_pop(stage);
	struct job_state *index = &stage->rehearsal->index;
	struct event event = {.kind = over.fails ? EVENT_FAIL : EVENT_DONE, .task = state_step_id(index, over.step),
	    .attempt = state_live(index, over.step)->attempt, .result = "{\"status\":0}"};

	stage->free_slots[stage->free_count++] = over.slot;
	return over.fails ? rehearse_fail(stage, over.step, &event, err) : rehearse_record(stage, &event, err);
}

/* When the next attempt ends or the next retry is due; -1: never. */
static int64_t
rehearse_next_instant(const struct stage *stage)
{
	struct job_state *index = &stage->rehearsal->index;
	uint32_t timer = timer_first(index);
	int64_t due_ms = timer ? state_live(index, timer - 1)->due_ms : -1;

	if (stage->running_count == 0 || (timer && due_ms < stage->running[0].end_ms))
		return due_ms;
	return stage->running[0].end_ms;
}

static int
rehearse_play(struct stage *stage, struct error *err)
{
	struct job_state *index = &stage->rehearsal->index;
	int64_t next_ms;
	uint32_t link;

	do {
		while (stage->running_count > 0 && stage->running[0].end_ms <= stage->now_ms)
			if (rehearse_end(stage, err) < 0)
				return -1;
		step_due(index, stage->now_ms);
		while (stage->free_count > 0 && (link = ready_first(index)) != 0)
			if (rehearse_begin(stage, link - 1, err) < 0)
				return -1;
		next_ms = rehearse_next_instant(stage);
		if (next_ms > stage->now_ms)
			stage->now_ms = next_ms;
	} while (next_ms >= 0);
	return 0;
}

static int
rehearse_play_job(struct stage *stage, struct error *err)
{
	const struct job *job = &stage->loader->job;
	struct rehearsal *rehearsal = stage->rehearsal;
	struct event put = {.kind = EVENT_PUT, .boot = BOOT, .job = stage->options->job, .cluster = job->cluster,
	    .tenant = job->tenant, .order = 1, .backoff_ms = stage->options->backoff_ms};
	struct event finish = {.kind = EVENT_FINISH};

	step_begin_all(&rehearsal->index);
	if (rehearse_record(stage, &put, err) < 0 || rehearse_play(stage, err) < 0)
		return -1;
	rehearsal->makespan_ms = stage->now_ms;
	finish.reason = queue_status_name(fold_outcome(&rehearsal->index));
	return rehearse_record(stage, &finish, err);
}

/* The longest way to the end of each step, and the step before it on that way (a link), in any order of the plan. */
static uint32_t
rehearse_measure(struct job_state *index, const int64_t *spent_ms, int64_t *until_ms, uint32_t *before)
{
	uint32_t count = index->header->step_count, *missing = memory_zeroed(count, sizeof *missing);
	uint32_t *list = memory_zeroed(count, sizeof *list), filled = 0, last = 0;

	for (uint32_t i = 0; i < count; i++)
		if ((missing[i] = index->steps[i].waits) == 0)
			list[filled++] = i;
	for (uint32_t at = 0; at < filled; at++) {
		const struct state_step *step = &index->steps[list[at]];

		until_ms[list[at]] += spent_ms[list[at]];
		if (until_ms[list[at]] > until_ms[last])
			last = list[at];
		for (uint32_t i = 0; i < step->next_count; i++) {
			uint32_t next = index->edges[step->next_first + i];

			if (until_ms[list[at]] > until_ms[next] || before[next] == 0) {
				until_ms[next] = until_ms[list[at]];
				before[next] = list[at] + 1;
			}
			if (--missing[next] == 0)
				list[filled++] = next;
		}
	}
	free(missing);
	free(list);
	return last;
}

static void
rehearse_find_critical_path(struct stage *stage)
{
	struct rehearsal *rehearsal = stage->rehearsal;
	struct job_state *index = &rehearsal->index;
	uint32_t count = index->header->step_count, *before = memory_zeroed(count, sizeof *before), link = 0, at = 0;
	int64_t *until_ms = memory_zeroed(count, sizeof *until_ms);

	if (count > 0) {
		link = rehearse_measure(index, stage->spent_ms, until_ms, before) + 1;
		rehearsal->critical_ms = until_ms[link - 1];
	}
	for (uint32_t i = link; i; i = before[i - 1])
		rehearsal->path_count += !index->steps[i - 1].is_milestone;
	rehearsal->path = memory_zeroed(rehearsal->path_count, sizeof *rehearsal->path);
	at = rehearsal->path_count;
	for (uint32_t i = link; i; i = before[i - 1])
		if (!index->steps[i - 1].is_milestone)
			rehearsal->path[--at] = i - 1;
	free(before);
	free(until_ms);
}

static void
rehearse_find_busiest_node(struct stage *stage)
{
	struct rehearsal *rehearsal = stage->rehearsal;

	for (uint32_t i = 0; i < rehearsal->index.header->node_count; i++)
		if (stage->node_ms[i] > rehearsal->node_ms) {
			rehearsal->node_ms = stage->node_ms[i];
			rehearsal->node = i;
		}
}

int
rehearse(const struct plan_loader *loader, const struct rehearse_options *options, struct rehearsal *rehearsal,
    struct error *err)
{
	struct stage stage = {.options = options, .loader = loader, .rehearsal = rehearsal,
	    .free_count = options->slots};
	int result;

	*rehearsal = (struct rehearsal){0};
	if (plan_loader_state(loader, -1, BOOT, BOOT, &rehearsal->index, err) < 0)
		return -1;
	stage.running = memory_zeroed(options->slots, sizeof *stage.running);
	stage.free_slots = memory_zeroed(options->slots, sizeof *stage.free_slots);
	stage.spent_ms = memory_zeroed(loader->step_count, sizeof *stage.spent_ms);
	stage.node_ms = memory_zeroed(loader->node_count, sizeof *stage.node_ms);
	for (uint32_t i = 0; i < options->slots; i++)
		stage.free_slots[i] = options->slots - 1 - i;

	result = rehearse_play_job(&stage, err);
	if (result == 0) {
		rehearse_find_critical_path(&stage);
		rehearse_find_busiest_node(&stage);
	}

	free(stage.running);
	free(stage.free_slots);
	free(stage.spent_ms);
	free(stage.node_ms);
	return result;
}

void
rehearsal_release(struct rehearsal *rehearsal)
{
	state_unmap(&rehearsal->index);
	free(rehearsal->path);
	*rehearsal = (struct rehearsal){0};
}

int64_t
rehearsal_bound_ms(const struct rehearsal *rehearsal, uint32_t slots)
{
	int64_t share_ms = (rehearsal->work_ms + slots - 1) / slots;
	int64_t longest_ms = rehearsal->critical_ms > rehearsal->node_ms ? rehearsal->critical_ms : rehearsal->node_ms;

	return longest_ms > share_ms ? longest_ms : share_ms;
}
