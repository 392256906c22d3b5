/* SPDX-License-Identifier: Apache-2.0
 *
 * Questions to the solver: is there a layout with only some of the demands, or with one more condition?
 */
#include "base/error.h"
#include "solve/fill.h"
#include "solve/program/condition.h"
#include "solve/program/demand.h"
#include "solve/search/search.h"
#include "solve/solve.h"

enum { QUESTION_NODES = 200000, QUESTION_MACHINES = 1000 };

/* What comes before dense where the best is asked for. */
static void
question_keep_objectives(struct program *p, bool best)
{
	size_t count = 0;

	while (best && count < p->objective_count && p->objectives[count] != OBJECTIVE_DENSE)
		count++;
	p->objective_count = count;
}

static int
question_answer_question(const struct program *p, unsigned long nodes_max, struct answer *answer, struct error *err)
{
	struct budget budget = {.nodes_max = nodes_max ? nodes_max : QUESTION_NODES};
	struct outcome outcome;
	int rc;

	search_best(p, &budget, &outcome);
	rc = outcome.verdict == VERDICT_FOUND || outcome.uses.count > 0;
	if (rc == 0 && (outcome.verdict == VERDICT_OPEN || !outcome.proved))
		rc = error_set(err, EX_SOFTWARE, "request: no layout was found, and that there is none could not be proved");
	if (rc > 0)
		answer_fill(p, &outcome, budget.nodes, answer);
	answer->satisfiable = rc > 0;
	outcome_release(&outcome);
	return rc;
}

/* Where nothing bounds the number of machines, few are tried first: numbers stay small, and so does the layout. */
static int
question_ask_few_first(struct program *p, unsigned long nodes_max, struct answer *answer, struct error *err)
{
	int64_t most = p->machines_max, few = p->machines_min + p->present + QUESTION_MACHINES;
	int rc = 0;

	if (p->unbounded && few < most) {
		p->machines_max = few;
		rc = question_answer_question(p, nodes_max, answer, err);
		p->machines_max = most;
	}
	return rc > 0 ? rc : question_answer_question(p, nodes_max, answer, err);
}

int
solve_question(const struct request *request, const struct question *question, struct answer *answer,
    struct error *err)
{
	struct demands demands = *question->demands;
	struct program program;
	int rc = -1;

	*answer = (struct answer){0};
	if (question->condition)
		demands.hardware_kept = question->condition->node->hardwaretype;
	if (program_build(request, &demands, &program, err) == 0) {
		question_keep_objectives(&program, question->best);
		rc = !question->condition || condition_impose(question->condition, &program);
		if (rc > 0)
			rc = question_ask_few_first(&program, question->nodes_max, answer, err);
	}
	program_release(&program);
	return rc;
}
