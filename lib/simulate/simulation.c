/* SPDX-License-Identifier: Apache-2.0 */
#include "simulate/simulation.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/priority-queue.h"
#include "queue/job/fold.h"
#include "queue/job/id.h"
#include "queue/job/policy.h"
#include "queue/job/ready.h"
#include "queue/job/step.h"

#define BOOT "rehearsal"

enum { LENGTH_MAX_S = 1000 * 1000 * 1000 };

struct slot { /* the attempt that runs in it */
	uint32_t step;
	bool fails;
};

struct simulator { /* a simulation while it goes on */
	const struct simulation_options *options;
	const struct plan_loader *loader;
	struct simulation *simulation;
	int64_t now_ms;
	uint64_t seq;
	struct slot *slots;
	struct priority_queue running; /* slots by the time when their attempts end; of two, the one that began first */
	uint32_t *free_slots;    /* a stack */
	uint32_t free_count;
	int64_t *spent_ms;       /* by step: its attempts, and the back-off between them */
	int64_t *node_ms;        /* by node */
};

enum draw { DRAW_LENGTH, DRAW_LENGTH_TOO, DRAW_FAILURE, DRAW_PART, DRAW_BACKOFF };

static uint64_t
simulation_mix(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* Returns a number that the seed, the task, its attempt and what it is drawn for decide. */
static uint64_t
simulation_draw(struct simulator *simulator, uint32_t step, enum draw what)
{
	struct job_state *index = &simulator->simulation->index;
	uint64_t task = id_hash(state_step_id(index, step)), attempt = state_live(index, step)->attempt;
	uint64_t seed = simulation_mix(simulator->options->seed + UINT64_C(0x9e3779b97f4a7c15));

	return simulation_mix(simulation_mix(seed ^ task) + attempt * 8 + (uint64_t)what);
}

/* Returns the same as a number from 0 to less than 1. */
static double
simulation_draw_part(struct simulator *simulator, uint32_t step, enum draw what)
{
	return (double)(simulation_draw(simulator, step, what) >> 11) / 9007199254740992.0;
}

/* Draws how many milliseconds an attempt takes: half to one and a half times what is expected, most often near it, and no
 * more than that the sum of all fits. */
static int64_t
simulation_draw_length(struct simulator *simulator, uint32_t step)
{
	struct job_state *index = &simulator->simulation->index;
	bool own = state_live(index, step)->phase == 0;
	double expect_s = own ? simulator->loader->steps[step].expect_s : action_expect_s(step_action(index, step));
	double factor = 0.5 + (simulation_draw_part(simulator, step, DRAW_LENGTH) + simulation_draw_part(simulator, step,
	    DRAW_LENGTH_TOO)) / 2;

	return expect_s < LENGTH_MAX_S ? (int64_t)(expect_s * 1000 * factor + 0.5) : (int64_t)LENGTH_MAX_S * 1000;
}

static int
simulation_record(struct simulator *simulator, struct event *event, struct error *err)
{
	event->seq = ++simulator->seq;
	event->at_ms = simulator->now_ms;
	if (fold(&simulator->simulation->index, event, 0, err) < 0)
		return -1;
	if (simulator->options->events)
		event_print(event, simulator->options->events);
	return 0;
}

static int
simulation_start(struct simulator *simulator, uint32_t step, struct error *err)
{
	struct simulation *simulation = simulator->simulation;
	struct job_state *index = &simulation->index;
	uint32_t slot = simulator->free_slots[--simulator->free_count];
	enum action action = step_action(index, step);
	char by[32];
	struct event take = {.kind = EVENT_TAKE, .task = state_step_id(index, step), .by = by,
	    .attempt = (int64_t)state_live(index, step)->attempt + 1,
	    .action = state_live(index, step)->phase ? action_name(action) : NULL};
	int64_t length_ms;
	bool fails;

	snprintf(by, sizeof by, "slot-%u", slot + 1);
	if (simulation_record(simulator, &take, err) < 0)
		return -1;
	length_ms = simulation_draw_length(simulator, step);
	fails = simulation_draw_part(simulator, step, DRAW_FAILURE) < simulator->options->failures;
	if (fails)
		length_ms = (int64_t)((double)length_ms * simulation_draw_part(simulator, step, DRAW_PART));
	simulator->slots[slot] = (struct slot){step, fails};
	priority_queue_push(&simulator->running, (double)(simulator->now_ms + length_ms), simulation->attempts++, slot);
	simulator->spent_ms[step] += length_ms;
	simulator->node_ms[state_step(index, step)->node] += length_ms;
	simulation->work_ms += length_ms;
	if (simulator->running.count > simulation->peak)
		simulation->peak = (uint32_t)simulator->running.count;
	return 0;
}

/* Ends the attempt that is the next to end. */
static int
simulation_end(struct simulator *simulator, struct error *err)
{
	struct simulation *simulation = simulator->simulation;
	struct job_state *index = &simulation->index;
	uint32_t slot = priority_queue_pop(&simulator->running);
	struct slot over = simulator->slots[slot];
	struct event event = {.kind = over.fails ? EVENT_FAIL : EVENT_DONE, .task = state_step_id(index, over.step),
	    .attempt = state_live(index, over.step)->attempt, .status = over.fails,
	    .result = over.fails ? "{\"message\":\"drawn to fail\",\"status\":1}" : "{\"status\":0}"};

	simulator->free_slots[simulator->free_count++] = slot;
	if (over.fails) {
		policy_decide_by(index, over.step, &event, simulator->now_ms,
		    (uint32_t)simulation_draw(simulator, over.step, DRAW_BACKOFF));
		simulation->failures++;
		simulation->retries += event.next != EVENT_NEXT_FAILED;
		simulation->undone += event.next == EVENT_NEXT_UNDO;
		if (event.ready_ms > simulator->now_ms)
			simulator->spent_ms[over.step] += event.ready_ms - simulator->now_ms;
	}
	return simulation_record(simulator, &event, err);
}

/* Returns when the attempt ends that is the first to end; -1 if none runs. */
static int64_t
simulation_first_end(const struct simulator *simulator)
{
	return simulator->running.count > 0 ? (int64_t)simulator->running.list[0].key : -1;
}

/* Goes from one time when an attempt ends or a retry is due to the next, until there is none. */
static int
simulation_play(struct simulator *simulator, struct error *err)
{
	struct job_state *index = &simulator->simulation->index;
	int64_t next_ms;
	uint32_t link;

	do {
		while (simulator->running.count > 0 && simulation_first_end(simulator) <= simulator->now_ms)
			if (simulation_end(simulator, err) < 0)
				return -1;
		step_due(index, simulator->now_ms);
		while (simulator->free_count > 0 && (link = ready_first(index)) != 0)
			if (simulation_start(simulator, link - 1, err) < 0)
				return -1;
		next_ms = simulation_first_end(simulator);
		link = timer_first(index);
		if (link && (next_ms < 0 || state_live(index, link - 1)->due_ms < next_ms))
			next_ms = state_live(index, link - 1)->due_ms;
		if (next_ms > simulator->now_ms)
			simulator->now_ms = next_ms;
	} while (next_ms >= 0);
	return 0;
}

/* Fills in the longest way to the end of each step, and the step before it on that way (a link), in any order of the plan.
 * Returns the step that ends last. */
static uint32_t
simulation_measure(struct job_state *index, const int64_t *spent_ms, int64_t *until_ms, uint32_t *before)
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
simulation_find_critical_path(struct simulator *simulator)
{
	struct simulation *simulation = simulator->simulation;
	struct job_state *index = &simulation->index;
	uint32_t count = index->header->step_count, *before = memory_zeroed(count, sizeof *before), link = 0, at = 0;
	int64_t *until_ms = memory_zeroed(count, sizeof *until_ms);

	if (count > 0) {
		link = simulation_measure(index, simulator->spent_ms, until_ms, before) + 1;
		simulation->critical_ms = until_ms[link - 1];
	}
	for (uint32_t i = link; i; i = before[i - 1])
		simulation->path_count += !index->steps[i - 1].is_milestone;
	simulation->path = memory_zeroed(simulation->path_count, sizeof *simulation->path);
	at = simulation->path_count;
	for (uint32_t i = link; i; i = before[i - 1])
		if (!index->steps[i - 1].is_milestone)
			simulation->path[--at] = i - 1;
	free(before);
	free(until_ms);
}

int
simulation_run(const struct plan_loader *loader, const struct simulation_options *options, struct simulation *simulation,
    struct error *err)
{
	struct simulator simulator = {.options = options, .loader = loader, .simulation = simulation,
	    .free_count = options->slots};
	struct event put = {.kind = EVENT_PUT, .boot = BOOT, .job = options->job, .cluster = loader->job.cluster,
	    .tenant = loader->job.tenant, .order = 1, .backoff_ms = QUEUE_BACKOFF_MS};
	struct event finish = {.kind = EVENT_FINISH};
	int result;

	*simulation = (struct simulation){0};
	if (plan_loader_state(loader, -1, BOOT, BOOT, &simulation->index, err) < 0)
		return -1;
	simulator.slots = memory_zeroed(options->slots, sizeof *simulator.slots);
	simulator.free_slots = memory_zeroed(options->slots, sizeof *simulator.free_slots);
	simulator.spent_ms = memory_zeroed(loader->step_count, sizeof *simulator.spent_ms);
	simulator.node_ms = memory_zeroed(loader->node_count, sizeof *simulator.node_ms);
	for (uint32_t i = 0; i < options->slots; i++)
		simulator.free_slots[i] = options->slots - 1 - i;

	step_begin_all(&simulation->index);
	result = simulation_record(&simulator, &put, err);
	if (result == 0)
		result = simulation_play(&simulator, err);
	if (result == 0) {
		simulation->duration_ms = simulator.now_ms;
		finish.reason = queue_status_name(fold_outcome(&simulation->index));
		result = simulation_record(&simulator, &finish, err);
	}
	if (result == 0) {
		simulation_find_critical_path(&simulator);
		for (uint32_t i = 0; i < simulation->index.header->node_count; i++)
			if (simulator.node_ms[i] > simulation->node_ms) {
				simulation->node_ms = simulator.node_ms[i];
				simulation->node = i;
			}
	}

	free(simulator.running.list);
	free(simulator.slots);
	free(simulator.free_slots);
	free(simulator.spent_ms);
	free(simulator.node_ms);
	return result;
}

void
simulation_release(struct simulation *simulation)
{
	state_unmap(&simulation->index);
	free(simulation->path);
	*simulation = (struct simulation){0};
}

int64_t
simulation_bound_ms(const struct simulation *simulation, uint32_t slots)
{
	int64_t share_ms = (simulation->work_ms + slots - 1) / slots;
	int64_t longest_ms = simulation->critical_ms > simulation->node_ms ? simulation->critical_ms : simulation->node_ms;

	return longest_ms > share_ms ? longest_ms : share_ms;
}
