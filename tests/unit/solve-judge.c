/* SPDX-License-Identifier: Apache-2.0
 *
 * The solver against a brute-force judge over seeded random requests: the best layout (dense: the very one), that
 * there is none, and that each conflict is one and is minimal. The judge is in
 * solve-brute.h.
 *
 * Environment: TEST_SEED, of the first case (default: a fixed one); TEST_CASES, how many.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "check/layout/check-conflict.h"
#include "check/layout/check.h"
#include "json/json.h"
#include "json/place.h"
#include "model/layout.h"
#include "model/request.h"
#include "solve-brute.h"
#include "solve/admit.h"
#include "solve/assumptions.h"
#include "solve/lp/budget.h"
#include "solve/solve.h"
#include "tap.h"

static bool
conflict_is_minimal(const struct puzzle *z, const struct string_list *conflict)
{
	struct judge j = {.z = z, .only = conflict, .without = SIZE_MAX, .first_will_do = true};

	judge(&j, LIMIT_RELAXED);
	if (j.found)
		return false;
	for (j.without = 0; j.without < conflict->count; j.without++) {
		judge(&j, LIMIT_RELAXED);
		if (!j.found)
			judge(&j, LIMIT_LAST);
		if (!j.found)
			return false;
	}
	return true;
}

static bool
answer_is_best(struct judge *j, const struct answer *answer)
{
	int cost = 0;

	if (!take_nodes(j, answer->nodes, answer->node_count) || strcmp(answer->solution.status, "optimal") != 0)
		return false;
	for (int k = 0; k < j->count; k++)
		cost += j->vector[k] * j->z->cost[j->patterns[k].type];
	if (j->z->objectives == 1)
		return cost == j->best_cost;
	if (j->z->objectives == 2)
		return (int)answer->node_count == j->best_machines;
	return memcmp(j->vector, j->best, sizeof j->best) == 0;
}

/* Returns whether the judge accepts a conflict, with nothing left unproved. */
static bool
conflict_checks(const struct request *request, const struct string_list *conflict)
{
	struct budget budget = {0};
	struct conflict_terms terms = {.find = solve_demands, .work = budget_work, .admit = admit, .budget = &budget};
	struct conflict_report report = {0};
	struct arena arena = {0};
	struct error err;
	bool right = check_conflict(request, conflict, &terms, &arena, &report, &err) == 0 && !report.faults && !report.open;

	arena_release(&arena);
	return right;
}

/* Returns whether the judge refuses what is left of a minimal conflict without any one of its members. */
static bool
parts_are_refused(const struct request *request, const struct string_list *conflict)
{
	struct string_list part = {memory_zeroed(conflict->count, sizeof *part.list), conflict->count - 1};
	bool refused = true;

	for (size_t without = 0; without < conflict->count && refused; without++) {
		for (size_t i = 0; i < part.count; i++)
			part.list[i] = conflict->list[i + (i >= without)];
		refused = !conflict_checks(request, &part);
	}
	free(part.list);
	return refused;
}

/* Returns whether the judges of layouts and of conflicts find no fault. */
static bool
checks(const struct request *request, const struct answer *answer)
{
	struct check_terms terms = {.claims = &answer->solution};
	struct arena arena = {0};
	struct layout layout;
	bool right;

	if (!answer->satisfiable)
		return conflict_checks(request, &answer->refusal.conflict) && parts_are_refused(request, &answer->refusal.conflict);
	answer_layout(request, answer, &arena, &layout);
	right = !check_layout(request, &layout, &terms, &arena);
	arena_release(&arena);
	return right;
}

static const char *
compare(const struct puzzle *z, const char *text, struct answer *answer)
{
	struct judge j = {.z = z};
	struct problems problems = {0};
	struct request request;
	struct error err;
	const char *wrong = NULL;
	jv document;

	if (json_parse("puzzle", text, strlen(text), &document, &err) < 0)
		return "the request is no JSON";
	request_parse(document, &request, &problems);
	jv_free(document);
	judge(&j, 0);
	if (problems.total || solve(&request, &(struct solve_terms){0}, answer, &err) < 0)
		wrong = "the solver failed";
	else if (answer->satisfiable != j.found)
		wrong = j.found ? "a layout exists" : "no layout exists";
	else if (j.found && !answer_is_best(&j, answer))
		wrong = "the layout is not the best";
	else if (!j.found && !conflict_is_minimal(z, &answer->refusal.conflict))
		wrong = "the conflict is none, or is not minimal";
	else if (!checks(&request, answer))
		wrong = "the judge of coopr-solve --check refuses the answer, or accepts a part of it";
	problems_release(&problems);
	request_release(&request);
	return wrong;
}

static void
tell(uint64_t seed, const char *wrong, const char *text, const struct answer *answer)
{
	printf("# TEST_SEED=%" PRIu64 " TEST_CASES=1: %s\n# %s\n", seed, wrong, text);
	for (size_t i = 0; i < answer->refusal.conflict.count; i++)
		printf("#   conflict: %s\n", answer->refusal.conflict.list[i]);
	if (answer->satisfiable)
		printf("#   %s\n", answer->solution.status);
	for (size_t i = 0; i < answer->node_count; i++)
		printf("#   node: %s %s %x\n", answer->nodes[i].hardwaretype, answer->nodes[i].imagetype,
		    mask_of(&answer->nodes[i].services));
}

int
main(void)
{
	const char *seed_text = getenv("TEST_SEED"), *cases_text = getenv("TEST_CASES");
	uint64_t seed = seed_text ? strtoull(seed_text, NULL, 10) : 20261121;
	int cases = cases_text ? atoi(cases_text) : 1000, layouts = 0, wrong_ones = 0;

	for (int i = 0; i < cases; i++) {
		struct puzzle z;
		struct answer answer = {0};
		const char *wrong;
		char *text;

		text = puzzle_text(seed + (uint64_t)i, &z);
		wrong = compare(&z, text, &answer);
		layouts += answer.satisfiable;
		if (wrong && wrong_ones++ < 5)
			tell(seed + (uint64_t)i, wrong, text, &answer);
		answer_release(&answer);
		free(text);
	}
	printf("# TEST_SEED=%" PRIu64 " TEST_CASES=%d: %d have a layout\n", seed, cases, layouts);
	tap_is_number(wrong_ones, 0, "the solver agrees with a judge that tries everything");
	tap_ok(cases < 1000 || (layouts > cases / 5 && layouts < cases * 9 / 10), "layouts and conflicts were both judged");
	return tap_end();
}
