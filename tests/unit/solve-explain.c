/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-solve --explain against the brute-force judge: for each node and service of random layouts, whether any layout
 * has it otherwise on one machine more that is like the node. What is forced is so by a minimal set of rules.
 *
 * Environment: TEST_SEED, of the first case (default: a fixed one); TEST_CASES, how many.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "explain/explain.h"
#include "json/json.h"
#include "json/place.h"
#include "model/layout.h"
#include "model/request.h"
#include "solve-brute.h"
#include "solve/solve.h"
#include "tap.h"

static int asked, forced, wrong, not_minimal;

/* The judge's question: one machine more than the layout has of the node's type with all else that stands there. */
static void
wish_otherwise(struct judge *j, const struct layout *layout, const struct node *node, int service)
{
	unsigned here = mask_of(&node->services), bit = 1U << service;

	j->wish.type = node->hardwaretype[1] - '0';
	j->wish.services = here & bit ? here & ~bit : here | bit;
	j->lacks = here & bit ? bit : 0;
	j->wished = 1;
	for (size_t i = 0; i < layout->node_count; i++) {
		unsigned there = mask_of(&layout->nodes[i].services);

		j->wished += layout->nodes[i].hardwaretype[1] == node->hardwaretype[1] &&
		    (there & j->wish.services) == j->wish.services && !(there & j->lacks);
	}
}

/* None with the rules alone, one without any of them. */
static bool
rules_are_minimal(struct judge *j, const struct string_list *rules)
{
	j->only = rules;
	j->without = SIZE_MAX;
	judge(j, 5);
	if (j->found)
		return false;
	for (j->without = 0; j->without < rules->count; j->without++) {
		judge(j, 5);
		if (!j->found)
			judge(j, 8);
		if (!j->found)
			return false;
	}
	return true;
}

static void
explain_one(const struct puzzle *z, const struct request *request, const struct layout *layout, size_t n, int service,
    uint64_t seed)
{
	struct judge j = {.z = z, .first_will_do = true};
	char name[16];
	struct explain_terms terms = {layout->nodes[n].id, name, 0};
	struct explanation explanation;
	struct arena arena = {0};
	struct error err;
	bool is_forced;

	snprintf(name, sizeof name, "s%d", service);
	wish_otherwise(&j, layout, &layout->nodes[n], service);
	judge(&j, 0);
	asked++;
	if (explain(request, layout, &terms, &arena, &explanation, &err) < 0) {
		printf("# TEST_SEED=%" PRIu64 ": %s\n", seed, err.text);
		wrong++;
	} else {
		is_forced = explanation.verdict == EXPLAIN_FORCED;
		forced += is_forced;
		if (is_forced == j.found && wrong++ < 5)
			printf("# TEST_SEED=%" PRIu64 " TEST_CASES=1: %s on %s: %s\n", seed, name, layout->nodes[n].id, explanation.because);
		if (is_forced && !j.found && !rules_are_minimal(&j, &explanation.rules) && not_minimal++ < 5)
			printf("# TEST_SEED=%" PRIu64 " TEST_CASES=1: %s on %s: the rules are not minimal\n", seed, name, layout->nodes[n].id);
	}
	arena_release(&arena);
}

static void
try_case(uint64_t seed)
{
	struct problems problems = {0};
	struct request request;
	struct answer answer;
	struct arena arena = {0};
	struct layout layout;
	struct puzzle z;
	struct error err;
	char *text = puzzle_text(seed, &z);
	jv document;

	json_parse("puzzle", text, strlen(text), &document, &err);
	request_parse(document, &request, &problems);
	jv_free(document);
	if (solve(&request, &(struct solve_terms){0}, &answer, &err) == 0 && answer.satisfiable) {
		answer_layout(&request, &answer, &arena, &layout);
		for (size_t n = 0; n < layout.node_count; n++)
			for (int i = 0; i < z.services; i++)
				explain_one(&z, &request, &layout, n, i, seed);
	}
	answer_release(&answer);
	arena_release(&arena);
	problems_release(&problems);
	request_release(&request);
	free(text);
}

int
main(void)
{
	const char *seed_text = getenv("TEST_SEED"), *cases_text = getenv("TEST_CASES");
	uint64_t seed = seed_text ? strtoull(seed_text, NULL, 10) : 20261123;
	int cases = cases_text ? atoi(cases_text) : 100;

	for (int i = 0; i < cases; i++)
		try_case(seed + (uint64_t)i);
	printf("# TEST_SEED=%" PRIu64 " TEST_CASES=%d: %d questions, %d are forced\n", seed, cases, asked, forced);
	tap_is_number(wrong, 0, "what is forced is what no layout has otherwise");
	tap_is_number(not_minimal, 0, "each of the rules that force it is needed, and they are enough");
	return tap_end();
}
