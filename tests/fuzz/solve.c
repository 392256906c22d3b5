/* SPDX-License-Identifier: Apache-2.0
 *
 * solve: of whatever request, the answer is one that its own judge accepts: a layout that breaks no rule and is worth
 * what it says, or a conflict that is one and is minimal. FUZZ_PRINT in the environment prints the request.
 */
#include "check/layout/check-conflict.h"
#include "check/layout/check.h"
#include "fuzz.h"
#include "grow.h"
#include "model/layout.h"
#include "model/request.h"
#include "solve/admit.h"
#include "solve/assumptions.h"
#include "solve/lp/budget.h"
#include "solve/solve.h"

enum { NODE_LIMIT = 2000 };

static void
judge_layout(const struct request *request, int64_t moves_max, const struct answer *answer, struct arena *arena)
{
	struct check_terms terms = {.claims = &answer->solution, .moves_max = moves_max};
	struct layout layout;
	struct fault *faults;

	answer_layout(request, answer, arena, &layout);
	faults = check_layout(request, &layout, &terms, arena);
	for (struct fault *fault = faults; fault; fault = fault->next)
		fprintf(stderr, "%s: %s (%s)\n", fault->where, fault->text, fault->pointer ? fault->pointer : "");
	fuzz_promise(!faults, "a layout is right");
}

static void
judge_conflict(const struct request *request, int64_t moves_max, const struct answer *answer, struct arena *arena)
{
	struct budget budget = {0};
	struct conflict_terms terms = {.find = solve_demands, .work = budget_work, .admit = admit, .budget = &budget, .moves_max = moves_max, .not_minimal = !answer->refusal.minimal};
	struct conflict_report report;
	struct error err;

	if (check_conflict(request, &answer->refusal.conflict, &terms, arena, &report, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		fuzz_promise(false, "a conflict can be judged");
	}
	for (size_t i = 0; report.faults && i < answer->refusal.conflict.count; i++)
		fprintf(stderr, "%s\n", answer->refusal.conflict.list[i]);
	for (struct fault *fault = report.faults; fault; fault = fault->next)
		fprintf(stderr, "%s: %s\n", fault->where, fault->text);
	fuzz_promise(!report.faults && !report.open, "a conflict is one, and minimal");
}

static void
judge_answer(const struct request *request, int64_t moves_max)
{
	struct solve_terms terms = {.moves_max = moves_max, .node_limit = NODE_LIMIT};
	struct arena arena = {0};
	struct answer answer;
	struct error err;

	if (solve(request, &terms, &answer, &err) < 0) {
		if (err.code != EX_DATAERR && err.code != EX_TEMPFAIL)
			fprintf(stderr, "%s\n", err.text);
		fuzz_promise(err.code == EX_DATAERR || err.code == EX_TEMPFAIL, "what is no layout is proved to be none");
	} else if (answer.satisfiable)
		judge_layout(request, moves_max, &answer, &arena);
	else
		judge_conflict(request, moves_max, &answer, &arena);
	answer_release(&answer);
	arena_release(&arena);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct problems problems = {0};
	struct request request;
	struct buffer text = {0};
	struct error err;
	jv document;

	if (size && data[0] == '{')
		buffer_append(&text, (const char *)data, size);
	else
		grow_request(data, size, &text);
	if (getenv("FUZZ_PRINT"))
		fprintf(stderr, "%.*s\n", (int)text.length, text.data);
	if (json_parse("input", text.data, text.length, &document, &err) == 0) {
		request_parse(document, &request, &problems);
		jv_free(document);
		if (problems.total == 0)
			judge_answer(&request, size % 3 == 2 ? INT64_MAX : (int64_t)(size % 3) * 2);
		request_release(&request);
	}
	problems_release(&problems);
	buffer_release(&text);
	return 0;
}
