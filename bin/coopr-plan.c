/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-plan: reads a layout and prints the plan that makes it so, or that carries out a named action on it: a job
 * record, the layout's records, then tasks and milestones, each behind what it waits for. The same input gives the
 * same bytes. Exits with 0 (also for a plan of no tasks), 1 if a node or service named is not there or the services'
 * dependencies form a cycle (with --check: if the plan breaks a rule), 64 on misuse, 65 for a bad document.
 */
#include <stdlib.h>
#include <string.h>

#include "account/guest.h"
#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/message.h"
#include "base/option.h"
#include "base/plural.h"
#include "base/suggest.h"
#include "check/plan/check.h"
#include "confine/confine.h"
#include "json/record.h"
#include "model/action.h"
#include "model/expectation.h"
#include "model/layout-diff.h"
#include "model/layout.h"
#include "model/name.h"
#include "model/plan-document.h"
#include "model/show/grouping.h"
#include "model/unavailable.h"
#include "plan/plan.h"

static const char *action, *job, *from, *max_unavailable, *history_file;
static struct option_list nodes, services, dead, archives;
static bool graceful, check, verbose;
static long slots;

static const struct option_spec options[] = {
	OPTION_STRING('a', "action", &action, "ACTION", "plan this (default: the difference of the two layouts)"),
	OPTION_LIST('N', "node", &nodes, "NODE", "only on this node (id or hostname); may be repeated"),
	OPTION_RETIRED('n', NULL, "-N"),
	OPTION_LIST('s', "service", &services, "SERVICE", "only this service; may be repeated"),
	OPTION_STRING(0, "from", &from, "LAYOUT", "compare with this older layout, not with the members \"was\""),
	OPTION_STRING(0, "max-unavailable", &max_unavailable, "N|N%", "how many nodes of a service may be down at a time"),
	OPTION_LIST(0, "dead", &dead, "NODE", "this machine does not answer: only delete it; may be repeated"),
	OPTION_LIST(0, "archive", &archives, "NODE/SERVICE=ID", "what a restore puts back there; may be repeated"),
	OPTION_STRING(0, "history", &history_file, "FILE", "how long earlier tasks took: coopr-queue stats --expect"),
	OPTION_NUMBER(0, "slots", &slots, "N", "expect the duration with N workers (default: one for every node)"),
	OPTION_STRING(0, "job", &job, "ID", "the id of the job (default: coopr-queue put assigns one)"),
	OPTION_FLAG(0, "graceful", &graceful, "stop and remove services before their node is deleted"),
	OPTION_FLAG(0, "check", &check, "check a plan instead"),
	OPTION_FLAG('v', "verbose", &verbose, "report how long the plan takes, and why"),
	OPTION_END
};

static const struct command command = {
	"coopr-plan", "[OPTION]... [FILE]", "Plan the work that a layout asks for.", options,
	"  coopr-solve request.json | coopr-plan | coopr-queue put\n"
	"  coopr-queue show 00000042-001 --layout | coopr-plan -a restart -s zk | coopr-queue put\n"
	"  coopr-plan -v layout.ndjson | coopr-show -o tree\n"};

static void
plan_check_action(void)
{
	const char *const *names = cluster_action_names(), *near;
	size_t i = 0;

	while (action && names[i] && strcmp(action, names[i]) != 0)
		i++;
	if (action && !names[i]) {
		near = suggest_word(action, names);
		exit(near ? option_misuse(&command, "unknown action '%s'; did you mean '%s'?", action, near)
		          : option_misuse(&command, "unknown action '%s'", action));
	}
	if (services.count && cluster_action_is_whole_nodes(cluster_action_find(action)))
		exit(option_misuse(&command, "--service: %s is about whole nodes", action));
	if (archives.count && (!action || strcmp(action, action_name(ACTION_RESTORE)) != 0))
		exit(option_misuse(&command, "--archive: only for -a restore"));
	if (graceful && !cluster_action_removes_nodes(cluster_action_find(action)))
		exit(option_misuse(&command, "--graceful: %s removes no nodes", action));
	if (max_unavailable && strcmp(max_unavailable, UNAVAILABLE_AUTO) != 0 && !cluster_action_can_roll(cluster_action_find(action)))
		exit(option_misuse(&command, "--max-unavailable: %s neither takes services down for a while nor replaces nodes",
		    action));
}

/* Exits with EX_USAGE if the options make no sense. */
static void
plan_check_options(const char *const *operands)
{
	if (check)
		option_only_with(&command, "with --check", (const char *const[]){"check", NULL});
	option_needs(&command, "slots", (const char *const[]){"history", "verbose", NULL});
	if (operands[0] && operands[1])
		exit(option_misuse(&command, "one file at most, found also '%s'", operands[1]));
	if (job && !name_is_valid(job))
		exit(option_misuse(&command, "--job: '%s' cannot be the id of a job", job));
	if (max_unavailable && strcmp(max_unavailable, UNAVAILABLE_AUTO) != 0 && !unavailable_is_valid(max_unavailable))
		exit(option_misuse(&command, "--max-unavailable: '%s' is neither a number from 1 on nor a percentage up to 100%%",
		    max_unavailable));
	if (history_file && strcmp(history_file, "-") == 0)
		exit(option_misuse(&command, "--history: standard input is for the layout"));
	if (from && strcmp(from, "-") == 0)
		exit(option_misuse(&command, "--from: standard input is for the newer layout"));
	plan_check_action();
}

/* Exits with an error if there is no good layout. */
static void
plan_read_layout(const char *path, struct layout *layout)
{
	struct problems problems = {0};
	struct record_reader reader;
	struct error err;

	if (record_reader_open(&reader, path, &err) < 0) {
		message_error(&err);
		if (path && name_is_valid(path) && !strpbrk(path, "./")) /* it may be the name of a cluster */
			message("this command reads a layout from a file; to see what would be done to a cluster, use --dry-run: "
			    "coopr expand --dry-run %s", path);
		exit(err.code);
	}
	if (layout_read(&reader, layout, &problems, &err) < 0)
		exit(message_error(&err));
	layout_check_whole(layout, &problems);
	if (problems.total)
		exit(problems_report(&problems, reader.name));
	record_reader_release(&reader);
}

/* Reads the older layout of --from, and returns it; NULL without the option. Exits with an error if the two do not go
 * together. */
static struct layout *
plan_read_older(struct layout *layout, struct layout *older)
{
	struct problems problems = {0};

	if (!from)
		return NULL;
	plan_read_layout(from, older);
	layout_diff_set_was(layout, older, &problems);
	if (problems.total)
		exit(problems_report(&problems, "the layout"));
	return older;
}

/* Reads the file of --history. Exits with an error if it cannot be read. */
static void
plan_read_history(struct expectations *history)
{
	struct problems problems = {0};
	struct record_reader reader;
	struct error err;

	if (!history_file)
		return;
	if (record_reader_open(&reader, history_file, &err) < 0 || expectations_read(&reader, history, &problems, &err) < 0)
		exit(message_error(&err));
	if (problems.total)
		exit(problems_report(&problems, reader.name));
	record_reader_release(&reader);
}

/* Returns 0 if the plan keeps all rules, 1 if it does not, 65 if it is no plan. */
static int
plan_check_plan(const char *path)
{
	struct problems problems = {0}, findings = {0};
	struct plan_document document;
	struct record_reader reader;
	struct error err;
	int code;

	if (record_reader_open(&reader, path, &err) < 0 ||
	    plan_document_read(&reader, &document, &problems, &err) < 0)
		exit(message_error(&err));
	code = problems_report(&problems, reader.name);
	if (code == 0)
		plan_check(&document, &findings);
	if (problems_report(&findings, reader.name))
		code = EX_NO;
	problems_release(&problems);
	problems_release(&findings);
	plan_document_release(&document);
	record_reader_release(&reader);
	return code;
}

/* Says how long the plan takes by what was measured; where that does not tell, by the hints of the catalogue. */
static void
plan_say_duration(const struct plan *plan, struct buffer *workers)
{
	const struct job *record = &plan->job;
	char median[CLOCK_RFC3339_SIZE], p90[CLOCK_RFC3339_SIZE];

	buffer_clear(workers);
	if (slots)
		buffer_printf(workers, "%ld worker%s", slots, plural(slots, "", "s"));
	else
		buffer_text(workers, "a worker for every node");
	if (record->runs) {
		message("expected duration: %s (median), %s (90th percentile) with %s; each kind of task was measured %lld time%s or more",
		    clock_duration((int64_t)(record->expected_s * 1000), median),
		    clock_duration((int64_t)(record->expected_p90_s * 1000), p90), workers->data, (long long)record->runs,
		    plural(record->runs, "", "s"));
		return;
	}
	message("expected duration: unknown; %lld of %zu %s never measured",
	    (long long)(history_file ? record->unmeasured : (int64_t)record->tasks), record->tasks,
	    plural(record->tasks, "task was", "tasks were"));
	message("duration by the hints of the catalogue: %s with %s",
	    clock_duration((int64_t)(plan_duration(plan, NULL, (size_t)slots) * 1000), median), workers->data);
}

/* Says for -v how long the plan takes, and which tasks that is due to. */
static void
plan_explain(const struct plan *plan)
{
	uint32_t *path = memory_resize(NULL, plan->count, sizeof *path);
	size_t length = plan_critical_path(plan, path);
	char duration[CLOCK_RFC3339_SIZE];
	struct buffer what = {0};

	message("%s: %zu task%s, %zu milestone%s", plan->job.action, plan->job.tasks, plural(plan->job.tasks, "", "s"),
	    plan->count - plan->job.tasks, plural(plan->count - plan->job.tasks, "", "s"));
	message("critical path: %s", clock_duration((int64_t)(plan->job.critical_path_s * 1000), duration));
	for (size_t i = 0; i < length; i++) {
		const struct step *step = &plan->steps[path[i]];

		if (step->is_milestone)
			continue;
		buffer_clear(&what);
		grouping_describe(step, &what);
		message("  %s %s on %s: %s%s", step->id, what.data, step->node,
		    clock_duration((int64_t)(step->expect_s * 1000), duration), step->runs ? "" : " (hint)");
	}
	plan_say_duration(plan, &what);
	buffer_release(&what);
	free(path);
}

static int
plan_print_plan(struct layout *layout, const struct plan_parameters *parameters, const struct expectations *history)
{
	struct plan plan;
	struct error err;
	int code = 0;

	if (plan_make(&plan, layout, parameters, job, history_file ? history : NULL, &err) < 0) {
		code = message_error(&err);
	} else {
		if (history_file)
			plan_estimate(&plan, (size_t)slots);
		if (verbose)
			plan_explain(&plan);
		plan_print(&plan, layout, stdout);
	}
	plan_release(&plan);
	return code;
}

int
main(int argc, char **argv)
{
	struct layout layout, before, *older;
	struct expectations history = {0};
	struct plan_parameters parameters;
	struct error err;
	int code;

	argv += option_parse(&command, argc, argv);
	if (guest_refuse_options(&err) < 0 || guest_refuse_file(argv[0], &err) < 0)
		return message_error(&err);
	plan_check_options((const char *const *)argv);
	confine_filter((const char *const[]){argv[0], from, history_file}, 3);
	if (check)
		return plan_check_plan(argv[0]);
	parameters = (struct plan_parameters){.action = action, .nodes = {nodes.list, nodes.count},
	    .services = {services.list, services.count}, .graceful = graceful, .max_unavailable = max_unavailable,
	    .dead = {dead.list, dead.count}, .archives = {archives.list, archives.count}};
	plan_read_layout(argv[0], &layout);
	older = plan_read_older(&layout, &before);
	plan_read_history(&history);

	code = plan_print_plan(&layout, &parameters, &history);

	layout_release(&layout);
	if (older)
		layout_release(older);
	expectations_release(&history);
	return message_end(code);
}
