/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/assumptions.h"

#include "base/error.h"
#include "model/answer/demand.h"
#include "model/layout.h"
#include "solve/lp/presolve.h"
#include "solve/program/condition.h"
#include "solve/search/search.h"

enum { ASSUMPTIONS_NODES = 200000, ASSUMPTIONS_MACHINES = 1000 };

static int
assumptions_search(const struct program *p, const struct assumptions *assumptions, struct answer *answer, struct error *err)
{
	unsigned long nodes_max = assumptions->nodes_max ? assumptions->nodes_max : ASSUMPTIONS_NODES;
	struct budget none = {0}, *all = assumptions->budget ? assumptions->budget : &none;
	struct budget budget = budget_part(all, nodes_max);
	struct outcome outcome;
	int rc;

	search_best(p, &budget, &outcome);
	budget_take(all, &budget);
	rc = outcome.status == SEARCH_FOUND || outcome.uses.count > 0;
	if (rc == 0 && (outcome.status == SEARCH_OPEN || !outcome.proved))
		rc = error_set(err, EX_SOFTWARE, "request: no layout was found, and it could not be proved that none exists");
	if (rc > 0)
		answer_fill(p, &outcome, budget.nodes, answer);
	answer->satisfiable = rc > 0;
	outcome_release(&outcome);
	return rc;
}

/* Searches. If nothing bounds the number of machines, a small bound is tried first, which keeps numbers and layout small. */
static int
assumptions_search_few_first(struct program *p, const struct assumptions *assumptions, struct answer *answer, struct error *err)
{
	int64_t most = p->machines_max, few = p->machines_min + p->present + ASSUMPTIONS_MACHINES;
	int rc = 0;

	if (p->unbounded && few < most) {
		p->machines_max = few;
		rc = assumptions_search(p, assumptions, answer, err);
		p->machines_max = most;
	}
	return rc > 0 ? rc : assumptions_search(p, assumptions, answer, err);
}

int
solve_under(const struct request *request, const struct assumptions *assumptions, struct answer *answer,
    struct error *err)
{
	struct demands demands = *assumptions->demands;
	struct program program;
	int rc = -1;

	*answer = (struct answer){0};
	if (assumptions->condition)
		demands.hardware_kept = assumptions->condition->node->hardwaretype;
	if (presolve(request, &demands, &program, err) == 0) {
		size_t count = 0; /* the objectives before dense, if the best layout is wanted */

		if (assumptions->budget)
			budget_work(assumptions->budget, program_size(&program));
		while (assumptions->best && count < program.objective_count && program.objectives[count] != OBJECTIVE_DENSE)
			count++;
		program.objective_count = count;
		rc = !assumptions->condition || condition_impose(assumptions->condition, &program);
		if (rc > 0)
			rc = assumptions_search_few_first(&program, assumptions, answer, err);
	}
	program_release(&program);
	return rc;
}

int
solve_demands(const struct demands *demands, unsigned long nodes, struct budget *budget, struct arena *arena, struct layout *layout,
    struct error *err)
{
	struct assumptions assumptions = {.demands = demands, .nodes_max = nodes, .budget = budget};
	struct answer answer;
	int rc = solve_under(demands->request, &assumptions, &answer, err);

	if (rc > 0)
		answer_layout(demands->request, &answer, &answer.arena, layout);
	*arena = answer.arena;
	return rc;
}
