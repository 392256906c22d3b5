/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/job/ready.h"

#include "queue/job/heap.h"

static bool
ready_step_precedes(void *of, uint32_t a, uint32_t b)
{
	double x = state_step(of, a)->rank, y = state_step(of, b)->rank;

	return x > y || (x == y && a < b);
}

static struct heap_links *
ready_step_links(void *of, uint32_t step)
{
	return &state_live(of, step)->links;
}

static bool
ready_node_precedes(void *of, uint32_t a, uint32_t b)
{
	return ready_step_precedes(of, state_node(of, a)->best - 1, state_node(of, b)->best - 1);
}

/* Places are looked at before they are used: what stands in a damaged file may lead anywhere. */
static uint32_t *
ready_item(void *of, uint32_t at)
{
	return state_number(of, STATE_READY, at);
}

static uint32_t *
ready_place(void *of, uint32_t node)
{
	return &state_node(of, node)->place;
}

static uint32_t *
ready_timer_item(void *of, uint32_t at)
{
	return state_number(of, STATE_TIMERS, at);
}

static uint32_t *
ready_timer_place(void *of, uint32_t step)
{
	return &state_live(of, step)->timer;
}

static bool
ready_timer_precedes(void *of, uint32_t a, uint32_t b)
{
	return state_live(of, a)->due_ms < state_live(of, b)->due_ms;
}

static struct heap
ready_idle_nodes(struct job_state *state)
{
	return (struct heap){state, &state->header->ready_count, ready_item, ready_place, ready_node_precedes};
}

static struct heap
ready_timers(struct job_state *state)
{
	return (struct heap){state, &state->header->timer_count, ready_timer_item, ready_timer_place, ready_timer_precedes};
}

/* Merges into the best of a node. */
static uint32_t
ready_merge(struct job_state *state, uint32_t a, uint32_t b)
{
	struct heap_tree tree = {state, ready_step_links, ready_step_precedes};
	uint32_t root = heap_merge(&tree, a, b);

	if ((a || b) && !root)
		state->broken = true;
	return root;
}

/* Brings the node's place in the heap in line with what it has and whether it is busy. */
static void
ready_update_node(struct job_state *state, uint32_t number)
{
	struct state_node *node = state_node(state, number);
	struct heap idle = ready_idle_nodes(state);
	bool offers = node->best && !node->busy;

	if (state->broken || node->place > state->header->ready_count ||
	    state->header->ready_count > state->header->node_count - (offers && !node->place)) {
		state->broken = true;
		return;
	}
	if (node->place && !offers)
		heap_remove(&idle, number);
	else if (node->place)
		heap_update(&idle, number);
	else if (offers)
		heap_add(&idle, number);
}

void
ready_add(struct job_state *state, uint32_t step)
{
	struct state_node *node = state_node(state, state_step(state, step)->node);

	state_live(state, step)->links = (struct heap_links){0, 0, 1};
	node->best = ready_merge(state, node->best, step + 1);
	ready_update_node(state, state_step(state, step)->node);
}

uint32_t
ready_first(struct job_state *state)
{
	if (state->header->ready_count == 0)
		return 0;
	return state_node(state, *state_number(state, STATE_READY, 0))->best;
}

void
ready_remove(struct job_state *state, uint32_t step)
{
	struct state_live *live = state_live(state, step);
	uint32_t number = state_step(state, step)->node;
	struct state_node *node = state_node(state, number);
	struct heap idle = ready_idle_nodes(state);

	if (node->best != step + 1) {
		state->broken = true;
		return;
	}
	/* The node leaves the heap with its old best: the heap's order must hold while it is repaired. */
	if (node->place && node->place <= state->header->ready_count)
		heap_remove(&idle, number);
	node->best = ready_merge(state, live->links.left, live->links.right);
	live->links = (struct heap_links){0};
	ready_update_node(state, number);
}

/* The heap below a link without one of its steps; budget keeps damage from going on for ever. */
static uint32_t
ready_without(struct job_state *state, uint32_t link, uint32_t step, uint32_t *budget)
{
	struct heap_links links;
	uint32_t rest;

	if (!link || state->broken)
		return 0;
	if ((*budget)-- == 0) {
		state->broken = true;
		return 0;
	}
	links = state_live(state, link - 1)->links;
	rest = ready_without(state, links.left, step, budget);
	rest = ready_merge(state, rest, ready_without(state, links.right, step, budget));
	state_live(state, link - 1)->links = (struct heap_links){0, 0, link - 1 != step};
	return link - 1 == step ? rest : ready_merge(state, rest, link);
}

void
ready_drop(struct job_state *state, uint32_t step)
{
	uint32_t number = state_step(state, step)->node, budget = state->header->count[STEP_READY];
	struct state_node *node = state_node(state, number);
	struct heap idle = ready_idle_nodes(state);

	if (node->place && node->place <= state->header->ready_count)
		heap_remove(&idle, number);
	node->best = ready_without(state, node->best, step, &budget);
	ready_update_node(state, number);
}

void
ready_set_busy(struct job_state *state, uint32_t node, bool busy)
{
	state_node(state, node)->busy = busy;
	ready_update_node(state, node);
}

void
timer_add(struct job_state *state, uint32_t step)
{
	struct heap heap = ready_timers(state);

	if (state->header->timer_count >= state->header->step_count)
		state->broken = true;
	else
		heap_add(&heap, step);
}

void
timer_remove(struct job_state *state, uint32_t step)
{
	struct heap heap = ready_timers(state);
	uint32_t link = state_live(state, step)->timer;

	if (link > state->header->timer_count)
		state->broken = true;
	else if (link)
		heap_remove(&heap, step);
}

uint32_t
timer_first(struct job_state *state)
{
	return state->header->timer_count ? *state_number(state, STATE_TIMERS, 0) + 1 : 0;
}
