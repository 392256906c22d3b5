/* SPDX-License-Identifier: Apache-2.0
 *
 * The objectives: what a layout can be asked to have least of. Each is a row of one table; the solver and the judge have a
 * row each beside it. lib/README.md says how to add one.
 */
#ifndef MODEL_OBJECTIVE_H
#define MODEL_OBJECTIVE_H

#include <stdbool.h>

#include "model/amounts.h"

struct arena;
struct buffer;

enum objective { OBJECTIVE_MOVES, OBJECTIVE_COST, OBJECTIVE_MACHINES, OBJECTIVE_DENSE, OBJECTIVE_COUNT };

struct objective_row {
	const char *name;        /* as templates and solutions give it */
	const char *minimised;   /* what there is to be least of, as coopr-catalogue(5) says it */
	const char *verb, *unit; /* "the layout VERB 3UNIT more"; NULL: it has no value */
	bool needs_cost;         /* each hardware type that the provider offers must have a cost */
	bool bounds_machines;    /* no layout that is best by it has more machines than it needs */
};

const struct objective_row *objective_row(enum objective objective);
const char *objective_name(enum objective objective);

/* Returns the objective of that name, or OBJECTIVE_COUNT. */
enum objective objective_find(const char *name);

/* Appends the names, each between quotes: a, b or c; of those alone that bound the number of machines if bounding is
 * set. */
void objective_enumerate(bool bounding, const char *quote, struct buffer *out);

/* Returns the values that are no NAN, by name, in the arena. */
struct amounts objective_amounts(const double values[OBJECTIVE_COUNT], struct arena *arena);

#endif
