/* SPDX-License-Identifier: Apache-2.0
 *
 * What a layout says of itself: what it costs, how many machines it has, how much it moves, how good it could be.
 */
#include <math.h>
#include <string.h>

#include "check/layout/check-context.h"
#include "model/answer.h"

static const struct amount *
check_find(const struct amounts *amounts, const char *name)
{
	for (size_t i = 0; i < amounts->count; i++)
		if (strcmp(amounts->list[i].resource, name) == 0)
			return &amounts->list[i];
	return NULL;
}

/* Costs count in millionths. */
static bool
check_same(const struct check *c, double a, double b)
{
	return fabs(a - b) <= 1e-6 * (double)(1 + c->node_count) + 1e-9 * fabs(b);
}

static void
check_value(struct check *c, enum objective objective, double value)
{
	const struct amount *said = check_find(&c->claims->objective, objective_name(objective));

	if (said && !check_same(c, said->value, value))
		check_fault(c, "cluster", NULL, "its solution says %s %.12g, right is %.12g", said->resource, said->value, value);
}

/* A type that the request does not know costs nothing. */
bool
check_cost(const struct check *c, double *cost)
{
	*cost = 0;
	for (size_t i = 0; i < c->layout->node_count; i++) {
		const struct node *node = &c->layout->nodes[i];
		const struct hardware_offer *offer = check_hardware_of(c, node->hardwaretype);

		if (node->leaves)
			continue;
		if (offer && !offer->has_cost)
			return false;
		*cost += offer ? check_millionths(offer->cost) : 0;
	}
	return true;
}

void
check_claims(struct check *c)
{
	const struct solution *claims = c->claims;
	double cost;

	if (!claims)
		return;
	check_value(c, OBJECTIVE_MACHINES, (double)c->node_count);
	check_value(c, OBJECTIVE_MOVES, (double)check_moves(c));
	if (check_cost(c, &cost))
		check_value(c, OBJECTIVE_COST, cost);
	if (claims->status && strcmp(claims->status, "optimal") != 0 && strcmp(claims->status, "feasible") != 0)
		check_fault(c, "cluster", NULL, "its status is neither optimal nor feasible");
	for (size_t i = 0; i < claims->bound.count; i++) {
		const struct amount *said = check_find(&claims->objective, claims->bound.list[i].resource);

		if (said && said->value < claims->bound.list[i].value && !check_same(c, said->value, claims->bound.list[i].value))
			check_fault(c, "cluster", NULL, "its %s is %.12g, below what is said to be its bound, %.12g", said->resource,
			    said->value, claims->bound.list[i].value);
	}
}
