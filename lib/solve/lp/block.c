/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/lp/block.h"

#include <stdlib.h>

#include "solve/lp/pricing-search.h"
#include "solve/program/bits.h"

enum { /* steps */
	OPTION_WORK = 8,   /* of comparing an option with one other */
	BLOCK_WORK = 3500, /* of making room for a block's options, and of pricing them */
};

/* Finds the resources of which there is too little for all units that gain. Returns false if there is none, or more than
 * SCARCE. */
static bool
block_find_scarce(struct blocks *b)
{
	const struct pricing_search *search = b->search;

	for (size_t r = 0; r < search->program->resource_count; r++) {
		int64_t sum = 0;

		for (size_t i = 0; i < search->gainful && search->left[r] != NO_MAX; i++)
			sum += search->program->units[search->order[i]].consumes[r];
		if (search->left[r] == NO_MAX || sum <= search->left[r])
			continue;
		if (b->scarce_count == SCARCE)
			return false;
		b->room[b->scarce_count] = search->left[r];
		b->scarce[b->scarce_count++] = r;
	}
	return b->scarce_count > 0;
}

/* Finds the regions with a price that a machine can be in. Returns false if there are too many. */
static bool
block_find_prices(struct blocks *b)
{
	const struct pricing_search *search = b->search;
	size_t words = search->program->unit_words;
	uint64_t *gainful = memory_zeroed(words, sizeof *gainful);
	bool good = true;

	for (size_t i = 0; i < search->gainful; i++)
		bits_add(gainful, (size_t)search->order[i]);
	for (size_t i = 0; i < search->prices->region_count && good; i++) {
		const struct region *region = search->prices->regions[i].region;
		bool possible = pricing_concerns(search, &search->prices->regions[i]) &&
		    !bits_meet(region->without, search->chosen, words);

		for (size_t w = 0; w < words && possible; w++)
			possible = !(region->with[w] & ~(search->chosen[w] | gainful[w]));
		if (!possible)
			continue;
		good = b->region_count < BLOCK_PRICES;
		if (good)
			b->regions[b->region_count++] = &search->prices->regions[i];
	}
	free(gainful);
	return good;
}

static bool
block_have_to_do(const struct program *p, size_t a, size_t b)
{
	const struct unit *unit = &p->units[a];

	for (size_t i = 0; i < unit->nogood_count; i++)
		if (bits_has(p->nogoods[unit->nogoods[i]], b))
			return true;
	return bits_has(unit->excludes, b);
}

/* Adds to a block all that has to do with what is in it. Returns false if that is too much, or the budget is spent. */
static bool
block_complete(const struct pricing_search *search, struct block *block, bool *placed)
{
	for (size_t done = 0; done < block->count; done++) {
		if (!budget_work(search->budget, search->gainful))
			return false;
		for (size_t i = 0; i < search->gainful; i++) {
			if (placed[i] || !block_have_to_do(search->program, (size_t)block->units[done], (size_t)search->order[i]))
				continue;
			if (block->count == BLOCK_UNITS)
				return false;
			placed[i] = true;
			block->units[block->count++] = search->order[i];
		}
	}
	return true;
}

/* Puts the units that gain into blocks, in their order. */
static bool
block_find_blocks(struct blocks *b)
{
	const struct pricing_search *search = b->search;
	bool *placed = memory_zeroed(search->gainful, sizeof *placed), good = true;

	b->list = memory_zeroed(search->gainful, sizeof *b->list);
	for (size_t i = 0; i < search->gainful && good; i++) {
		struct block *block = &b->list[b->count];

		if (placed[i])
			continue;
		placed[i] = true;
		block->units[block->count++] = search->order[i];
		good = block_complete(search, block, placed);
		b->count++;
	}
	free(placed);
	return good;
}

/* Returns by how much the regions outside of killed may at most be worth more than those outside of than, when the same
 * further ones are taken from both. */
static int64_t
blocks_advantage(const struct blocks *b, uint64_t killed, uint64_t than)
{
	int64_t sum = 0;

	for (uint64_t differ = killed ^ than; differ; differ &= differ - 1) {
		size_t i = (size_t)__builtin_ctzll(differ);
		int64_t price = b->regions[i]->value;

		sum += killed >> i & 1 ? (price < 0 ? -price : 0) : (price > 0 ? price : 0);
	}
	return sum;
}

int64_t
blocks_region_prices(const struct blocks *b, uint64_t killed, bool gains)
{
	int64_t sum = 0;

	for (size_t i = 0; i < b->region_count; i++)
		if (!(killed >> i & 1) && (!gains || b->regions[i]->value > 0))
			sum += b->regions[i]->value;
	return sum;
}

static bool
block_is_no_better(const struct blocks *b, const struct option *a, const struct option *than)
{
	return a->takes[0] >= than->takes[0] && a->takes[1] >= than->takes[1] &&
	    a->value + blocks_advantage(b, a->kills, than->kills) <= than->value;
}

/* Adds an option, unless one that is there is as good; those that are no better than it go. */
static bool
block_add_option(const struct blocks *b, struct block *block, const struct option *option)
{
	size_t kept = 0;

	for (size_t i = 0; i < block->option_count; i++)
		if (block_is_no_better(b, option, &block->options[i]))
			return true;
	for (size_t i = 0; i < block->option_count; i++)
		if (!block_is_no_better(b, &block->options[i], option))
			block->options[kept++] = block->options[i];
	block->option_count = kept;
	if (kept == BLOCK_OPTIONS)
		return false;
	block->options[block->option_count++] = *option;
	return true;
}

/* Lists what may be chosen of the i-th unit of a block and those behind it. base: the worth of what was chosen
 * before. */
static bool
block_list_options(struct blocks *b, struct block *block, size_t i, uint32_t units, int64_t base)
{
	struct pricing_search *search = b->search;
	bool good;

	if (i == block->count) {
		struct option option = {.units = units, .value = search->value - base};

		for (size_t r = 0; r < b->scarce_count; r++)
			option.takes[r] = b->room[r] - search->left[b->scarce[r]];
		for (size_t k = 0; k < b->region_count; k++)
			for (size_t j = 0; j < block->count; j++)
				if (bits_has(units >> j & 1 ? b->regions[k]->region->without : b->regions[k]->region->with,
				    (size_t)block->units[j]))
					option.kills |= UINT64_C(1) << k;
		return budget_work(search->budget, OPTION_WORK * (block->option_count + 1)) && block_add_option(b, block, &option);
	}
	good = block_list_options(b, block, i + 1, units, base);
	if (good && pricing_take(search, (size_t)block->units[i], b->depth + (size_t)__builtin_popcount(units))) {
		good = block_list_options(b, block, i + 1, units | UINT32_C(1) << i, base);
		pricing_put_back(search, (size_t)block->units[i]);
	}
	return good;
}

bool
blocks_find(struct blocks *b, struct pricing_search *search, size_t depth)
{
	bool good;

	*b = (struct blocks){.search = search, .depth = depth};
	good = block_find_scarce(b) && block_find_prices(b) && block_find_blocks(b) && budget_prepare(search->budget, BLOCK_WORK * b->count);
	for (size_t i = 0; i < b->count && good; i++) {
		b->list[i].options = memory_zeroed(BLOCK_OPTIONS, sizeof *b->list[i].options);
		good = block_list_options(b, &b->list[i], 0, 0, search->value);
	}
	return good;
}

void
blocks_release(struct blocks *b)
{
	for (size_t i = 0; i < b->count; i++)
		free(b->list[i].options);
	free(b->list);
}
