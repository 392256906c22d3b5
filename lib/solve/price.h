/* SPDX-License-Identifier: Apache-2.0
 *
 * The best pattern at given prices: which units to put on one machine, and on which type, so that the sum of their
 * prices is greatest. Exact, in whole numbers: what it returns as the best bounds all patterns there are,
 * which is what proofs are made of.
 */
#ifndef SOLVE_PRICE_H
#define SOLVE_PRICE_H

#include <stdbool.h>
#include <stdint.h>

#include "solve/budget.h"
#include "solve/pattern.h"

struct wish { /* what the pattern of one machine must be like, beside a region */
	struct region region;
	size_t size;        /* services at least */
	uint64_t *hardware; /* one of these types */
	uint64_t *images;   /* one of these images is the one it gets */
};

struct toll { /* what a pattern gains by being in a region (negative: loses) */
	const struct region *region;
	int64_t price;
};

#define PRICE_FORBIDDEN INT64_MIN /* of a group, type or unit: it is not to be used */

struct prices {
	int64_t machine;   /* of any pattern */
	int64_t *group, *hardware, *unit;
	struct toll *tolls;
	size_t toll_count;
};

/* The best pattern of a group that wish (or NULL) allows, in best (units has room), and its price in value. False
 * where no pattern is worth more than floor: that is certain, unless the budget is spent. One worth more than enough
 * will do where it takes long to find a better one. Deterministic. */
bool price_best(const struct program *program, const struct prices *prices, struct budget *budget, int group,
    const struct wish *wish, int64_t floor, int64_t enough, struct pattern *best, int64_t *value);

#endif
