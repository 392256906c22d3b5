/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks what a layout claims of itself: its value by each objective, and the bounds of these.
 */
#include <math.h>
#include <string.h>

#include "check/layout/check-context.h"
#include "model/answer/answer.h"

static bool
check_same(double a, double b)
{
	return fabs(a - b) <= 1e-12 * (fabs(a) + fabs(b));
}

void
check_claims(struct check *c)
{
	const struct solution *claims = c->claims;
	struct amounts worth;

	if (!claims)
		return;
	worth = check_values(c);
	for (size_t i = 0; i < worth.count; i++) {
		const struct amount *right = &worth.list[i], *said = amounts_find(&claims->objective, right->resource);

		if (said && !check_same(said->value, right->value))
			check_fault(c, "cluster", NULL, "its solution says %s %.15g, right is %.15g", said->resource, said->value,
			    right->value);
	}
	if (claims->status && strcmp(claims->status, "optimal") != 0 && strcmp(claims->status, "feasible") != 0)
		check_fault(c, "cluster", NULL, "its status is neither optimal nor feasible");
	for (size_t i = 0; i < claims->bound.count; i++) {
		const struct amount *said = amounts_find(&claims->objective, claims->bound.list[i].resource);

		if (said && said->value < claims->bound.list[i].value && !check_same(said->value, claims->bound.list[i].value))
			check_fault(c, "cluster", NULL, "its %s is %.12g, below what is said to be its bound, %.12g", said->resource,
			    said->value, claims->bound.list[i].value);
	}
}
