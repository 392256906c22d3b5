/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-delete: deletes a cluster that coopr-create has made, wholly or by half, with all its machines. It is the chain coopr-queue
 * show JOB --layout | coopr-plan -a delete | coopr-queue put, then coopr-work and coopr-queue wait. Interrupted in any way, the same
 * command goes on. Exits with 0 once nothing of it is left; 1 where there is no such cluster, the answer was no, or a task
 * failed; 64 on misuse; 75 while another coopr works on it; 128 + signal when interrupted; else as the stage that failed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/message.h"
#include "base/option.h"
#include "base/preference.h"
#include "cluster/delete.h"

static const char *spool;
static long jobs = -1; /* not given */
static bool yes;

static const struct option_spec options[] = {
	OPTION_FLAG('y', "yes", &yes, "do not ask"),
	OPTION_NUMBER('j', "jobs", &jobs, "N", "do so many tasks at one time (default: 20)"),
	OPTION_STRING(0, "spool", &spool, "DIR", "the spool (default: $COOPR_SPOOL)"),
	OPTION_END
};

static const struct command command = {
	"coopr-delete", "[-y] [-j N] [--spool DIR] NAME", "Delete a cluster with all its machines.", options,
	"  coopr-delete shop\n"
	"  coopr-delete -y shop\n"};

/* Exits where that is what the user wants. */
static void
ask(const char *name)
{
	char answer[16];

	if (!isatty(STDIN_FILENO))
		exit(option_misuse(&command, "%s: nobody is there to be asked; -y deletes it without asking", name));
	fprintf(stderr, "Delete %s with all its machines and what is on them? [y/N] ", name);
	if (!fgets(answer, sizeof answer, stdin) || (answer[0] != 'y' && answer[0] != 'Y')) {
		message("%s: not deleted", name);
		exit(EX_NO);
	}
}

int
main(int argc, char **argv)
{
	struct drive drive;
	struct error err;

	argv += option_parse(&command, argc, argv);
	if (!argv[0] || argv[1])
		return option_misuse(&command, "exactly one name is wanted");
	if (jobs < 0)
		jobs = preference_jobs(20);
	if (jobs < 1)
		return option_misuse(&command, "--jobs: expected a number from 1 on");
	if (delete_check(argv[0], &err) < 0)
		return message_error(&err);
	if (!yes)
		ask(argv[0]);
	drive = (struct drive){spool, jobs, message_notice};

	if (delete_cluster(argv[0], &drive, &err) < 0)
		return message_error(&err);
	return message_end(0);
}
