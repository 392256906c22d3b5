/* SPDX-License-Identifier: Apache-2.0
 *
 * Changes of living clusters against a brute-force judge over seeded random requests: present layouts that keep the
 * rules and such that do not, machines more and fewer, services added and removed, nodes to be replaced, moves
 * allowed or not, zones; and numbers of instances that the cluster asks for, of new clusters, too.
 *
 * Environment: TEST_SEED, of the first case (default: a fixed one); TEST_CASES, how many.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "check/layout/check.h"
#include "json/json.h"
#include "json/place.h"
#include "model/layout.h"
#include "model/request.h"
#include "moves-brute.h"
#include "solve/solve.h"
#include "tap.h"

static unsigned
mask_of(const struct string_list *services)
{
	unsigned members = 0;

	for (size_t i = 0; i < services->count; i++)
		members |= 1U << (services->list[i][1] - '0');
	return members;
}

/* Notes what became of a node that was present; false where that is not allowed. */
static bool
take_present(struct judge *j, const struct node *node, int *seen)
{
	const struct machine *was = &j->z->nodes[node->id[1] - '0'];

	*seen |= 1 << was->number;
	if (was->left || was->type != node->hardwaretype[1] - '0' || was->image != node->imagetype[1] - '0' ||
	    mask_of(&node->was) != was->services)
		return false;
	for (int i = 0; i < j->present; i++)
		if (j->nodes[i].number == was->number) {
			j->fate[i] = node->leaves ? 0 : mask_of(&node->services);
			return node->leaves || (j->fate[i] && j->fits[j->rank[j->fate[i]][was->type][was->image]]);
		}
	return node->leaves;
}

/* The answer as a layout of the judge's; false where it is none, or forgets a node, or gives a number twice. */
static bool
take_answer(struct judge *j, const struct answer *answer)
{
	int seen = 0, gone = 0;

	memset(j->added, 0, sizeof j->added);
	for (size_t i = 0; i < answer->node_count; i++) {
		const struct node *node = &answer->nodes[i];
		unsigned services = mask_of(&node->services);
		int k;

		if (!node->is_new && !take_present(j, node, &seen))
			return false;
		if (!node->is_new)
			continue;
		if (node->leaves || !services || services >> SERVICES || node->nodenum < NODE_FIRST_NUMBER)
			return false;
		k = j->rank[services][node->hardwaretype[1] - '0'][node->imagetype[1] - '0'];
		if (!may_be_new(j, k))
			return false;
		j->added[k]++;
	}
	for (int i = 0; i < j->z->node_count; i++)
		gone |= j->z->nodes[i].left ? 1 << i : 0;
	return (seen | gone) == (1 << j->z->node_count) - 1 && !(seen & gone);
}

/* Returns whether the judge of layouts refuses the answer. */
static bool
is_refused(const struct request *request, const struct answer *answer, int64_t moves_max)
{
	struct check_terms terms = {.claims = &answer->solution, .moves_max = moves_max};
	struct arena arena = {0};
	struct layout layout;
	bool refused;

	answer_layout(request, answer, &arena, &layout);
	refused = check_layout(request, &layout, &terms, &arena) != NULL;
	arena_release(&arena);
	return refused;
}

static const char *
judge_layout(struct judge *j, const struct request *request, const struct answer *answer, int64_t moves_max)
{
	struct score score;
	char order[8];

	if (is_refused(request, answer, moves_max))
		return "the judge of coopr-solve --check refuses the answer";
	if (strcmp(answer->solution.status, "optimal") != 0)
		return "the status is not optimal";
	if (!take_answer(j, answer) || !weigh(j, &score))
		return "the layout is wrong";
	for (size_t i = 0; i < answer->solution.objective.count; i++)
		if (strcmp(answer->solution.objective.list[i].resource, "moves") == 0 &&
		    answer->solution.objective.list[i].value != score.moves)
			return "the number of moves is wrong";
	order_of(j->z, order);
	return is_better(order, &j->best, &score) || is_better(order, &score, &j->best) ? "the layout is not the best" : NULL;
}

static bool
has_rule(const struct string_list *conflict)
{
	for (size_t i = 0; i < conflict->count; i++)
		if (strcmp(conflict->list[i], "/template/constraints/counts/0") == 0)
			return true;
	return false;
}

static bool
conflict_is_minimal(const struct puzzle *z, const struct string_list *conflict)
{
	struct judge j = {.z = z, .only = conflict, .without = SIZE_MAX, .first_will_do = true, .moves_max = z->moves_max};

	judge(&j, 4);
	if (j.found)
		return false;
	for (j.without = 0; j.without < conflict->count; j.without++) {
		judge(&j, 4);
		if (!j.found)
			judge(&j, 7);
		/* a rule may want more machines than can be tried here */
		if (!j.found && !(strstr(conflict->list[j.without], "numMachines") && has_rule(conflict)))
			return false;
	}
	return true;
}

static const char *
judge_refusal(const struct puzzle *z, const struct unsatisfiable *refusal)
{
	struct puzzle free = *z;
	struct judge j = {.z = &free, .moves_max = ANY_NUMBER};
	char words[40];

	free.order = "m";
	judge(&j, 0);
	snprintf(words, sizeof words, "%d %s would do", j.best.moves, j.best.moves == 1 ? "move" : "moves");
	if (!strstr(refusal->because, j.found ? words : "") || (!j.found && strstr(refusal->because, "would do")))
		return "it does not say how few moves would do";
	return !refusal->minimal || conflict_is_minimal(z, &refusal->conflict) ? NULL : "the conflict is none, or is not minimal";
}

static const char *
compare(const struct puzzle *z, const char *text, struct answer *answer)
{
	struct judge j = {.z = z, .moves_max = z->moves_max};
	struct solve_terms terms = {.moves_max = z->moves_max == ANY_NUMBER ? INT64_MAX : z->moves_max};
	struct problems problems = {0};
	struct request request;
	struct error err;
	const char *wrong;
	jv document;

	if (json_parse("puzzle", text, strlen(text), &document, &err) < 0)
		return "the request is no JSON";
	request_parse(document, &request, &problems);
	jv_free(document);
	judge(&j, 0);
	if (problems.total || solve(&request, &terms, answer, &err) < 0)
		wrong = problems.total ? problems.list[0].text : "the solver failed";
	else if (answer->satisfiable != j.found)
		wrong = j.found ? "a layout exists" : "no layout exists";
	else
		wrong = j.found ? judge_layout(&j, &request, answer, terms.moves_max) : judge_refusal(z, &answer->refusal);
	problems_release(&problems);
	request_release(&request);
	return wrong;
}

static void
tell(uint64_t seed, const char *wrong, const struct puzzle *z, const char *text, const struct answer *answer)
{
	printf("# TEST_SEED=%" PRIu64 " TEST_CASES=1: %s (%d moves allowed)\n# %s\n", seed, wrong, z->moves_max, text);
	for (size_t i = 0; i < answer->refusal.conflict.count; i++)
		printf("#   conflict: %s\n", answer->refusal.conflict.list[i]);
	if (answer->refusal.because)
		printf("#   because: %s\n", answer->refusal.because);
	for (size_t i = 0; i < answer->node_count; i++)
		printf("#   node: %s %s %s %x\n", answer->nodes[i].is_new ? "new" : answer->nodes[i].id, answer->nodes[i].hardwaretype,
		    answer->nodes[i].imagetype, answer->nodes[i].leaves ? 0 : mask_of(&answer->nodes[i].services));
}

static double
moves_of(const struct answer *answer)
{
	for (size_t i = 0; i < answer->solution.objective.count; i++)
		if (strcmp(answer->solution.objective.list[i].resource, "moves") == 0)
			return answer->solution.objective.list[i].value;
	return 0;
}

/* One case; its two counters. False where the solver is wrong. */
static bool
try_case(uint64_t seed, bool scaled, bool say, int *layouts, int *moved)
{
	struct puzzle z;
	struct answer answer = {0};
	const char *wrong;
	char *text;

	state = seed * UINT64_C(0x9E3779B97F4A7C15) | 1;
	draw(0, 1);
	draw_puzzle(&z);
	if (scaled)
		draw_instances(&z);
	text = request_text(&z);
	wrong = compare(&z, text, &answer);
	*layouts += answer.satisfiable;
	*moved += answer.satisfiable && moves_of(&answer) > 0;
	if (wrong && say)
		tell(seed, wrong, &z, text, &answer);
	answer_release(&answer);
	free(text);
	return !wrong;
}

/* Seeds of cases that were once wrong. */
static const uint64_t once[] = {986, 79150, 518716, 7781549, 7781915};

int
main(void)
{
	const char *seed_text = getenv("TEST_SEED"), *cases_text = getenv("TEST_CASES");
	uint64_t seed = seed_text ? strtoull(seed_text, NULL, 10) : 20261121;
	int cases = cases_text ? atoi(cases_text) : 1500;

	for (int scaled = 0; scaled < 2; scaled++) {
		int layouts = 0, moved = 0, wrong_ones = 0;

		for (size_t i = 0; i < sizeof once / sizeof *once && !seed_text; i++)
			wrong_ones += !try_case(once[i], scaled, true, &layouts, &moved);
		for (int i = 0; i < cases; i++)
			wrong_ones += !try_case(seed + (uint64_t)i, scaled, wrong_ones < 5, &layouts, &moved);
		printf("# TEST_SEED=%" PRIu64 " TEST_CASES=%d: %d have a layout, %d of them with moves\n", seed, cases, layouts, moved);
		tap_is_number(wrong_ones, 0, scaled ? "so it does where the cluster asks for numbers of instances"
		                                    : "the solver agrees with a judge that tries everything");
		tap_ok(cases < 100 || (layouts > cases / 5 && layouts < cases * 9 / 10 && moved > cases / (scaled ? 50 : 20)),
		    "layouts, moves and conflicts were all judged");
	}
	return tap_end();
}
