/* SPDX-License-Identifier: Apache-2.0
 *
 * Whole numbers between bounds, of which sums with coefficients are 0, and of some of which exactly one is not 0: an exact search for them. What bounds say of the other
 * numbers of an equation is drawn from them; what all equations together say of remainders (3a = 2b and 5b = 4c: a is a multiple of
 * 8) follows from their lattice: with a unimodular change of variables that makes the equations triangular, each number is a constant
 * and a sum of multiples of free ones. Then one number is chosen, and the rest is searched.
 */
#ifndef SOLVE_SEARCH_INTEGERS_H
#define SOLVE_SEARCH_INTEGERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "solve/lp/budget.h"

struct integer {
	int64_t lo, hi;     /* NO_MIN, NO_MAX: none */
	int64_t step, rest; /* it is rest and a multiple of step; step 0: it is rest */
	double near;        /* where the search looks first; NAN: anywhere */
};

struct term {
	size_t variable;
	int64_t coefficient;
};

struct equation { /* the sum of its terms is 0 */
	struct term *terms;
	size_t count;
};

struct one_of { /* exactly one of these numbers, none of which is negative, is not 0 */
	size_t *variables;
	size_t count;
};

struct integers {
	struct integer *list;
	size_t count;
	struct equation *equations;
	size_t equation_count;
	struct one_of *choices;
	size_t choice_count;
};

/* Tightens the bounds by what follows without a search. Returns false if there is no solution. */
bool integers_tighten(struct integers *integers, struct budget *budget);

/* Looks for a solution, and leaves it as the bounds, with at most so many choices. Where there is none, or that is not known, the bounds
 * are as before. */
enum search_status integers_find(struct integers *integers, size_t choices, struct budget *budget);

#endif
