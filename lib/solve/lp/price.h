/* SPDX-License-Identifier: Apache-2.0
 *
 * The best pattern at given prices: which units to put on one machine, and on which type, so that the sum of their
 * prices is greatest. Exact, in whole numbers: what it returns as the best bounds all patterns there are,
 * which is what proofs are made of.
 */
#ifndef SOLVE_LP_PRICE_H
#define SOLVE_LP_PRICE_H

#include <stdbool.h>
#include <stdint.h>

#include "solve/lp/budget.h"
#include "solve/program/pattern.h"

struct pattern_filter { /* restricts which patterns are looked for */
	struct region region;
	size_t size;        /* the least number of services */
	uint64_t *hardware; /* one of these types */
	uint64_t *images;   /* one of these images is the one it gets */
};

/* Allocates the sets of a filter in an arena; makes it one that every machine with a service passes. */
void pattern_filter_init(struct pattern_filter *filter, const struct program *program, struct arena *arena);
void pattern_filter_clear(struct pattern_filter *filter, const struct program *program);

struct region_price { /* added to the worth of each pattern in a region */
	const struct region *region;
	int64_t value;
};

#define PRICE_FORBIDDEN INT64_MIN /* of a group, type or unit: it is not to be used */

enum { PRICE_FINE = 20 }; /* prices that are multiplied have that many further bits, so that products lose nothing */

__extension__ typedef __int128 price_product;

/* Returns a fine price times an amount as a price, rounded up: so that prices in whole numbers never say too little. */
static inline int64_t
price_round(price_product fine)
{
	return (int64_t)((fine + (1 << PRICE_FINE) - 1) >> PRICE_FINE);
}

struct weight_cache { /* the weights found last for the resources of a type, and what they were found for */
	uint64_t *units; /* NULL: none were found yet */
	int64_t *left;
	size_t need;
	double *weight;
};

struct prices {
	int64_t machine;   /* of any pattern but those of machines that leave */
	int64_t *group, *hardware, *unit;
	price_product move, lost; /* of pattern_moves, pattern_lost; fine */
	int64_t moves_left; /* patterns that are more moves are not to be used */
	struct region_price *regions; /* those of rows of the search tree */
	size_t region_count;
	int64_t region_most;  /* the most that the regions may add */
	struct weight_cache *weight_caches; /* of each hardware type, for a filter */
	struct arena *scratch; /* of one search; what each takes is kept for the next */
};

/* Makes prices of 0; no weight caches. */
void prices_init(struct prices *prices, const struct program *program);
void prices_release(struct prices *prices);

enum { PRICE_QUICK = 2000 }; /* steps of a search by depth: one that takes more is left to labels, where these suit */

struct search_for { /* the best pattern */
	int group;
	const struct pattern_filter *filter; /* that it passes; or NULL */
	int64_t floor;           /* worth more than that */
	int64_t enough;          /* one worth more than that will do where it takes long to find a better one */
	size_t steps;            /* on one hardware type, before the search is given up: PRICE_QUICK or more; SIZE_MAX, never */
};

/* Finds the best such pattern, in best (units has room), and its price in value. Returns false if there is none: that
 * is certain, unless the budget is spent, or the search was given up: then cut_short is set, which is not NULL where steps is not SIZE_MAX.
 * Deterministic. */
bool price_best(const struct program *program, const struct prices *prices, struct budget *budget,
    const struct search_for *what, struct pattern *best, int64_t *value, bool *cut_short);

/* Returns the most services on one machine, looking at nothing but the machine. */
size_t price_largest(const struct program *program, struct budget *budget);

#endif
