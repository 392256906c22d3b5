/* SPDX-License-Identifier: Apache-2.0
 *
 * What a layout is worth by each objective, computed anew from its nodes.
 */
#include <math.h>

#include "check/layout/check-context.h"

/* Returns the price of all machines; NAN if one has none. A type that the request does not know costs nothing. */
static double
worth_cost(const struct check *c)
{
	double cost = 0;

	for (size_t i = 0; i < c->layout->node_count; i++) {
		const struct node *node = &c->layout->nodes[i];
		const struct hardware_offer *offer = check_hardware_of(c, node->hardwaretype);

		if (node->leaves)
			continue;
		if (offer && !offer->has_cost)
			return NAN;
		cost += offer ? check_millionths(offer->cost) : 0;
	}
	return cost;
}

static double
worth_machines(const struct check *c)
{
	return (double)c->node_count;
}

static double
worth_moves(const struct check *c)
{
	return (double)check_moves(c);
}

/* dense is an order and has no value. */
static double (*const worth_by[OBJECTIVE_COUNT])(const struct check *) = {
	[OBJECTIVE_MOVES] = worth_moves,
	[OBJECTIVE_COST] = worth_cost,
	[OBJECTIVE_MACHINES] = worth_machines,
};

struct amounts
check_values(const struct check *c)
{
	double values[OBJECTIVE_COUNT];

	for (int i = 0; i < OBJECTIVE_COUNT; i++)
		values[i] = worth_by[i] ? worth_by[i](c) : NAN;
	return objective_amounts(values, c->arena);
}
