/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/spool/job/ready.h"

#include "queue/spool/shared/heap.h"

static bool
ready_step_precedes(void *of, uint32_t a, uint32_t b)
{
	double x = index_step(of, a)->rank, y = index_step(of, b)->rank;

	return x > y || (x == y && a < b);
}

static struct heap_links *
ready_step_links(void *of, uint32_t step)
{
	return &index_live(of, step)->links;
}

static bool
ready_node_precedes(void *of, uint32_t a, uint32_t b)
{
	return ready_step_precedes(of, index_node(of, a)->best - 1, index_node(of, b)->best - 1);
}

/* Places are looked at before they are used: what stands in a damaged file may lead anywhere. */
static uint32_t *
ready_item(void *of, uint32_t at)
{
	return index_number(of, INDEX_READY, at);
}

static uint32_t *
ready_place(void *of, uint32_t node)
{
	return &index_node(of, node)->place;
}

static uint32_t *
ready_timer_item(void *of, uint32_t at)
{
	return index_number(of, INDEX_TIMERS, at);
}

static uint32_t *
ready_timer_place(void *of, uint32_t step)
{
	return &index_live(of, step)->timer;
}

static bool
ready_timer_precedes(void *of, uint32_t a, uint32_t b)
{
	return index_live(of, a)->due_ms < index_live(of, b)->due_ms;
}

static struct heap_tree
ready_steps_of_a_node(struct index *index)
{
	return (struct heap_tree){index, ready_step_links, ready_step_precedes};
}

static struct heap
ready_idle_nodes(struct index *index)
{
	return (struct heap){index, &index->header->ready_count, ready_item, ready_place, ready_node_precedes};
}

static struct heap
ready_timers(struct index *index)
{
	return (struct heap){index, &index->header->timer_count, ready_timer_item, ready_timer_place, ready_timer_precedes};
}

/* Merges into the best of a node. */
static uint32_t
ready_merge(struct index *index, uint32_t a, uint32_t b)
{
	struct heap_tree tree = ready_steps_of_a_node(index);
	uint32_t root = heap_merge(&tree, a, b);

	if ((a || b) && !root)
		index->broken = true;
	return root;
}

/* Brings the node's place in the heap in line with what it has and whether it is busy. */
static void
ready_node_settle(struct index *index, uint32_t number)
{
	struct index_node *node = index_node(index, number);
	struct heap idle = ready_idle_nodes(index);
	bool offers = node->best && !node->busy;

	if (index->broken || node->place > index->header->ready_count ||
	    index->header->ready_count > index->header->node_count - (offers && !node->place)) {
		index->broken = true;
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
ready_add(struct index *index, uint32_t step)
{
	struct index_node *node = index_node(index, index_step(index, step)->node);

	index_live(index, step)->links = (struct heap_links){0, 0, 1};
	node->best = ready_merge(index, node->best, step + 1);
	ready_node_settle(index, index_step(index, step)->node);
}

uint32_t
ready_first(struct index *index)
{
	if (index->header->ready_count == 0)
		return 0;
	return index_node(index, *index_number(index, INDEX_READY, 0))->best;
}

void
ready_remove(struct index *index, uint32_t step)
{
	struct index_live *live = index_live(index, step);
	uint32_t number = index_step(index, step)->node;
	struct index_node *node = index_node(index, number);
	struct heap idle = ready_idle_nodes(index);

	if (node->best != step + 1) {
		index->broken = true;
		return;
	}
	/* The node leaves the heap with its old best: the heap's order must hold while it is mended. */
	if (node->place && node->place <= index->header->ready_count)
		heap_remove(&idle, number);
	node->best = ready_merge(index, live->links.left, live->links.right);
	live->links = (struct heap_links){0};
	ready_node_settle(index, number);
}

/* The heap below a link without one of its steps; budget keeps damage from going on for ever. */
static uint32_t
ready_without(struct index *index, uint32_t link, uint32_t step, uint32_t *budget)
{
	struct heap_links links;
	uint32_t rest;

	if (!link || index->broken)
		return 0;
	if ((*budget)-- == 0) {
		index->broken = true;
		return 0;
	}
	links = index_live(index, link - 1)->links;
	rest = ready_without(index, links.left, step, budget);
	rest = ready_merge(index, rest, ready_without(index, links.right, step, budget));
	index_live(index, link - 1)->links = (struct heap_links){0, 0, link - 1 != step};
	return link - 1 == step ? rest : ready_merge(index, rest, link);
}

void
ready_drop(struct index *index, uint32_t step)
{
	uint32_t number = index_step(index, step)->node, budget = index->header->count[STEP_READY];
	struct index_node *node = index_node(index, number);
	struct heap idle = ready_idle_nodes(index);

	if (node->place && node->place <= index->header->ready_count)
		heap_remove(&idle, number);
	node->best = ready_without(index, node->best, step, &budget);
	ready_node_settle(index, number);
}

void
ready_set_busy(struct index *index, uint32_t node, bool busy)
{
	index_node(index, node)->busy = busy;
	ready_node_settle(index, node);
}

void
timer_add(struct index *index, uint32_t step)
{
	struct heap heap = ready_timers(index);

	if (index->header->timer_count >= index->header->step_count)
		index->broken = true;
	else
		heap_add(&heap, step);
}

void
timer_remove(struct index *index, uint32_t step)
{
	struct heap heap = ready_timers(index);
	uint32_t link = index_live(index, step)->timer;

	if (link > index->header->timer_count)
		index->broken = true;
	else if (link)
		heap_remove(&heap, step);
}

uint32_t
timer_first(struct index *index)
{
	return index->header->timer_count ? *index_number(index, INDEX_TIMERS, 0) + 1 : 0;
}
