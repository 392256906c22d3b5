/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/search/amounts-bound.h"

#include <stdlib.h>

#include "solve/lp/master.h"
#include "solve/program/bits.h"

struct amount_sums {
	const struct program *program;
	int64_t *least; /* instances of each unit */
	int64_t machines;
	const int64_t *weight; /* of each type; NULL: each is 1 */
};

static int64_t
amounts_weight(const struct amount_sums *a, size_t hardware)
{
	return a->weight ? a->weight[hardware] : 1;
}

/* Returns how much of the weights all that is taken of a resource takes at least, on the type that offers most of it for its weight. */
static int64_t
amounts_bound_of_resource(const struct amount_sums *a, size_t resource)
{
	const struct program *p = a->program;
	wide need = 0, weight = 0, room = 0; /* of that type */

	for (size_t u = 0; u < p->unit_count; u++)
		need += (wide)a->least[u] * p->units[u].consumes[resource];
	for (size_t h = 0; h < p->hardware_count; h++) {
		int64_t own = p->hardware[h].capacity[resource];

		if (!bits_has(p->groups[0].hardware, h) || own <= 0)
			continue;
		if (own == NO_MAX)
			return 0;
		if (!room || amounts_weight(a, h) * room < weight * own) {
			weight = amounts_weight(a, h);
			room = own;
		}
	}
	return room ? (int64_t)((need * weight + room - 1) / room) : 0;
}

/* Returns what so many machines weigh at least. */
static int64_t
amounts_bound_of_weights(const struct amount_sums *a, int64_t machines)
{
	const struct program *p = a->program;
	int64_t least = INT64_MAX;

	for (size_t h = 0; h < p->hardware_count; h++)
		if (bits_has(p->groups[0].hardware, h) && a->weight[h] < least)
			least = a->weight[h];
	least = least == INT64_MAX ? 0 : least * machines;
	for (size_t i = 0; i < p->resource_count; i++) {
		int64_t bound = amounts_bound_of_resource(a, i);

		least = bound > least ? bound : least;
	}
	return least;
}

/* Returns how many machines there are at least: one for each instance of a unit, and of units that exclude each other. */
static int64_t
amounts_least_machines(const struct amount_sums *a)
{
	const struct program *p = a->program;
	int64_t *clique = memory_zeroed(p->unit_count, sizeof *clique), least = a->machines;

	for (size_t u = 0; u < p->unit_count; u++) {
		int64_t *sum = &clique[p->units[u].clique];

		*sum = count_add(*sum, a->least[u]);
		least = *sum > least ? *sum : least;
	}
	free(clique);
	for (size_t i = 0; i < p->resource_count && p->group_count == 1; i++) {
		int64_t bound = amounts_bound_of_resource(a, i);

		least = bound > least ? bound : least;
	}
	return least;
}

int64_t
amounts_least(const struct program *p)
{
	struct amount_sums a = {.program = p, .machines = p->machines_min, .least = memory_zeroed(p->unit_count, sizeof *a.least)};
	int64_t least;

	for (size_t u = 0; u < p->unit_count; u++)
		a.least[u] = p->units[u].everywhere && p->units[u].min < p->machines_min ? p->machines_min : p->units[u].min;
	least = p->group_count == 1 ? amounts_least_machines(&a) : 0;
	free(a.least);
	return least;
}

int64_t
amounts_bound(const struct master *m, int row)
{
	const struct program *p = m->program;
	struct amount_sums a = {.program = p, .machines = m->rows[0].lo > 0 ? m->rows[0].lo : 0,
	    .least = memory_zeroed(p->unit_count, sizeof *a.least)};
	int64_t machines, bound = INT64_MAX;

	for (size_t u = 0; u < p->unit_count; u++) {
		int of = m->row_of_unit[u] == SIMPLEX_NONE && p->units[u].everywhere ? 0 : m->row_of_unit[u];

		a.least[u] = of == SIMPLEX_NONE || m->rows[of].lo < 0 ? 0 : m->rows[of].lo;
	}
	bound = machines = amounts_least_machines(&a);
	if (row != 0) {
		a.weight = m->rows[row].kind == ROW_OBJECTIVE ? p->weights[m->rows[row].index].hardware : NULL;
		bound = a.weight && p->group_count == 1 ? amounts_bound_of_weights(&a, machines) : 0; /* present machines have types of their own */
	}
	free(a.least);
	return bound;
}
