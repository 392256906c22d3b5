/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/solve.h"

#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "model/answer/demand.h"
#include "model/request.h"
#include "solve/admit.h"
#include "solve/conflict/conflict.h"
#include "solve/conflict/room.h"
#include "solve/conflict/room-numbers.h"
#include "solve/conflict/violation.h"
#include "solve/limit.h"
#include "solve/lp/presolve.h"
#include "solve/program/bits.h"
#include "solve/search/search.h"
#include "solve/search/zone.h"

static int
solve_take_outcome(const struct program *p, const struct outcome *outcome, const struct solve_terms *terms,
    struct budget *budget, struct answer *answer, struct error *err)
{
	if (outcome->status != SEARCH_NONE && p->unbounded && outcome_machines(p, outcome) >= SOLVE_MACHINES) {
		struct buffer names = {0};

		objective_enumerate(true, "", &names);
		error_set(err, EX_DATAERR, "request: /cluster/numMachines: nothing bounds the number of machines; give it, "
		    "constraints.size.max, or an objective of %s", names.data);
		buffer_release(&names);
		return -1;
	}
	if (outcome->status == SEARCH_NONE && !outcome->proved)
		return error_set(err, EX_SOFTWARE, "request: no layout was found, and it could not be proved that none exists");
	if (outcome->status == SEARCH_OPEN && outcome_machines(p, outcome) == 0)
		return limit_error(terms, budget, err);
	answer->satisfiable = outcome->status != SEARCH_NONE;
	if (!answer->satisfiable)
		return conflict_explain(p->request, terms->moves_max, budget, &answer->arena, &answer->refusal, err);
	answer_fill(p, outcome, budget->nodes, answer);
	if (outcome->status == SEARCH_OPEN)
		answer->limit = limit_words(terms, budget, &answer->solution, &answer->arena);
	return 0;
}

/* Lists the demands that the present layout breaks; the answer breaks none. */
static void
solve_name_violations(const struct program *p, const struct demands *demands, struct answer *answer)
{
	struct violations violations = {0};

	violations_find(p, demands, &violations);
	answer->broken.list = arena_alloc(&answer->arena, violations.count, sizeof *answer->broken.list);
	for (size_t i = 0; i < violations.count; i++) {
		struct buffer out = {0};

		violation_words(&violations.list[i], demands, &out);
		answer->broken.list[answer->broken.count++] = arena_string(&answer->arena, out.data);
		buffer_release(&out);
	}
	free(violations.list);
}

static bool
solve_exceeds_room(const struct demands *demands)
{
	struct room room;
	bool exceeds;

	room_init(&room, demands);
	exceeds = room_exceeds(&room);
	room_release(&room);
	return exceeds;
}

int
solve(const struct request *request, const struct solve_terms *terms, struct answer *answer, struct error *err)
{
	struct demands demands;
	struct program program;
	struct outcome outcome;
	struct budget budget = limit_budget(terms);
	int admitted, rc;

	*answer = (struct answer){0};
	admitted = admit(request, &answer->arena, &answer->refusal, err);
	if (admitted <= 0)
		return admitted;
	demands_collect(request, &demands);
	demands.moves_max = terms->moves_max;
	rc = presolve(request, &demands, &program, err);
	if (rc == 0 && solve_exceeds_room(&demands))
		rc = conflict_explain(request, terms->moves_max, &budget, &answer->arena, &answer->refusal, err);
	else if (rc == 0) {
		search_best(&program, &budget, &outcome);
		rc = solve_take_outcome(&program, &outcome, terms, &budget, answer, err);
		if (rc == 0 && answer->satisfiable)
			solve_name_violations(&program, &demands, answer);
		outcome_release(&outcome);
	}
	program_release(&program);
	demands_release(&demands);
	return rc;
}
