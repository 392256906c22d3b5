/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/search/extreme.h"

#include <stdlib.h>

#include "solve/lp/master.h"
#include "solve/search/amounts-bound.h"
#include "solve/search/branch.h"
#include "solve/search/greedy.h"

enum {
	COPIES = 8, /* of the inverse, in time, to make room for it row by row */
	PAIRS = 8,  /* steps for each pair of a service and a machine that is tried */
};

/* Looks for a layout without a search. Returns how many machines it has; 0 if none was found. */
static int64_t
extreme_greedy(const struct program *p, struct budget *budget)
{
	uint64_t units = p->unit_count;
	struct uses found = {0};
	struct arena arena = {0};
	int64_t machines = 0;

	if (!greedy_applies(p) || !greedy_find(p, &arena, &found))
		found.count = 0;
	for (size_t i = 0; i < found.count; i++)
		machines += found.list[i].count;
	arena_release(&arena);
	free(found.list);
	budget_work(budget, PAIRS * units * units);
	return machines;
}

enum search_status
extreme_any(const struct program *p, struct budget *budget)
{
	struct uses found = {0};
	struct master m;
	enum search_status status;

	if (amounts_least(p) > p->machines_max)
		return SEARCH_NONE;
	if (extreme_greedy(p, budget) > 0)
		return SEARCH_FOUND;
	if (greedy_is_wanted(p)) /* its linear program would take too long */
		return SEARCH_OPEN;
	master_init(&m, p, budget);
	budget_work(budget, COPIES * m.row_count * m.row_count);
	status = branch_any(&m, &found);
	if (status == SEARCH_NONE && m.unproven)
		status = SEARCH_OPEN;
	master_release(&m);
	free(found.list);
	return status;
}

int64_t
extreme_of(const struct program *p, int unit, int sign, struct budget *budget)
{
	struct uses found = {0};
	struct master m;
	int64_t value = -1;
	int row = 0;

	if (unit == ANY && sign > 0 && extreme_greedy(p, budget) == amounts_least(p))
		return amounts_least(p);
	if (greedy_is_wanted(p))
		return -1;
	master_init(&m, p, budget);
	if (unit != ANY)
		row = master_add_row(&m, (struct row){ROW_UNIT, unit, NULL, NO_MIN, NO_MAX, 1});
	if (branch_best(&m, row, sign, &found) == SEARCH_FOUND && !m.unproven)
		value = master_activity(&m, row, &found) + master_activity(&m, row, &m.fixed);
	master_release(&m);
	free(found.list);
	return value >= SOLVE_MACHINES ? -1 : value;
}
