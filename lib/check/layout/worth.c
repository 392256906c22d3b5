/* SPDX-License-Identifier: Apache-2.0
 *
 * Computes the value of a layout by each objective, anew from its nodes.
 */
#include <math.h>

#include "check/layout/check-context.h"

/* A type that the request does not know costs nothing; the cost is NAN where a known one has none. dense is an order and
 * has no value. */
struct amounts
check_values(const struct check *c)
{
	double values[OBJECTIVE_COUNT];
	long double cost = 0;

	for (size_t i = 0; i < c->layout->node_count; i++) {
		const struct node *node = &c->layout->nodes[i];
		const struct hardware_offer *offer = node->leaves ? NULL : check_hardware_of(c, node->hardwaretype);

		if (offer)
			cost += offer->has_cost ? (long double)offer->cost : (long double)NAN;
	}
	for (int i = 0; i < OBJECTIVE_COUNT; i++)
		values[i] = NAN;
	values[OBJECTIVE_MOVES] = (double)check_moves(c);
	values[OBJECTIVE_COST] = (double)cost;
	values[OBJECTIVE_MACHINES] = (double)c->node_count;
	return objective_amounts(values, c->arena);
}
