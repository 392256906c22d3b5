/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-pause, coopr-resume, coopr-abort: control the operation that is under way on a cluster; the name that the program is
 * called by says how. An operation that is paused starts nothing more, what runs comes to its end; what one that is aborted
 * has made stays until it is retried, rolled back or deleted; who is at a terminal is asked first. Exits with 0; 1 where nothing
 * is under way, or the answer was no; 64 on misuse; 128 + signal when interrupted.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/message.h"
#include "operation/front.h"
#include "operation/job-control.h"
#include "preview/consent.h"

static struct front front = {.jobs = FRONT_JOBS};

static const struct option_spec options[] = {
	FRONT_PLACES(&front),
	OPTION_END
};

static const struct command commands[] = {
	{"coopr-pause", "[OPTION]... CLUSTER", "Pause the running operation on a cluster: start no more of its tasks.", options,
		"  coopr-pause shop\n"},
	{"coopr-resume", "[OPTION]... CLUSTER", "Continue the paused operation on a cluster.", options,
		"  coopr-resume shop\n"},
	{"coopr-abort", "[OPTION]... CLUSTER", "Cancel the running operation on a cluster.", options,
		"  coopr-abort shop\n"},
	{0}};

static const struct { /* in the order of the commands */
	enum queue_control control;
	const char *done;
} controls[] = {{QUEUE_PAUSE, "paused"}, {QUEUE_RESUME, "resumed"}, {QUEUE_CANCEL, "cancelled"}};

/* Asks before an operation is cancelled: what runs of it is stopped. *job is the job that was asked about, which the caller frees:
 * while the question stands, the operation may end and another begin. */
static int
pause_consent(const char *cluster, const struct operation_options *how, char **job, struct error *err)
{
	struct consent consent = {.name = cluster, .refused = "not cancelled"};
	char *question;
	int result;

	*job = job_control_find_job(cluster, how, err);
	if (!*job)
		return -1;
	consent.question = question = memory_printf("Cancel job %s of %s? What it has made stays.", *job, cluster);
	result = consent_ask(&consent, err);
	free(question);
	return result;
}

int
main(int argc, char **argv)
{
	const struct command *command = option_command(commands, argv[0]);
	const char *cluster = front_cluster(command, argv + option_parse(command, argc, argv));
	struct operation_options how = front_options(command, &front);
	size_t number = (size_t)(command - commands);
	struct error err;
	char *agreed = NULL, *job;
	bool gone;

	if (controls[number].control == QUEUE_CANCEL && !front.yes && pause_consent(cluster, &how, &agreed, &err) < 0)
		return message_error(&err);
	if (job_control(controls[number].control, cluster, &how, agreed, &job, &gone, &err) < 0)
		return message_error(&err);
	if (!front.quiet)
		message("%s: job %s is %s%s", cluster, job, controls[number].done,
		    gone ? "; no machine of it is there, and the cluster is deleted" : "");
	free(agreed);
	free(job);
	return message_end(0);
}
