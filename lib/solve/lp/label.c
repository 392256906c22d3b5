/* SPDX-License-Identifier: Apache-2.0
 *
 * What was chosen of some blocks matters to the others only by the room that it left, by its worth, and by the regions with
 * a price that the machine may still be in: that is a label. Block after block, each label is continued by each option of the
 * block. A label is dropped where another one leaves as much room of each resource and is worth as much, or where what the
 * other blocks may add at best, at some multipliers for the room, cannot beat what was found.
 *
 * A search by depth tells apart all sets that fill a machine to nearly the same worth; there are exponentially many. Labels are
 * as many as there are rooms and worths that differ.
 */
#include "solve/lp/label.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solve/lp/block.h"
#include "solve/lp/pricing-search.h"
#include "solve/program/bits.h"

enum {
	LABELS = 1 << 18, /* at a time, at most */
	LABEL_WORK = 8,
	SORT_WORK = 10,   /* for each label, times the logarithm of their number */
	ROUNDS = 30,      /* of looking for rates */
	MULTIPLIERS = 3,
};

struct label {
	int64_t left[SCARCE], value; /* value without the prices of regions */
	uint64_t killed;             /* regions with a price that the machine is not in */
	int from, option;            /* the label before, and the option taken */
};

struct labels {
	struct label *list;
	size_t count, capacity;
};

struct multipliers { /* Lagrangian multipliers: the cost of room, by resource */
	double rate[SCARCE];
	int64_t *surplus; /* [i]: what block i and those behind it are worth beyond the room they take, at most */
};

struct step { /* of the skyline: the best worth with so much left of the second resource */
	int64_t left, value;
};

struct labelling {
	struct pricing_search *search;
	struct blocks blocks;
	struct multipliers multipliers[MULTIPLIERS];
	struct labels *stages; /* [i]: before block i */
	struct step *skyline;
	size_t skyline_count, skyline_capacity;
};

static double
label_cost_of(const struct multipliers *multipliers, const int64_t *amounts)
{
	return multipliers->rate[0] * (double)amounts[0] + multipliers->rate[1] * (double)amounts[1];
}

/* Returns what an option is worth beyond its room, rounded up by more than doubles err. */
static int64_t
label_surplus_of(const struct option *option, const struct multipliers *multipliers)
{
	return option->value - (int64_t)floor(label_cost_of(multipliers, option->takes)) + 1;
}

/* Returns the option of a block that is worth most beyond its room. A block has one at least: to take nothing. */
static const struct option *
label_best_option(const struct block *block, const struct multipliers *multipliers, int64_t *surplus)
{
	const struct option *best = &block->options[0];

	*surplus = label_surplus_of(best, multipliers);
	for (size_t i = 1; i < block->option_count; i++) {
		int64_t own = label_surplus_of(&block->options[i], multipliers);

		if (own <= *surplus)
			continue;
		*surplus = own;
		best = &block->options[i];
	}
	return best;
}

/* Finds multipliers at which the bound is low: they rise for a resource that is used too much, and fall for the other. The
 * bound is right for any. Each scarce resource starts with its part of half of all that there is to gain. */
static void
label_find_multipliers(struct labelling *s)
{
	static const double parts[MULTIPLIERS] = {1, 0.9, 1.1};
	const struct pricing_search *search = s->search;
	const struct blocks *blocks = &s->blocks;
	struct multipliers now = {{0, 0}, NULL}, best;
	double all = 0, least = INFINITY, step_size = 0.5;

	for (size_t i = 0; i < search->gainful; i++)
		all += fmax(0, (double)search->prices->unit[search->order[i]]);
	for (size_t r = 0; r < blocks->scarce_count; r++)
		now.rate[r] = all / 2 / fmax(1, (double)blocks->room[r]) / (double)blocks->scarce_count;
	best = now;
	for (int round = 0; round < ROUNDS; round++) {
		double bound = label_cost_of(&now, blocks->room), used[SCARCE] = {0, 0}; /* parts of the room */

		for (size_t i = 0; i < blocks->count; i++) {
			int64_t surplus;
			const struct option *option = label_best_option(&blocks->list[i], &now, &surplus);

			bound += (double)surplus;
			for (size_t r = 0; r < SCARCE; r++)
				used[r] += (double)option->takes[r] / fmax(1, (double)blocks->room[r]);
		}
		if (bound < least)
			best = now;
		else
			step_size *= 0.8;
		least = fmin(least, bound);
		for (size_t r = 0; r < blocks->scarce_count; r++)
			now.rate[r] *= exp(step_size * fmax(-1, fmin(1, used[r] - 1)));
	}
	for (size_t k = 0; k < MULTIPLIERS; k++) {
		struct multipliers *multipliers = &s->multipliers[k];
		int64_t sum = 0, surplus = 0;

		for (size_t r = 0; r < SCARCE; r++)
			multipliers->rate[r] = best.rate[r] * parts[k];
		multipliers->surplus = memory_zeroed(blocks->count + 1, sizeof *multipliers->surplus);
		for (size_t i = blocks->count; i-- > 0;) {
			label_best_option(&blocks->list[i], multipliers, &surplus);
			multipliers->surplus[i] = sum += surplus;
		}
	}
}

/* Returns whether a label can lead to something better than what was found, by the blocks from next on. */
static bool
label_is_promising(const struct labelling *s, const struct label *label, size_t next)
{
	bool last = next == s->blocks.count;
	int64_t wanted = s->search->best - label->value - blocks_region_prices(&s->blocks, label->killed, !last);

	if (last)
		return wanted < 0;
	for (size_t k = 0; k < MULTIPLIERS; k++)
		if ((int64_t)ceil(label_cost_of(&s->multipliers[k], label->left)) + 1 + s->multipliers[k].surplus[next] <= wanted)
			return false;
	return true;
}

/* Continues the labels before a block by its options. Returns false if there are too many. */
static bool
label_extend(struct labelling *s, size_t at)
{
	const struct labels *before = &s->stages[at];
	const struct block *block = &s->blocks.list[at];
	struct labels *after = &s->stages[at + 1];

	for (size_t i = 0; i < before->count; i++)
		for (size_t j = 0; j < block->option_count; j++) {
			const struct option *option = &block->options[j];
			struct label next = before->list[i];

			for (size_t r = 0; r < SCARCE; r++)
				next.left[r] -= option->takes[r];
			next.value += option->value;
			next.killed |= option->kills;
			next.from = (int)i;
			next.option = (int)j;
			if (next.left[0] < 0 || next.left[1] < 0 || !label_is_promising(s, &next, at + 1))
				continue;
			ARRAY_ROOM(after->list, after->count, after->capacity);
			after->list[after->count++] = next;
		}
	return after->count <= LABELS && budget_work(s->search->budget,
	    LABEL_WORK * (before->count * block->option_count + after->count));
}

static int
label_compare(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* Compares so that those with the same regions stand together; first what leaves more of the first resource, and of the
 * second, and is worth more. */
static int
label_compare_labels(const void *a, const void *b)
{
	const struct label *x = a, *y = b;
	int order = (x->killed > y->killed) - (x->killed < y->killed);

	for (size_t r = 0; r < SCARCE && order == 0; r++)
		order = label_compare(y->left[r], x->left[r]);
	if (order == 0)
		order = label_compare(y->value, x->value);
	if (order == 0)
		order = label_compare(x->from, y->from);
	return order ? order : label_compare(x->option, y->option);
}

/* Takes a label into the skyline: the more of the second resource is left at a step, the less is the step worth. Returns
 * false if the label lies under it. */
static bool
label_rise(struct labelling *s, const struct label *label)
{
	size_t first = 0, behind = s->skyline_count;

	while (first < behind) {
		size_t middle = (first + behind) / 2;

		if (s->skyline[middle].left < label->left[1])
			first = middle + 1;
		else
			behind = middle;
	}
	if (behind < s->skyline_count && s->skyline[behind].value >= label->value)
		return false;
	if (behind < s->skyline_count && s->skyline[behind].left == label->left[1])
		behind++;
	while (first > 0 && s->skyline[first - 1].value <= label->value)
		first--;
	ARRAY_ROOM(s->skyline, s->skyline_count, s->skyline_capacity);
	memmove(s->skyline + first + 1, s->skyline + behind, (s->skyline_count - behind) * sizeof *s->skyline);
	s->skyline[first] = (struct step){label->left[1], label->value};
	s->skyline_count = s->skyline_count - behind + first + 1;
	return true;
}

/* Drops the labels that another one dominates. Returns false if the budget is spent. */
static bool
label_keep_best(struct labelling *s, struct labels *labels)
{
	size_t kept = 0, work = 0;

	for (size_t n = labels->count; n > 1; n /= 2)
		work += SORT_WORK * labels->count;
	if (labels->count)
		qsort(labels->list, labels->count, sizeof *labels->list, label_compare_labels);
	for (size_t i = 0; i < labels->count; i++) {
		if (i == 0 || labels->list[kept - 1].killed != labels->list[i].killed)
			s->skyline_count = 0;
		if (label_rise(s, &labels->list[i]))
			labels->list[kept++] = labels->list[i];
	}
	labels->count = kept;
	return budget_prepare(s->search->budget, work);
}

/* Takes the units of the best label behind the last block: they are what was searched for. */
static void
label_take_best(struct labelling *s)
{
	const struct labels *last = &s->stages[s->blocks.count];
	const struct label *label = NULL;
	struct pricing_search *search = s->search;

	for (size_t i = 0; i < last->count; i++) {
		int64_t value = last->list[i].value + blocks_region_prices(&s->blocks, last->list[i].killed, false);

		if (value <= search->best)
			continue;
		search->best = value;
		label = &last->list[i];
	}
	if (!label)
		return;
	search->found = true;
	bits_copy(search->best_units, search->chosen, search->program->unit_words);
	for (size_t i = s->blocks.count; i-- > 0; label = &s->stages[i].list[label->from]) {
		const struct block *block = &s->blocks.list[i];

		for (uint32_t units = block->options[label->option].units; units; units &= units - 1)
			bits_add(search->best_units, (size_t)block->units[__builtin_ctz(units)]);
	}
}

static void
label_release(struct labelling *s)
{
	for (size_t i = 0; i <= s->blocks.count && s->stages; i++)
		free(s->stages[i].list);
	for (size_t k = 0; k < MULTIPLIERS; k++)
		free(s->multipliers[k].surplus);
	free(s->stages);
	free(s->skyline);
	blocks_release(&s->blocks);
}

bool
label_search(struct pricing_search *search, size_t depth)
{
	const struct program *p = search->program;
	struct labelling s = {.search = search};
	struct label first = {.value = search->value};
	bool good;

	if (search->filter || !search->capacitated || !search->gainful)
		return false;
	for (size_t i = 0; i < search->gainful; i++) /* images tell no machines apart */
		if (!bits_within(search->images + depth * p->image_words, p->units[search->order[i]].images, p->image_words))
			return false;
	if (search->size == 0 && pricing_worth(search) > search->best) /* a machine with none of them is no pattern */
		return false;
	good = blocks_find(&s.blocks, search, depth);
	if (good) {
		label_find_multipliers(&s);
		s.stages = memory_zeroed(s.blocks.count + 1, sizeof *s.stages);
		memcpy(first.left, s.blocks.room, sizeof first.left);
		ARRAY_ROOM(s.stages->list, s.stages->count, s.stages->capacity);
		s.stages->list[s.stages->count++] = first;
	}
	for (size_t i = 0; i < s.blocks.count && good; i++)
		good = label_extend(&s, i) && label_keep_best(&s, &s.stages[i + 1]);
	if (good)
		label_take_best(&s);
	label_release(&s);
	return good;
}
