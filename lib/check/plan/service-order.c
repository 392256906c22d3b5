/* SPDX-License-Identifier: Apache-2.0
 *
 * For 64 groups at a time, one walk over the plan notes for each step which of them are wholly done before it, as far as
 * that shows: it waits for each task of the group itself, as a milestone does, or for a step of which it is known. What does
 * not show is looked for on all ways through the plan.
 */
#include "check/plan/service-order.h"

#include <stdlib.h>

#include "base/memory.h"
#include "check/plan/duty.h"

struct order {
	struct duties duties;
	uint32_t *rank_of;   /* of each group: its number among those asked for, or UINT32_MAX */
	uint32_t *groups;   /* by rank */
	size_t rank_count;
	size_t *joined_first; /* of step s: joined[joined_first[s]] .. are the ranks of its groups */
	uint32_t *joined;
	uint64_t *done;      /* of each step: which of the block are done before it */
};

static int
service_order_compare_duties(const void *a, const void *b)
{
	const struct duty *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return (x->first > y->first) - (x->first < y->first);
}

static void
service_order_rank_groups(struct order *order)
{
	struct duties *duties = &order->duties;

	order->rank_of = memory_resize(NULL, duties->group_count, sizeof *order->rank_of);
	order->groups = memory_resize(NULL, duties->group_count, sizeof *order->groups);
	for (size_t i = 0; i < duties->group_count; i++)
		order->rank_of[i] = UINT32_MAX;
	if (duties->count)
		qsort(duties->list, duties->count, sizeof *duties->list, service_order_compare_duties);
	for (size_t i = 0; i < duties->count; i++) {
		uint32_t group = duties->list[i].group;

		if (order->rank_of[group] != UINT32_MAX)
			continue;
		order->rank_of[group] = (uint32_t)order->rank_count;
		order->groups[order->rank_count++] = group;
	}
}

/* Sorts the members of these groups by step. */
static void
service_order_rank_steps(struct order *order)
{
	const struct duties *duties = &order->duties;
	size_t steps = duties->judge->plan->count, *next;

	order->joined_first = memory_zeroed(steps + 2, sizeof *order->joined_first);
	order->joined = memory_resize(NULL, duties->joined_count, sizeof *order->joined);
	next = order->joined_first + 1;
	for (size_t i = 0; i < duties->joined_count; i++)
		if (order->rank_of[duties->joined[i].group] != UINT32_MAX)
			next[duties->joined[i].step + 1]++;
	for (size_t i = 0; i < steps; i++)
		next[i + 1] += next[i];
	for (size_t i = 0; i < duties->joined_count; i++)
		if (order->rank_of[duties->joined[i].group] != UINT32_MAX)
			order->joined[next[duties->joined[i].step]++] = order->rank_of[duties->joined[i].group];
}

/* Returns the groups of the block that a step waits for task by task; counts is zeroed before and after. */
static uint64_t
service_order_done_before(const struct order *order, size_t step, size_t base, size_t counts[JUDGE_BLOCK])
{
	const struct judge *judge = order->duties.judge;
	uint64_t touched = 0, whole = 0;

	for (size_t i = judge->first[step]; i < judge->first[step + 1]; i++) {
		uint32_t before = judge->before[i];

		whole |= order->done[before];
		for (size_t j = order->joined_first[before]; j < order->joined_first[before + 1]; j++) {
			size_t bit = order->joined[j] - base;

			if (order->joined[j] < base || bit >= JUDGE_BLOCK)
				continue;
			touched |= (uint64_t)1 << bit;
			counts[bit]++;
		}
	}
	for (size_t bit = 0; touched; bit++, touched >>= 1) {
		if (!(touched & 1))
			continue;
		if (counts[bit] == duties_group_size(&order->duties, order->groups[base + bit]))
			whole |= (uint64_t)1 << bit;
		counts[bit] = 0;
	}
	return whole;
}

/* Reports the first target that does not wait for all of the block; returns whether there is one. */
static bool
service_order_find_fault(const struct order *order, const struct duty *duty, const uint32_t *block, size_t count,
    const uint64_t *behind)
{
	uint64_t all = count == JUDGE_BLOCK ? UINT64_MAX : ((uint64_t)1 << count) - 1;

	for (size_t i = duty->first; i < duty->end; i++) {
		uint32_t target = order->duties.targets[i];
		size_t missing = 0;

		if ((behind[target] & all) == all)
			continue;
		while (behind[target] >> missing & 1)
			missing++;
		judge_report(order->duties.judge, block[missing], target);
		return true;
	}
	return false;
}

/* Follows all ways through the plan, for the duties on one group of which it did not show that they are met. */
static void
service_order_check_exactly(struct order *order, const struct duty *const *unproved, size_t count)
{
	const struct judge *judge = order->duties.judge;
	uint64_t *behind = memory_resize(NULL, judge->plan->count, sizeof *behind);
	bool *at_fault = memory_zeroed(count, sizeof *at_fault);
	size_t first = count ? order->duties.first[unproved[0]->group] : 0;
	size_t end = count ? order->duties.first[unproved[0]->group + 1] : 0;

	for (; first < end; first += JUDGE_BLOCK) {
		const uint32_t *block = order->duties.members + first;
		size_t size = end - first < JUDGE_BLOCK ? end - first : JUDGE_BLOCK;

		judge_walk(judge, block, size, behind);
		for (size_t i = 0; i < count; i++)
			if (!at_fault[i])
				at_fault[i] = service_order_find_fault(order, unproved[i], block, size, behind);
	}
	free(at_fault);
	free(behind);
}

static bool
service_order_is_plain(const struct order *order, const struct duty *duty, size_t bit)
{
	for (size_t i = duty->first; i < duty->end; i++)
		if (!(order->done[order->duties.targets[i]] >> bit & 1))
			return false;
	return true;
}

/* Checks the duties on one group: list[first] and those behind it. Returns the first that is on another group. */
static size_t
service_order_check_group(struct order *order, size_t first, size_t bit)
{
	const struct duties *duties = &order->duties;
	uint32_t group = duties->list[first].group;
	const struct duty **unproved;
	size_t end = first, count = 0;

	while (end < duties->count && duties->list[end].group == group)
		end++;
	unproved = memory_resize(NULL, end - first, sizeof *unproved);
	for (size_t i = first; i < end; i++) {
		const struct duty *duty = &duties->list[i];

		if (!service_order_is_plain(order, duty, bit))
			unproved[count++] = duty;
	}
	if (count)
		service_order_check_exactly(order, unproved, count);
	free(unproved);
	return end;
}

void
service_order_check(struct judge *judge)
{
	struct order order = {.done = memory_resize(NULL, judge->plan->count, sizeof *order.done)};
	size_t counts[JUDGE_BLOCK] = {0}, next = 0;

	duties_find(&order.duties, judge);
	service_order_rank_groups(&order);
	service_order_rank_steps(&order);
	for (size_t base = 0; base < order.rank_count; base += JUDGE_BLOCK) {
		for (size_t i = 0; i < judge->plan->count; i++)
			order.done[i] = service_order_done_before(&order, i, base, counts);
		for (size_t bit = 0; bit < JUDGE_BLOCK && base + bit < order.rank_count; bit++)
			next = service_order_check_group(&order, next, bit);
	}
	duties_release(&order.duties);
	free(order.rank_of);
	free(order.groups);
	free(order.joined_first);
	free(order.joined);
	free(order.done);
}
