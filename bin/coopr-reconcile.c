/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-reconcile: from cron, finishes what is over, deletes clusters whose lease has ended, tells hooks what they are
 * still to be told, and compares the machines that are there, and what they say, with what is recorded. Any number may
 * run at once, and be killed anywhere. Exits with 0 where all agrees, or was repaired; 1 where something differs, of which it tells;
 * 64 on misuse; 77 where one is no superadmin; else as the first thing that failed, after all else was done.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/names.h"
#include "model/unavailable.h"
#include "operation/front.h"
#include "probe/probe.h"
#include "reconcile/reconcile.h"

static struct front front = {.jobs = FRONT_JOBS};
static struct reconcile_options parameters = {.timeout_s = PROBE_TIMEOUT_S, .replace_after_ms = -1, .max_gone = "50%"};
static const char *replace_after;
static bool work, delete_unowned;
static const char *remind = "1d";

static const struct option_spec options[] = {
	OPTION_FLAG(0, "finish-only", &parameters.finish_only, "only record which operations are over"),
	OPTION_FLAG(0, "probe", &parameters.probe, "ask machines whether they answer, and services whether they run"),
	OPTION_NUMBER(0, "timeout", &parameters.timeout_s, "SECONDS", "wait this long for each answer (default: 15)"),
	OPTION_FLAG(0, "repair", &parameters.repair, "replace machines that vanished, start services that stopped"),
	OPTION_STRING(0, "replace-unreachable", &replace_after, "TIME", "also replace machines that have not answered for this time"),
	OPTION_FLAG(0, "retry", &parameters.retry, "retry operations that failed"),
	OPTION_STRING(0, "max-gone", &parameters.max_gone, "LIMIT",
	    "replace at most this many at a time: 3, or 25% (default: 50%)"),
	OPTION_FLAG(0, "delete-orphaned", &parameters.delete_orphaned, "delete machines that belong to no cluster"),
	OPTION_FLAG(0, "delete-unowned", &delete_unowned, NULL),
	OPTION_STRING(0, "remind", &remind, "TIME", "report leases that end within this time (default: 1d; 0: none)"),
	OPTION_FLAG(0, "work", &work, "do all jobs here, also those that a worker takes"),
	OPTION_FLAG(0, "detach", &front.detach, "leave all jobs to workers, even if none runs"),
	OPTION_NUMBER('j', "jobs", &front.jobs, "N", "ask, and with --work repair, at most N in parallel (default: 20)"),
	FRONT_PLACES(&front),
	FRONT_ANSWER(&front),
	OPTION_END
};

static const struct command command = {
	"coopr-reconcile", "[OPTION]... [CLUSTER]...", "Make what is recorded of clusters agree with what is there.", options,
	"  coopr-reconcile\n"
	"  coopr-reconcile --repair\n"
	"  coopr-reconcile --probe --repair\n"
	"  coopr-reconcile --repair --delete-orphaned\n"};

/* Exits with 64 if the options make no sense together. */
static void
reconcile_check(char **operands)
{
	if (delete_unowned)
		exit(option_misuse(&command, "--delete-unowned: the option is called --delete-orphaned now"));
	if (parameters.timeout_s < 1)
		exit(option_misuse(&command, "--timeout: expected a number from 1 on"));
	if (!unavailable_is_valid(parameters.max_gone))
		exit(option_misuse(&command, "--max-gone: expected a number or a share as 25%%, found '%s'", parameters.max_gone));
	if (replace_after && !(parameters.probe && parameters.repair))
		exit(option_misuse(&command, "--replace-unreachable: options --probe and --repair are required, too"));
	option_needs(&command, "timeout", (const char *const[]){"probe", "repair", NULL});
	option_excludes(&command, "work", "detach");
	if (parameters.finish_only)
		option_only_with(&command, "with --finish-only", (const char *const[]){"finish-only", "store", "spool", "as", "quiet",
		    "output", "color", NULL});
	option_needs(&command, "max-gone", (const char *const[]){"repair", "delete-orphaned", NULL});
	if (replace_after)
		parameters.replace_after_ms = front_duration(&command, "--replace-unreachable", replace_after);
	parameters.clusters.list = (const char **)operands;
	while (operands[parameters.clusters.count])
		parameters.clusters.count++;
}

/* Prints what is told once: a full disk keeps one thing after the other from being recorded. */
static void
reconcile_notice(const char *text)
{
	static struct names told;

	if (names_find(&told, text) != NAMES_NONE)
		return;
	names_intern(&told, memory_string(text));
	message_notice(text);
}

int
main(int argc, char **argv)
{
	char **operands = argv + option_parse(&command, argc, argv);
	struct output output = output_open(front.format, front.colour);
	struct drift_list drift = {0};
	struct error err;
	int code;

	message_begin_log();
	reconcile_check(operands);
	parameters.options = front_options(&command, &front);
	parameters.options.detach = true;
	parameters.options.runner.notice = reconcile_notice;
	parameters.work = work ? RECONCILE_WORK_ALL : front.detach ? RECONCILE_WORK_NONE : RECONCILE_WORK_ABANDONED;
	parameters.is_watched = isatty(STDERR_FILENO) || isatty(STDOUT_FILENO);
	parameters.options.runner.quiet = front.quiet || !parameters.is_watched;
	parameters.remind_ms = front_duration(&command, "--remind", remind);

	code = reconcile(&parameters, &drift, &err);

	if (code < 0)
		code = message_error(&err);
	if (front.format || isatty(STDOUT_FILENO))
		drift_print(&drift, &output);
	drift_release(&drift);
	return message_end(code);
}
