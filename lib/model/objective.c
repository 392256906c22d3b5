/* SPDX-License-Identifier: Apache-2.0 */
#include "model/objective.h"

#include <math.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/plural.h"

static const struct objective_row objectives[OBJECTIVE_COUNT] = {
	[OBJECTIVE_MOVES] = {.name = "moves", .minimised = "placements that change on an existing cluster",
	    .verb = "needs", .unit = " moves"},
	[OBJECTIVE_COST] = {.name = "cost", .minimised = "the sum of the costs of machines", .verb = "costs", .unit = "",
	    .needs_cost = true, .bounds_machines = true},
	[OBJECTIVE_MACHINES] = {.name = "machines", .minimised = "the number of machines", .verb = "needs",
	    .unit = " machines", .bounds_machines = true},
	[OBJECTIVE_DENSE] = {.name = "dense",
	    .minimised = "Coopr's own order of preference: nodes with many services, then hardware type, image type and services by name"},
};

const struct objective_row *
objective_row(enum objective objective)
{
	return &objectives[objective];
}

const char *
objective_name(enum objective objective)
{
	return objectives[objective].name;
}

enum objective
objective_find(const char *name)
{
	enum objective i = 0;

	while (i < OBJECTIVE_COUNT && strcmp(objectives[i].name, name) != 0)
		i++;
	return i;
}

void
objective_enumerate(bool bounding, const char *quote, struct buffer *out)
{
	int count = 0, told = 0;

	for (int i = 0; i < OBJECTIVE_COUNT; i++)
		count += !bounding || objectives[i].bounds_machines;
	for (int i = 0; i < OBJECTIVE_COUNT; i++) {
		if (bounding && !objectives[i].bounds_machines)
			continue;
		buffer_printf(out, "%s%s%s%s", plural_before(told, count, " or "), quote, objectives[i].name, quote);
		told++;
	}
}

struct amounts
objective_amounts(const double values[OBJECTIVE_COUNT], struct arena *arena)
{
	struct amounts amounts = {arena_alloc(arena, OBJECTIVE_COUNT, sizeof *amounts.list), 0};

	for (int i = 0; i < OBJECTIVE_COUNT; i++) {
		size_t at = amounts.count;

		if (isnan(values[i]))
			continue;
		for (; at > 0 && strcmp(amounts.list[at - 1].resource, objectives[i].name) > 0; at--)
			amounts.list[at] = amounts.list[at - 1];
		amounts.list[at] = (struct amount){.resource = objectives[i].name, .value = values[i]};
		amounts.count++;
	}
	return amounts;
}
