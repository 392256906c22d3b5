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

static const struct command command = {
	"coopr-queue", "COMMAND [OPTION]... [ARGUMENT]...",
	"Put, take and finish the tasks of jobs.\n\n"
	"Commands:\n"
	"  put      put a plan into the spool as a job\n"
	"  take     take ready tasks\n"
	"  done     record results\n"
	"  fail     record that attempts have failed\n"
	"  ls       list jobs\n"
	"  show     show a job: how it stands, what failed and why; its layout, plan, tasks, events\n"
	"  wait     wait for jobs, with progress\n"
	"  pause    take nothing more of a job for now\n"
	"  resume   go on with a paused job\n"
	"  cancel   take nothing more of a job, ever\n"
	"  retry    make failed tasks ready again\n"
	"  skip     let a task count as done\n"
	"  limit    show or change how many tasks may run at once\n"
	"  watch    show what happens as it happens\n"
	"  report   report what a job did, when, and what failed: text, json, or a page\n"
	"  stats    figures: tasks by state, throughput, failures, how long what takes\n"
	"  fsck     check the spool, and mend it\n"
	"  gc       remove old finished jobs\n\n"
	"Each has its own --help.", options,
	"  coopr-plan layout.ndjson | coopr-queue put\n"
	"  coopr-queue wait 00000042-001\n"
	"  coopr-queue take | coopr-exec | coopr-queue done\n"};

static const struct subcommand verbs[] = {
	{"put", verb_put}, {"take", verb_take}, {"done", verb_done}, {"fail", verb_fail}, {"ls", verb_ls},
	{"show", verb_show}, {"wait", verb_wait}, {"pause", verb_pause}, {"resume", verb_resume},
	{"cancel", verb_cancel}, {"retry", verb_retry}, {"skip", verb_skip}, {"limit", verb_limit},
	{"watch", verb_watch}, {"report", verb_report}, {"stats", verb_stats},
	{"fsck", verb_fsck}, {"gc", verb_gc}, {NULL, NULL},
};

int
main(int argc, char **argv)
{
	struct error err;
	int first;

	message_program("coopr-queue");
	first = option_parse(&command, argc, argv);
	if (guest_refuse("the queue", &err) < 0)
		return message_error(&err);
	if (spool)
		setenv("COOPR_SPOOL", spool, true);
	return subcommand_run(&command, verbs, argc - first, argv + first);
}
