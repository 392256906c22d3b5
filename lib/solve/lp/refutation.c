/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/lp/refutation.h"

#include <stdlib.h>
#include <string.h>

#include "solve/lp/column.h"

void
refutations_clear(struct refutations *refutations)
{
	for (size_t i = 0; i < refutations->count; i++) {
		free(refutations->list[i].row_price);
		free(refutations->list[i].best);
	}
	*refutations = (struct refutations){0};
}

void
refutations_keep(struct refutations *refutations, const struct master *m)
{
	struct refutation *kept = &refutations->list[refutations->next];
	size_t groups = m->program->group_count;

	if (m->budget->spent || master_slack(m) >= 0)
		return;
	if (refutations->count < REFUTATIONS) {
		refutations->count++;
		kept->row_price = memory_zeroed(m->row_count, sizeof *kept->row_price);
		kept->best = memory_zeroed(groups, sizeof *kept->best);
	}
	refutations->next = (refutations->next + 1) % REFUTATIONS;
	memcpy(kept->row_price, m->row_price, m->row_count * sizeof *kept->row_price);
	memcpy(kept->best, m->best, groups * sizeof *kept->best);
}

static bool
refutation_holds(const struct refutation *refutation, struct master *m)
{
	size_t groups = m->program->group_count;
	int64_t harmless;

	memcpy(m->row_price, refutation->row_price, m->row_count * sizeof *m->row_price);
	memcpy(m->best, refutation->best, groups * sizeof *m->best);
	m->best[groups] = 0;
	harmless = master_harmless_mark(m);
	if (harmless < 0)
		return false;
	column_sum_prices(m);
	return !column_is_worth(m, harmless);
}

bool
refutations_hold(const struct refutations *refutations, struct master *m)
{
	for (size_t i = 0; i < refutations->count; i++)
		if (refutation_holds(&refutations->list[(refutations->next + REFUTATIONS - 1 - i) % REFUTATIONS], m))
			return !m->budget->spent;
	return false;
}
