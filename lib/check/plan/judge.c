/* SPDX-License-Identifier: Apache-2.0
 *
 * One step may wait for another through whatever lies between. For 64 steps at a time, a walk over the whole plan finds all
 * that wait for them; it is only made for what the edges at hand do not show.
 */
#include "check/plan/judge.h"

#include <stdlib.h>

#include "base/memory.h"

enum { NEAR_STEPS = 64 };

struct place
judge_place(const struct judge *judge, size_t step)
{
	static const struct place stream;

	return (struct place){
		.up = &stream, .index = judge->plan->records[step], .problems = judge->findings};
}

struct place
judge_node_place(const struct judge *judge, size_t node)
{
	static const struct place stream;

	return (struct place){
		.up = &stream, .index = judge->plan->layout.nodes[node].index, .problems = judge->findings};
}

bool
judge_hands_over(const struct judge *judge, size_t node)
{
	return judge->heirs && judge->heirs[node] != JUDGE_NONE;
}

void
judge_walk(const struct judge *judge, const uint32_t *block, size_t count, uint64_t *behind)
{
	uint64_t *own = memory_zeroed(judge->plan->count, sizeof *own);

	for (size_t i = 0; i < count; i++)
		own[block[i]] |= (uint64_t)1 << i;
	for (size_t i = 0; i < judge->plan->count; i++) {
		uint64_t bits = 0;

		for (size_t j = judge->first[i]; j < judge->first[i + 1]; j++)
			bits |= own[judge->before[j]];
		behind[i] = bits;
		own[i] |= bits;
	}
	free(own);
}

void
judge_report(const struct judge *judge, uint32_t before, uint32_t after)
{
	const struct step *a = &judge->plan->steps[before], *b = &judge->plan->steps[after];
	struct place place = judge_place(judge, after);

	place_problem(&place, "%s (%s%s%s on %s) does not wait for %s (%s%s%s on %s)", b->id, action_name(b->action),
	    b->service ? " " : "", b->service ? b->service : "", b->node, a->id, action_name(a->action),
	    a->service ? " " : "", a->service ? a->service : "", a->node);
}

/* Looks a few steps back from after, on its node only. */
static bool
judge_is_plain(const struct judge *judge, uint32_t before, uint32_t after)
{
	uint32_t queue[NEAR_STEPS];
	size_t head = 0, tail = 0;

	queue[tail++] = after;
	for (; head < tail; head++) {
		for (size_t i = judge->first[queue[head]]; i < judge->first[queue[head] + 1]; i++) {
			uint32_t step = judge->before[i];

			if (step == before)
				return true;
			if (step > before && judge->node_of[step] == judge->node_of[after] && tail < NEAR_STEPS)
				queue[tail++] = step;
		}
	}
	return false;
}

void
judge_require(struct judge *judge, uint32_t before, uint32_t after)
{
	if (judge_is_plain(judge, before, after))
		return;
	ARRAY_ROOM(judge->unproved, judge->unproved_count, judge->unproved_capacity);
	judge->unproved[judge->unproved_count++] = (struct pair){before, after};
}

void
judge_prove(struct judge *judge)
{
	uint64_t *behind = memory_resize(NULL, judge->plan->count, sizeof *behind);
	uint32_t block[JUDGE_BLOCK];

	for (size_t i = 0; i < judge->unproved_count; i += JUDGE_BLOCK) {
		size_t count = judge->unproved_count - i < JUDGE_BLOCK ? judge->unproved_count - i : JUDGE_BLOCK;

		for (size_t j = 0; j < count; j++)
			block[j] = judge->unproved[i + j].before;
		judge_walk(judge, block, count, behind);
		for (size_t j = 0; j < count; j++)
			if (!(behind[judge->unproved[i + j].after] >> j & 1))
				judge_report(judge, block[j], judge->unproved[i + j].after);
	}
	judge->unproved_count = 0;
	free(behind);
}
