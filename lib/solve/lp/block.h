/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks of units that have to do with each other (they exclude each other), and what may be chosen of each. Blocks have
 * nothing to do with each other but that they share the room of a machine, and the regions that have prices.
 */
#ifndef SOLVE_LP_BLOCK_H
#define SOLVE_LP_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pricing_search;
struct region_price;

enum {
	SCARCE = 2,          /* resources, at most */
	BLOCK_UNITS = 16,    /* at most */
	BLOCK_OPTIONS = 256, /* at most */
	BLOCK_PRICES = 64,   /* at most */
};

struct option { /* some units of a block that may stand together */
	uint32_t units; /* bit i: the i-th of the block */
	int64_t takes[SCARCE], value;
	uint64_t kills; /* regions with a price in which a machine with exactly these units of the block is not */
};

struct block {
	int units[BLOCK_UNITS];
	size_t count, option_count;
	struct option *options;
};

struct blocks { /* release them */
	struct pricing_search *search;
	size_t depth;
	size_t scarce[SCARCE], scarce_count; /* resources of which there is too little for all units that gain */
	int64_t room[SCARCE];                /* what is left of them */
	const struct region_price *regions[BLOCK_PRICES]; /* those that may concern a machine */
	size_t region_count;
	struct block *list;
	size_t count;
};

/* Finds the blocks of the units that gain, where all that must be there is chosen. Returns false if the rules do not suit:
 * more than two resources are scarce, or too many units have to do with each other. */
bool blocks_find(struct blocks *blocks, struct pricing_search *search, size_t depth);
void blocks_release(struct blocks *blocks);

/* Returns the sum of the prices of the regions that are not killed; with gains, only of those above 0. */
int64_t blocks_region_prices(const struct blocks *blocks, uint64_t killed, bool gains);

#endif
