/* SPDX-License-Identifier: Apache-2.0
 *
 * The pricing search for the best pattern on one hardware type: the parts that price_best is made of.
 */
#ifndef SOLVE_LP_PRICING_SEARCH_H
#define SOLVE_LP_PRICING_SEARCH_H

#include "solve/lp/budget.h"
#include "solve/lp/price.h"

struct surrogate { /* one constraint in place of those of all resources: their weighted sum */
	double *weight; /* of each unit: the part of the machine that it takes */
	double room;    /* the part that is left */
};

enum { NOGOOD_SHARES = 720 };

struct nogood_cost {
	int64_t worth, services; /* what is left out at least to keep it; services in parts of one, NOGOOD_SHARES */
	int refused;             /* of its units */
};

struct pricing_search { /* for the best pattern of a group, on one type after the other */
	const struct program *program;
	const struct prices *prices;
	struct prices own;       /* these, with what units are worth in the group */
	uint64_t *stays;         /* units that have to be there */
	const struct pattern_filter *filter; /* or NULL */
	struct budget *budget;   /* of steps; once it is spent, nothing is found */
	int group, hardware;
	int *order;              /* units still to be decided */
	size_t count, first;     /* of them; the first ones are decided in any case, */
	size_t gainful;          /* up to here are worth something, behind it are those that only make up the size */
	int64_t *bound;          /* [i]: what order[i..] may add at best */
	struct surrogate worth, services; /* for bounds of the worth and of the number of services */
	int *light;              /* order[light[0]], ...: by what they take for each service */
	size_t *rest;            /* [i]: services in order[i..] */
	struct nogood_cost *nogoods, open_nogoods; /* of the program; the sum of those that no refused unit is in */
	size_t largest;          /* services in one unit, at most */
	uint64_t *chosen, *refused, *images; /* images: of each depth, those that all chosen may use */
	uint64_t *asked;         /* units that regions with a price ask for */
	int64_t *left;           /* capacity */
	bool capacitated;        /* capacities count */
	bool image_matters;      /* the filter leaves out an image that a pattern may get before one it names */
	size_t size;             /* services chosen */
	size_t need;             /* services at least */
	int64_t value;           /* of what is chosen, without the prices of regions */
	int64_t grain;           /* all prices of units are multiples of it */
	int64_t best, enough;
	unsigned steps;          /* since the last pattern was found */
	size_t steps_left;       /* steps until the search is given up */
	bool found;
	uint64_t *best_units;
};

struct candidate {
	int unit, rank;
	size_t nogoods; /* that it is in */
	double merit, bulk; /* worth for its room; room for each service */
};

/* Puts unit u on the machine, at that depth (its images become those of the next). False, and nothing done, where
 * it may not stand there. */
bool pricing_take(struct pricing_search *search, size_t u, size_t depth);

/* Takes it away again. */
void pricing_put_back(struct pricing_search *search, size_t u);

/* Returns what a machine with what is chosen is worth. */
int64_t pricing_worth(const struct pricing_search *search);

/* Returns whether patterns of this group and type can be in a region at all. */
bool pricing_concerns(const struct pricing_search *search, const struct region_price *price);

/* Finds the units to decide, and puts them in the order in which that is done. */
void pricing_order(struct pricing_search *search, struct candidate *scratch);

/* Shares out what units are worth among the nogoods that they are in. */
void pricing_cost_nogoods(struct pricing_search *search);

/* Leaves unit u out, and no longer. */
void pricing_refuse(struct pricing_search *search, size_t u);
void pricing_admit(struct pricing_search *search, size_t u);

/* Decides order[i] and all behind it, until the steps are used up. */
void pricing_search(struct pricing_search *search, size_t i, size_t depth);

#endif
