/* SPDX-License-Identifier: Apache-2.0
 *
 * How long a plan takes: its longest way, and a simulation of it on a clock of its own.
 */
#include <stdlib.h>

#include "base/priority-queue.h"
#include "plan/plan.h"

size_t
plan_critical_path(const struct plan *plan, uint32_t *path)
{
	const struct neighbours *successors = &plan->successors;
	uint32_t highest = GRAPH_NONE;
	size_t count = 0;

	for (uint32_t i = 0; i < plan->count; i++)
		if (highest == GRAPH_NONE || plan->steps[i].rank > plan->steps[highest].rank)
			highest = i;
	while (highest != GRAPH_NONE) {
		size_t at = successors->first[highest], end = successors->first[highest + 1];

		path[count++] = highest;
		for (highest = GRAPH_NONE; at < end; at++) {
			uint32_t next = successors->list[at];

			if (highest == GRAPH_NONE || plan->steps[next].rank > plan->steps[highest].rank)
				highest = next;
		}
	}
	return count;
}

struct schedule {
	const struct plan *plan;
	const double *seconds;         /* of each step, as long as it takes; NULL: expect_s */
	size_t workers;                /* that are idle */
	size_t *waiting;               /* of each step: how many steps before it are not done */
	struct priority_queue *ready;  /* of each node: its tasks that may start, the highest rank first */
	bool *busy;                    /* of each node: a task of it runs */
	struct priority_queue candidates; /* tasks that were the first of their node when they came in; some are not any more */
	struct priority_queue running; /* by the time of their end */
	uint32_t *done;                /* steps that are done, whose successors still wait */
	size_t done_count;
};

/* Puts the first of a node's tasks among those that workers choose from. */
static void
schedule_add_candidate(struct schedule *schedule, uint32_t node)
{
	const struct priority_queue *ready = &schedule->ready[node];

	if (ready->count > 0 && !schedule->busy[node])
		priority_queue_push(&schedule->candidates, ready->list[0].key, ready->list[0].order, ready->list[0].item);
}

/* Takes a step when all before it is done: a milestone is done with that, a task waits for its node. */
static void
schedule_get_ready(struct schedule *schedule, uint32_t step)
{
	const struct plan *plan = schedule->plan;
	struct priority_queue *ready;

	if (plan->steps[step].is_milestone) {
		schedule->done[schedule->done_count++] = step;
		return;
	}
	ready = &schedule->ready[plan->nodes[step]];
	priority_queue_push(ready, -plan->steps[step].rank, step, step);
	if (ready->list[0].item == step)
		schedule_add_candidate(schedule, plan->nodes[step]);
}

/* Readies the successors of what is done, and starts as many tasks as there are workers for. */
static void
schedule_start_tasks(struct schedule *schedule, double now)
{
	const struct neighbours *successors = &schedule->plan->successors;

	while (schedule->done_count > 0) {
		uint32_t step = schedule->done[--schedule->done_count];

		for (size_t i = successors->first[step]; i < successors->first[step + 1]; i++)
			if (--schedule->waiting[successors->list[i]] == 0)
				schedule_get_ready(schedule, successors->list[i]);
	}
	while (schedule->workers > 0 && schedule->candidates.count > 0) {
		uint32_t step = priority_queue_pop(&schedule->candidates), node = schedule->plan->nodes[step];
		struct priority_queue *ready = &schedule->ready[node];

		/* The node has begun another task since, or one that came later was before this. */
		if (schedule->busy[node] || ready->count == 0 || ready->list[0].item != step)
			continue;
		priority_queue_pop(ready);
		schedule->busy[node] = true;
		schedule->workers--;
		priority_queue_push(&schedule->running, now + (schedule->seconds ? schedule->seconds[step]
		    : schedule->plan->steps[step].expect_s), step, step);
	}
}

/* Ends the tasks that end next, all at the same time, and returns that time. */
static double
schedule_end_tasks(struct schedule *schedule)
{
	double now = schedule->running.list[0].key;

	while (schedule->running.count > 0 && schedule->running.list[0].key <= now) {
		uint32_t step = priority_queue_pop(&schedule->running), node = schedule->plan->nodes[step];

		schedule->done[schedule->done_count++] = step;
		schedule->busy[node] = false;
		schedule->workers++;
		schedule_add_candidate(schedule, node);
	}
	return now;
}

double
plan_duration(const struct plan *plan, const double *seconds, size_t workers)
{
	const struct neighbours *successors = &plan->successors;
	struct schedule schedule = {.plan = plan, .seconds = seconds};
	size_t nodes = 0;
	double now = 0;

	for (size_t i = 0; i < plan->count; i++)
		if (plan->nodes[i] != GRAPH_NONE && plan->nodes[i] >= nodes)
			nodes = plan->nodes[i] + 1;
	schedule.workers = workers ? workers : nodes;
	schedule.waiting = memory_zeroed(plan->count, sizeof *schedule.waiting);
	schedule.ready = memory_zeroed(nodes, sizeof *schedule.ready);
	schedule.busy = memory_zeroed(nodes, sizeof *schedule.busy);
	schedule.done = memory_resize(NULL, plan->count, sizeof *schedule.done);

	for (size_t i = 0; i < successors->first[plan->count]; i++)
		schedule.waiting[successors->list[i]]++;
	for (uint32_t i = 0; i < plan->count; i++)
		if (schedule.waiting[i] == 0)
			schedule_get_ready(&schedule, i);
	schedule_start_tasks(&schedule, now);
	while (schedule.running.count > 0) {
		now = schedule_end_tasks(&schedule);
		schedule_start_tasks(&schedule, now);
	}

	for (size_t i = 0; i < nodes; i++)
		free(schedule.ready[i].list);
	free(schedule.waiting);
	free(schedule.ready);
	free(schedule.busy);
	free(schedule.candidates.list);
	free(schedule.running.list);
	free(schedule.done);
	return now;
}
