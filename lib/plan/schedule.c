/* SPDX-License-Identifier: Apache-2.0
 *
 * How long a plan takes: its longest way, and a simulation of it on a clock of its own.
 */
#include <stdlib.h>

#include "plan/plan.h"

/* Returns the step of highest rank in a list; the first of equals. */
static uint32_t
schedule_highest(const struct plan *plan, const uint32_t *list, size_t count)
{
	uint32_t best = list[0];

	for (size_t i = 1; i < count; i++)
		if (plan->steps[list[i]].rank > plan->steps[best].rank)
			best = list[i];
	return best;
}

size_t
plan_critical_path(const struct plan *plan, uint32_t *path)
{
	const struct neighbours *successors = &plan->successors;
	uint32_t best = 0;
	size_t count = 0;

	if (plan->count == 0)
		return 0;
	for (uint32_t i = 1; i < plan->count; i++)
		if (plan->steps[i].rank > plan->steps[best].rank)
			best = i;
	path[count++] = best;
	for (;;) {
		size_t first = successors->first[best], end = successors->first[best + 1];

		if (first == end)
			return count;
		best = schedule_highest(plan, successors->list + first, end - first);
		path[count++] = best;
	}
}

/* Steps in a binary heap, the one with the least key on top; of equal keys the one with the least number. */
struct heap {
	struct heap_entry {
		double key;
		uint32_t step;
	} *list;
	size_t count, capacity;
};

static bool
schedule_is_before(const struct heap_entry *a, const struct heap_entry *b)
{
	return a->key != b->key ? a->key < b->key : a->step < b->step;
}

static void
schedule_heap_push(struct heap *heap, double key, uint32_t step)
{
	struct heap_entry entry = {key, step};
	size_t i;

	ARRAY_ROOM(heap->list, heap->count, heap->capacity);
	for (i = heap->count++; i > 0 && schedule_is_before(&entry, &heap->list[(i - 1) / 2]); i = (i - 1) / 2)
		heap->list[i] = heap->list[(i - 1) / 2];
	heap->list[i] = entry;
}

static struct heap_entry
schedule_heap_pop(struct heap *heap)
{
	struct heap_entry top = heap->list[0], last = heap->list[--heap->count];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < heap->count) {
		if (child + 1 < heap->count && schedule_is_before(&heap->list[child + 1], &heap->list[child]))
			child++;
		if (!schedule_is_before(&heap->list[child], &last))
			break;
		heap->list[i] = heap->list[child];
		i = child;
	}
	heap->list[i] = last;
	return top;
}

struct simulation {
	const struct plan *plan;
	size_t workers;       /* that are idle */
	size_t *waiting;      /* of each step: how many steps before it are not done */
	struct heap *ready;   /* of each node: its tasks that may start, the highest rank first */
	bool *busy;           /* of each node: a task of it runs */
	struct heap offers;   /* tasks that were the first of their node when they came in; some of them are not any more */
	struct heap running;  /* by the time of their end */
	uint32_t *done;       /* steps that are done, whose successors still wait */
	size_t done_count;
};

/* Puts the first of a node's tasks among those that workers choose from. */
static void
schedule_offer(struct simulation *simulation, uint32_t node)
{
	const struct heap *ready = &simulation->ready[node];

	if (ready->count > 0 && !simulation->busy[node])
		schedule_heap_push(&simulation->offers, ready->list[0].key, ready->list[0].step);
}

/* Takes a step when all before it is done: a milestone is done with that, a task waits for its node. */
static void
schedule_get_ready(struct simulation *simulation, uint32_t step)
{
	const struct plan *plan = simulation->plan;
	struct heap *ready;

	if (plan->steps[step].is_milestone) {
		simulation->done[simulation->done_count++] = step;
		return;
	}
	ready = &simulation->ready[plan->nodes[step]];
	schedule_heap_push(ready, -plan->steps[step].rank, step);
	if (ready->list[0].step == step)
		schedule_offer(simulation, plan->nodes[step]);
}

static void
schedule_tell_successors(struct simulation *simulation)
{
	const struct neighbours *successors = &simulation->plan->successors;

	while (simulation->done_count > 0) {
		uint32_t step = simulation->done[--simulation->done_count];

		for (size_t i = successors->first[step]; i < successors->first[step + 1]; i++)
			if (--simulation->waiting[successors->list[i]] == 0)
				schedule_get_ready(simulation, successors->list[i]);
	}
}

static void
schedule_start_tasks(struct simulation *simulation, double now)
{
	while (simulation->workers > 0 && simulation->offers.count > 0) {
		uint32_t step = schedule_heap_pop(&simulation->offers).step, node = simulation->plan->nodes[step];
		struct heap *ready = &simulation->ready[node];

		/* The node has begun another task since, or one that came later was before this. */
		if (simulation->busy[node] || ready->count == 0 || ready->list[0].step != step)
			continue;
		schedule_heap_pop(ready);
		simulation->busy[node] = true;
		simulation->workers--;
		schedule_heap_push(&simulation->running, now + simulation->plan->steps[step].expect_s, step);
	}
}

/* Ends what is to end next, and all that ends at the same time; returns when. */
static double
schedule_end_tasks(struct simulation *simulation)
{
	double now = simulation->running.list[0].key;

	while (simulation->running.count > 0 && simulation->running.list[0].key <= now) {
		uint32_t step = schedule_heap_pop(&simulation->running).step, node = simulation->plan->nodes[step];

		simulation->done[simulation->done_count++] = step;
		simulation->busy[node] = false;
		simulation->workers++;
		schedule_offer(simulation, node);
	}
	return now;
}

static double
schedule_simulate(struct simulation *simulation)
{
	const struct neighbours *successors = &simulation->plan->successors;
	size_t count = simulation->plan->count;
	double now = 0;

	for (size_t i = 0; i < successors->first[count]; i++)
		simulation->waiting[successors->list[i]]++;
	for (uint32_t i = 0; i < count; i++)
		if (simulation->waiting[i] == 0)
			schedule_get_ready(simulation, i);
	schedule_tell_successors(simulation);
	schedule_start_tasks(simulation, now);
	while (simulation->running.count > 0) {
		now = schedule_end_tasks(simulation);
		schedule_tell_successors(simulation);
		schedule_start_tasks(simulation, now);
	}
	return now;
}

double
plan_duration(const struct plan *plan, size_t workers)
{
	struct simulation simulation = {.plan = plan};
	size_t nodes = 0;
	double duration;

	for (size_t i = 0; i < plan->count; i++)
		if (plan->nodes[i] != GRAPH_NONE && plan->nodes[i] >= nodes)
			nodes = plan->nodes[i] + 1;
	simulation.workers = workers ? workers : nodes;
	simulation.waiting = memory_zeroed(plan->count, sizeof *simulation.waiting);
	simulation.ready = memory_zeroed(nodes, sizeof *simulation.ready);
	simulation.busy = memory_zeroed(nodes, sizeof *simulation.busy);
	simulation.done = memory_resize(NULL, plan->count, sizeof *simulation.done);

	duration = schedule_simulate(&simulation);

	for (size_t i = 0; i < nodes; i++)
		free(simulation.ready[i].list);
	free(simulation.waiting);
	free(simulation.ready);
	free(simulation.busy);
	free(simulation.offers.list);
	free(simulation.running.list);
	free(simulation.done);
	return duration;
}
