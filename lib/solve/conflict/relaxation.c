/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/conflict/relaxation.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/plural.h"
#include "model/answer/demand.h"
#include "model/request.h"
#include "solve/lp/master.h"
#include "solve/lp/presolve.h"
#include "solve/search/branch.h"

enum { NODES_MAX = 2000 }; /* of the search */

static void
relaxation_find_fewest(const struct program *p, struct budget *budget, struct buffer *out)
{
	struct master m;
	struct budget part = budget_part(budget, NODES_MAX);
	struct uses found = {0};
	int64_t least = 0;
	enum search_status status = SEARCH_NONE;

	master_init(&m, p, &part);
	if (m.row_of_moves != SIMPLEX_NONE && master_relax(&m, m.row_of_moves, 1)) {
		master_bound(&m, m.row_of_moves, 1, &least);
		status = branch_best(&m, m.row_of_moves, 1, &found);
	}
	if (status == SEARCH_FOUND) {
		least = master_activity(&m, m.row_of_moves, &found);
		buffer_printf(out, "; %" PRId64 " %s would do", least, plural(least, "move", "moves"));
	} else if (status == SEARCH_OPEN)
		buffer_printf(out, "; at least %" PRId64 " %s needed", least, plural(least, "move is", "moves are"));
	budget_take(budget, &part);
	free(found.list);
	master_release(&m);
}

int
relaxation_words(const struct request *request, struct budget *budget, struct buffer *out, struct error *err)
{
	struct demands demands;
	struct program program;
	int rc;

	demands_collect(request, &demands);
	demands.moves_max = INT64_MAX;
	rc = presolve(request, &demands, &program, err);
	if (rc == 0)
		relaxation_find_fewest(&program, budget, out);
	program_release(&program);
	demands_release(&demands);
	return rc;
}
