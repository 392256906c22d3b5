/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-solve: reads a request and prints the layout, a cluster record and its nodes; or, with exit code 1, the one record
 * that says why there is none. With --check it judges an answer instead: exit code 1 and a line on stderr for each fault if it
 * is wrong. Exits with 0: a layout, 1: there is none, 64: misuse, 65: the request is malformed, 66: it cannot be read,
 * 70: a layout was neither found nor ruled out, 74: output lost, 75: a limit was reached with no layout in hand, or before all of a
 * conflict was judged.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/guest.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/message.h"
#include "base/option.h"
#include "check/layout/check-conflict.h"
#include "check/layout/check.h"
#include "confine/confine.h"
#include "explain/explain.h"
#include "json/json.h"
#include "json/place.h"
#include "json/record.h"
#include "model/answer/answer.h"
#include "model/layout.h"
#include "model/request.h"
#include "solve/admit.h"
#include "solve/assumptions.h"
#include "solve/limit.h"
#include "solve/solve.h"

static bool verbose;
static const char *check, *explained, *output, *seconds;
static struct solve_terms solving;
static long moves, nodes = -1;

static const struct option_spec options[] = {
	OPTION_UPTO(0, "allow-moves", &moves, "N", "on a change, unaffected services may move, at most N times"),
	OPTION_STRING(0, "check", &check, "LAYOUT", "check this layout or conflict instead of solving"),
	OPTION_STRING(0, "explain", &explained, "NODE", "explain why SERVICE is or is not on NODE"),
	OPTION_NUMBER(0, "node-limit", &nodes, "N", "search at most N nodes"),
	OPTION_STRING(0, "time-limit", &seconds, "SECONDS",
	    "search at most this long; the answer may vary from run to run"),
	OPTION_STRING('o', "output", &output, "text|json", "the format of an explanation (default: text)"),
	OPTION_FLAG('v', "verbose", &verbose, "report on stderr how long it took, and each member of a conflict"),
	OPTION_END
};

static const struct command command = {
	"coopr-solve", "[-v] [--allow-moves[=N]] [--node-limit N] [--time-limit SECONDS] [FILE] |\n"
	"       coopr-solve [-v] [--allow-moves[=N]] [--node-limit N] [--time-limit SECONDS]\n"
	"           --check ANSWER [FILE] |\n"
	"       coopr-solve --explain NODE SERVICE [-o FORMAT] [--check LAYOUT] [FILE]",
	"Find the best layout of a cluster: which services stand on which machines.", options,
	"  coopr-request -t web -n 4 --name shop | coopr-solve | coopr-plan\n"
	"  coopr-solve request.json > layout.ndjson || jq -r .because layout.ndjson\n"
	"  coopr-solve --time-limit 2.5 request.json\n"
	"  coopr-solve --check layout.ndjson request.json\n"
	"  coopr-solve --explain 1002 nginx --check layout.ndjson request.json\n"
};

/* Takes the terms. Returns 0, or a code after a message. */
static int
solve_take_terms(void)
{
	double limit = 0;
	char *end = NULL;

	if (nodes == 0)
		return option_misuse(&command, "--node-limit: at least 1 is needed");
	solving.moves_max = moves == OPTION_NUMBER_MAX ? INT64_MAX : moves;
	solving.node_limit = nodes > 0 ? (unsigned long)nodes : 0;
	if (!seconds)
		return 0;
	if (strspn(seconds, "0123456789.") == strlen(seconds))
		limit = strtod(seconds, &end);
	if (!end || *end || !(limit >= 0.001 && limit <= OPTION_NUMBER_MAX))
		return option_misuse(&command, "--time-limit: expected seconds, at least 0.001, found \"%.80s\"", seconds);
	solving.time_limit_ms = (int64_t)(limit * 1000);
	return 0;
}

static int
solve_read_request(const char *path, struct request *request)
{
	struct problems problems = {0};
	struct error err;
	jv document;
	int code;

	if (json_read_file(path, &document, &err) < 0)
		return message_error(&err);
	request_parse(document, request, &problems);
	jv_free(document);
	code = problems_report(&problems, "request");
	problems_release(&problems);
	return code;
}

static int
solve_read_answer(const char *path, struct layout *answer, struct solution *claims)
{
	struct problems problems = {0};
	struct record_reader reader;
	struct error err;
	int code;

	if (record_reader_open(&reader, path, &err) < 0)
		return message_error(&err);
	code = layout_read_answer(&reader, answer, &problems, &err) < 0 ? message_error(&err) : 0;
	if (!code) {
		struct place cluster = place_root(answer->cluster.source, &problems);

		if (!answer->unsatisfiable)
			solution_parse(&cluster, &answer->arena, claims);
		code = problems_report(&problems, path);
	}
	record_reader_release(&reader);
	problems_release(&problems);
	return code;
}

static int
solve_find_layout(const struct request *request)
{
	int64_t start = clock_monotonic_ms();
	struct answer answer;
	struct error err;
	int code;

	if (solve(request, &solving, &answer, &err) < 0)
		code = message_error(&err);
	else {
		for (size_t i = 0; i < answer.broken.count; i++)
			message("request: %s", answer.broken.list[i]);
		if (answer.limit)
			message("request: %s", answer.limit);
		for (size_t i = 0; i < answer.refusal.members.count && verbose; i++)
			message("request: %s", answer.refusal.members.list[i]);
		answer_write(request, &answer, stdout);
		code = answer.satisfiable ? 0 : EX_NO;
	}
	if (verbose)
		message("solved in %lld ms", (long long)(clock_monotonic_ms() - start));
	answer_release(&answer);
	return code;
}

static int
solve_report(const struct fault *fault, const char *what)
{
	int code = fault ? EX_NO : 0;

	for (; fault; fault = fault->next)
		message("%s: %s: %s%s%s%s", what, fault->where, fault->text, fault->pointer ? " (" : "",
		    fault->pointer ? fault->pointer : "", fault->pointer ? ")" : "");
	return code;
}

static int
solve_judge_layout(const struct request *request, const struct layout *layout, const struct solution *claims)
{
	struct check_terms terms = {.claims = claims->status ? claims : NULL, .moves_max = solving.moves_max};
	struct arena arena = {0};
	int code = solve_report(check_layout(request, layout, &terms, &arena), "layout");

	arena_release(&arena);
	return code;
}

/* Tells what of a conflict was not proved; of many members in one line, unless all are asked for. Returns a code for it, or 0. */
static int
solve_report_open(const struct fault *open, const struct budget *budget)
{
	const char *way_out = budget->spent ? limit_way_out(&solving, budget) : "nothing helps";
	size_t count = 0;

	for (const struct fault *member = open; member; member = member->next)
		count++;
	if (verbose || count == 1)
		solve_report(open, "conflict");
	if (count > 1)
		message("conflict: it was not proved of %zu members, the first is %s, that they are needed; %s", count, open->where, way_out);
	else if (count == 1)
		message("conflict: the limit was reached; %s", way_out);
	return !open ? 0 : budget->spent ? EX_TEMPFAIL : EX_SOFTWARE;
}

static int
solve_judge_conflict(const struct request *request, const struct layout *answer)
{
	struct budget budget = limit_budget(&solving);
	struct conflict_terms terms = {.find = solve_demands, .work = budget_work, .admit = admit, .budget = &budget,
	    .moves_max = solving.moves_max, .not_minimal = answer->not_minimal, .notes = verbose};
	struct conflict_report report;
	struct arena arena = {0};
	struct error err;
	int code;

	if (check_conflict(request, &answer->conflict, &terms, &arena, &report, &err) < 0)
		code = message_error(&err);
	else {
		int open;

		code = solve_report(report.faults, "conflict");
		open = solve_report_open(report.open, &budget);
		if (verbose)
			solve_report(report.notes, "conflict");
		code = code ? code : open;
	}
	arena_release(&arena);
	return code;
}

static int
solve_judge_answer(const struct request *request, const char *path)
{
	struct layout answer = {0};
	struct solution claims = {0};
	int code = solve_read_answer(path, &answer, &claims);

	if (!code)
		code = answer.unsatisfiable ? solve_judge_conflict(request, &answer) : solve_judge_layout(request, &answer,
		    &claims);
	layout_release(&answer);
	return code;
}

static int
solve_explain_in(const struct request *request, const struct layout *layout, const char *service)
{
	struct explain_terms terms = {explained, service, solving.moves_max};
	struct explanation explanation;
	struct arena arena = {0};
	struct error err;
	int code = 0;

	if (explain(request, layout, &terms, &arena, &explanation, &err) < 0)
		code = message_error(&err);
	else if (output && strcmp(output, "json") == 0)
		explanation_write_record(&explanation, stdout);
	else
		explanation_write(&explanation, stdout);
	arena_release(&arena);
	return code;
}

static int
solve_explain_given(const struct request *request, const char *path, const char *service)
{
	struct layout layout = {0};
	struct solution claims;
	int code = solve_read_answer(path, &layout, &claims);

	if (!code && layout.unsatisfiable) {
		message("%s: contains no layout to explain, but the reason why there is none", path);
		code = EX_NO;
	} else if (!code)
		code = solve_explain_in(request, &layout, service);
	layout_release(&layout);
	return code;
}

/* Explains the layout that would be found. */
static int
solve_explain_found(const struct request *request, const char *service)
{
	struct answer answer;
	struct arena arena = {0};
	struct layout layout;
	struct error err;
	int code = 0;

	if (solve(request, &solving, &answer, &err) < 0)
		code = message_error(&err);
	else if (!answer.satisfiable) {
		message("no layout satisfies the request: %s", answer.refusal.because);
		code = EX_NO;
	} else {
		answer_layout(request, &answer, &arena, &layout);
		code = solve_explain_in(request, &layout, service);
	}
	arena_release(&arena);
	answer_release(&answer);
	return code;
}

int
main(int argc, char **argv)
{
	struct request request = {0};
	const char *service;
	struct error err;
	int code;

	argv += option_parse(&command, argc, argv);
	if (guest_refuse_options(&err) < 0)
		return message_error(&err);
	service = explained ? argv[0] : NULL;
	if (explained && !service)
		return option_misuse(&command, "--explain needs a node and a service");
	if (output && !explained && strcmp(output, "json") != 0)
		return option_misuse(&command, "without --explain, records are printed as json; --output %s goes with --explain", output);
	if (explained) { /* what it asks has limits of its own */
		option_excludes(&command, "node-limit", "check");
		option_excludes(&command, "time-limit", "check");
	}
	argv += explained != NULL;
	if (argv[0] && argv[1])
		return option_misuse(&command, "one request at a time");
	if (check && strcmp(check, "-") == 0 && (!argv[0] || strcmp(argv[0], "-") == 0))
		return option_misuse(&command, "only one of the answer and the request can be standard input");
	if (guest_refuse_file(argv[0], &err) < 0)
		return message_error(&err);
	confine_filter((const char *const[]){argv[0], check}, 2);

	code = solve_take_terms();
	if (!code)
		code = solve_read_request(argv[0] ? argv[0] : "-", &request);

	if (!code && service)
		code = check ? solve_explain_given(&request, check, service) : solve_explain_found(&request, service);
	else if (!code)
		code = check ? solve_judge_answer(&request, check) : solve_find_layout(&request);

	request_release(&request);
	return message_end(code);
}
