/* SPDX-License-Identifier: Apache-2.0
 *
 * A bound that the numbers imply: where units may have few instances, one machine cannot hold many of them, for each of the
 * other machines needs one, too. It is expressed as one more resource, of which each unit takes 1.
 */
#include "solve/program/bits.h"
#include "solve/program/build-parts.h"

static int64_t *
build_one_more(struct program *p, const int64_t *amounts, int64_t amount)
{
	int64_t *more = arena_alloc(&p->arena, p->resource_count + 1, sizeof *more);

	for (size_t i = 0; i < p->resource_count; i++)
		more[i] = amounts[i];
	more[p->resource_count] = amount;
	return more;
}

void
build_bounds(struct program *p)
{
	int64_t most = 0, room; /* instances in all; those on one machine */

	for (size_t u = 0; u < p->unit_count; u++) {
		const struct unit *unit = &p->units[u];

		if (unit->everywhere || unit->max >= p->machines_max)
			return;
		most += unit->max > 0 ? unit->max : 0;
	}
	room = most - (p->machines_min - 1);
	if (p->request->node_count || room >= (int64_t)p->unit_count)
		return;
	for (size_t u = 0; u < p->unit_count; u++)
		p->units[u].consumes = build_one_more(p, p->units[u].consumes, 1);
	for (size_t h = 0; h < p->hardware_count; h++)
		p->hardware[h].capacity = build_one_more(p, p->hardware[h].capacity, room > 0 ? room : 0);
	p->resource_count++;
}
