/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/ready.h"

/* No path of right links is longer than the logarithm of 2^32 steps; deeper is damage. */
enum { DEPTH_MAX = 64 };

static bool
step_precedes(struct index *index, uint32_t a, uint32_t b)
{
	double x = index_step(index, a)->rank, y = index_step(index, b)->rank;

	return x > y || (x == y && a < b);
}

/* Merges two leftist heaps, given and returned as links to their roots. */
static uint32_t
merge(struct index *index, uint32_t a, uint32_t b, int depth)
{
	struct index_live *live;
	uint32_t left, right;

	if (depth > DEPTH_MAX)
		index->broken = true;
	if (a == 0 || b == 0 || index->broken)
		return a ? a : b;
	if (step_precedes(index, b - 1, a - 1)) {
		uint32_t swap = a;

		a = b;
		b = swap;
	}
	live = index_live(index, a - 1);
	right = merge(index, live->right, b, depth + 1);
	left = live->left;
	if (left == 0 || index_live(index, left - 1)->distance < index_live(index, right - 1)->distance) {
		live->left = right;
		live->right = left;
	} else {
		live->right = right;
	}
	live->distance = live->right ? index_live(index, live->right - 1)->distance + 1 : 1;
	return a;
}

static bool
node_precedes(struct index *index, uint32_t a, uint32_t b)
{
	uint32_t x = index_node(index, a)->best, y = index_node(index, b)->best;

	return step_precedes(index, x - 1, y - 1);
}

static void
node_place(struct index *index, uint32_t at, uint32_t node)
{
	index->ready[at] = node;
	index_node(index, node)->place = at + 1;
}

static void
node_up(struct index *index, uint32_t at)
{
	uint32_t node = index->ready[at];

	for (uint32_t up; at > 0; at = up) {
		up = (at - 1) / 2;
		if (!node_precedes(index, node, index->ready[up]))
			break;
		node_place(index, at, index->ready[up]);
	}
	node_place(index, at, node);
}

static void
node_down(struct index *index, uint32_t at)
{
	uint32_t node = index->ready[at], count = index->header->ready_count, child;

	for (; (child = 2 * at + 1) < count; at = child) {
		if (child + 1 < count && node_precedes(index, index->ready[child + 1], index->ready[child]))
			child++;
		if (!node_precedes(index, index->ready[child], node))
			break;
		node_place(index, at, index->ready[child]);
	}
	node_place(index, at, node);
}

static void
node_leave(struct index *index, uint32_t node)
{
	uint32_t at = index_node(index, node)->place - 1, last = --index->header->ready_count;

	index_node(index, node)->place = 0;
	if (at == last)
		return;
	node_place(index, at, index->ready[last]);
	node_down(index, at);
	node_up(index, index_node(index, index->ready[at])->place - 1);
}

/* Brings the node's place in the heap in line with what it has and whether it is busy. */
static void
node_settle(struct index *index, uint32_t number)
{
	struct index_node *node = index_node(index, number);
	bool offers = node->best && !node->busy;

	if (index->broken || node->place > index->header->ready_count ||
	    index->header->ready_count > index->header->node_count - (offers && !node->place)) {
		index->broken = true;
		return;
	}
	if (node->place && !offers) {
		node_leave(index, number);
	} else if (node->place) {
		node_down(index, node->place - 1);
		node_up(index, node->place - 1);
	} else if (offers) {
		node_place(index, index->header->ready_count++, number);
		node_up(index, node->place - 1);
	}
}

void
ready_add(struct index *index, uint32_t step)
{
	struct index_live *live = index_live(index, step);
	uint32_t number = index_step(index, step)->node;
	struct index_node *node = index_node(index, number);

	live->left = live->right = 0;
	live->distance = 1;
	node->best = merge(index, node->best, step + 1, 0);
	node_settle(index, number);
}

uint32_t
ready_first(struct index *index)
{
	if (index->header->ready_count == 0)
		return 0;
	return index_node(index, index->ready[0])->best;
}

void
ready_remove(struct index *index, uint32_t step)
{
	struct index_live *live = index_live(index, step);
	uint32_t number = index_step(index, step)->node;
	struct index_node *node = index_node(index, number);

	if (node->best != step + 1) {
		index->broken = true;
		return;
	}
	/* The node leaves the heap with its old best: the heap's order must hold while it is mended. */
	if (node->place && node->place <= index->header->ready_count)
		node_leave(index, number);
	node->best = merge(index, live->left, live->right, 0);
	live->left = live->right = live->distance = 0;
	node_settle(index, number);
}

void
ready_set_busy(struct index *index, uint32_t node, bool busy)
{
	index_node(index, node)->busy = busy;
	node_settle(index, node);
}

static void
timer_place(struct index *index, uint32_t at, uint32_t step)
{
	index->timers[at] = step;
	index_live(index, step)->timer = at + 1;
}

static int64_t
timer_due(struct index *index, uint32_t at)
{
	return index_live(index, index->timers[at])->due_ms;
}

static void
timer_up(struct index *index, uint32_t at)
{
	uint32_t step = index->timers[at];
	int64_t due = timer_due(index, at);

	for (uint32_t up; at > 0; at = up) {
		up = (at - 1) / 2;
		if (timer_due(index, up) <= due)
			break;
		timer_place(index, at, index->timers[up]);
	}
	timer_place(index, at, step);
}

static void
timer_down(struct index *index, uint32_t at)
{
	uint32_t step = index->timers[at], count = index->header->timer_count, child;
	int64_t due = timer_due(index, at);

	for (; (child = 2 * at + 1) < count; at = child) {
		if (child + 1 < count && timer_due(index, child + 1) < timer_due(index, child))
			child++;
		if (due <= timer_due(index, child))
			break;
		timer_place(index, at, index->timers[child]);
	}
	timer_place(index, at, step);
}

void
timer_add(struct index *index, uint32_t step)
{
	if (index->header->timer_count >= index->header->step_count) {
		index->broken = true;
		return;
	}
	timer_place(index, index->header->timer_count++, step);
	timer_up(index, index->header->timer_count - 1);
}

void
timer_remove(struct index *index, uint32_t step)
{
	uint32_t link = index_live(index, step)->timer, last;

	if (link == 0)
		return;
	if (link > index->header->timer_count) {
		index->broken = true;
		return;
	}
	index_live(index, step)->timer = 0;
	last = --index->header->timer_count;
	if (link - 1 == last)
		return;
	timer_place(index, link - 1, index->timers[last]);
	timer_down(index, link - 1);
	timer_up(index, index_live(index, index->timers[link - 1])->timer - 1);
}

uint32_t
timer_first(struct index *index)
{
	return index->header->timer_count ? index->timers[0] + 1 : 0;
}
