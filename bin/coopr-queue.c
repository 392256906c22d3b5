/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-queue: jobs are put, their tasks are taken, what became of them is recorded, in the spool that coopr-spool(5)
 * describes. Whatever it says is so is on disk. Exits with 0 done, 1 a true no (nothing ready, no such job, a job that
 * failed, a result that is refused), 64 misuse, 65 a bad document, 66 no input, 73 and 74 cannot create or write, 75 where
 * waiting took too long.
 */
#include <stdbool.h>
#include <stdlib.h>

#include "account/guest.h"
#include "base/error.h"
#include "base/message.h"
#include "base/subcommand.h"
#include "queue/verb.h"

static const char *spool;

static const struct option_spec options[] = {
	OPTION_STRING(0, "spool", &spool, "DIR", "the spool (default: $COOPR_SPOOL)"),
	OPTION_END
};

static const struct subcommand subcommands[] = {
	{"put", verb_put, "put a plan into the spool as a job"},
	{"take", verb_take, "take ready tasks"},
	{"done", verb_done, "record results"},
	{"fail", verb_fail, "record that attempts have failed"},
	{"ls", verb_ls, "list jobs"},
	{"show", verb_show, "show a job: how it stands, what failed and why; its layout, plan, tasks, events"},
	{"wait", verb_wait, "wait for jobs, with progress"},
	{"pause", verb_pause, "take nothing more of a job for now"},
	{"resume", verb_resume, "resume a paused job"},
	{"cancel", verb_cancel, "take nothing more of a job, ever"},
	{"retry", verb_retry, "make failed tasks ready again"},
	{"skip", verb_skip, "let a task count as done"},
	{"limit", verb_limit, "show or change how many tasks may run in parallel"},
	{"watch", verb_watch, "show what happens as it happens"},
	{"report", verb_report, "report what a job did, when, and what failed: text, json, or a page"},
	{"stats", verb_stats, "figures: tasks by state, throughput, failures, how long what takes"},
	{"fsck", verb_fsck, "check the spool, and repair it"},
	{"gc", verb_gc, "remove old finished jobs"},
	{0}};

static const struct command command = {
	"coopr-queue", "COMMAND [OPTION]... [ARGUMENT]...",
	"Put, take and finish the tasks of jobs.", options,
	"  coopr-plan layout.ndjson | coopr-queue put\n"
	"  coopr-queue wait 00000042-001\n"
	"  coopr-queue take | coopr-exec | coopr-queue done\n"};

int
main(int argc, char **argv)
{
	struct error err;
	int first;

	first = subcommand_parse(&command, subcommands, argc, argv);
	if (guest_refuse("the queue", &err) < 0)
		return message_error(&err);
	if (spool && !*spool)
		return option_misuse(&command, "the spool: its name is empty; name a folder, or leave out --spool");
	if (spool)
		setenv("COOPR_SPOOL", spool, true);
	return subcommand_run(&command, subcommands, argc - first, argv + first);
}
