/* SPDX-License-Identifier: Apache-2.0
 *
 * pause, resume, cancel, retry and skip: the same command but for what is ordered.
 */
#include "verb.h"

#include "base/error.h"
#include "base/message.h"

static const char *spool, *reason;
static struct option_change change;

static const struct option_spec options[] = {OPTION_CHANGE(&change), VERB_SPOOL(&spool), OPTION_END};

static const struct command pause_command = {
	"coopr-queue pause", "[OPTION]... JOB...", "Take nothing more of jobs for now; tasks that run continue.", options,
	"  coopr-queue pause 00000042-001\n"};

static const struct command resume_command = {
	"coopr-queue resume", "[OPTION]... JOB...", "Resume paused jobs.", options,
	"  coopr-queue resume 00000042-001\n"};

static const struct command cancel_command = {
	"coopr-queue cancel", "[OPTION]... JOB...",
	"Take nothing more of jobs, ever; what runs is told to stop. retry takes that back.", options,
	"  coopr-queue cancel 00000042-001\n"};

static const struct command retry_command = {
	"coopr-queue retry", "[OPTION]... JOB [TASK]...",
	"Make the failed tasks of a job, or those named, ready again, with fresh attempts.", options,
	"  coopr-queue retry 00000042-001\n"
	"  coopr-queue retry 00000042-001 t17\n"};

static const struct option_spec skip_options[] = {
	OPTION_STRING('r', "reason", &reason, "TEXT", "the reason, for the history (required)"),
	OPTION_CHANGE(&change),
	VERB_SPOOL(&spool),
	OPTION_END
};

static const struct command skip_command = {
	"coopr-queue skip", "--reason TEXT JOB TASK...",
	"Let tasks that have failed, or have not begun, count as done for what comes after them.", skip_options,
	"  coopr-queue skip --reason 'mounted by hand' 00000042-001 t17\n"};

static int
control_verb_job(struct queue *queue, enum queue_control order, const char *job, const char *task)
{
	static const char *const actions[] = {[QUEUE_PAUSE] = "pause", [QUEUE_RESUME] = "resume", [QUEUE_CANCEL] = "cancel",
		[QUEUE_RETRY] = "retry"};
	struct error err;

	verb_audit_job(actions[order], job);
	return queue_control(queue, order, job, task, &err) < 0 ? message_error(&err) : 0;
}

static int
control_verb_jobs(const struct command *command, enum queue_control what, int argc, char **argv)
{
	struct queue *queue;
	int code = 0;

	argv += option_parse(command, argc, argv);
	verb_operands(command, argv, 1, 0);
	queue = verb_open(spool, QUEUE_WRITE);

	for (; *argv; argv++) {
		int one = control_verb_job(queue, what, *argv, NULL);

		code = one > code ? one : code;
	}

	queue_close(queue);
	return code;
}

int
verb_pause(int argc, char **argv)
{
	return control_verb_jobs(&pause_command, QUEUE_PAUSE, argc, argv);
}

int
verb_resume(int argc, char **argv)
{
	return control_verb_jobs(&resume_command, QUEUE_RESUME, argc, argv);
}

int
verb_cancel(int argc, char **argv)
{
	return control_verb_jobs(&cancel_command, QUEUE_CANCEL, argc, argv);
}

int
verb_retry(int argc, char **argv)
{
	struct queue *queue;
	size_t count;
	int code;

	argv += option_parse(&retry_command, argc, argv);
	count = verb_operands(&retry_command, argv, 1, 0);
	queue = verb_open(spool, QUEUE_WRITE);

	code = count == 1 ? control_verb_job(queue, QUEUE_RETRY, argv[0], NULL) : 0;
	for (size_t i = 1; i < count; i++) {
		int one = control_verb_job(queue, QUEUE_RETRY, argv[0], argv[i]);

		code = one > code ? one : code;
	}

	queue_close(queue);
	return code;
}

int
verb_skip(int argc, char **argv)
{
	struct queue *queue;
	struct error err;
	const char *job;
	int code = 0;

	argv += option_parse(&skip_command, argc, argv);
	if (!argv[0] || !argv[1])
		return option_misuse(&skip_command, "missing argument JOB or TASK");
	if (!reason || !*reason)
		return option_misuse(&skip_command, "option --reason is required");
	queue = verb_open(spool, QUEUE_WRITE);

	job = *argv++;
	verb_audit_job("skip", job);
	for (; *argv; argv++) {
		int one = queue_skip(queue, job, *argv, reason, &err) < 0 ? message_error(&err) : 0;

		code = one > code ? one : code;
	}

	queue_close(queue);
	return code;
}
