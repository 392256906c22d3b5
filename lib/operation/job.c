/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/job.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/location.h"
#include "base/memory.h"
#include "base/process.h"
#include "operation/run-command.h"
#include "operation/workdir.h"
#include "queue/read.h"

enum { LOOK_AGAIN_MS = 1000 }; /* for the tasks of workers that have died, of which no change of the spool tells */

char *
operation_job_spool(const struct job_runner *runner)
{
	char *spool = location_spool(runner->spool), *here, *path;

	if (*spool == '/' || strstr(spool, "://"))
		return spool;
	here = realpath(".", NULL);
	path = memory_printf("%s/%s", here ? here : ".", spool);
	free(here);
	free(spool);
	return path;
}

/* Starts an argument vector with coopr-queue VERB [OPTION] on the job's spool. */
static void
operation_job_command(const struct operation_job *job, const char *verb, const char *option, struct arguments *arguments)
{
	run_command_init(arguments, "coopr-queue");
	arguments_push(arguments, verb);
	if (job->runner.spool)
		arguments_printf(arguments, "--spool=%s", job->runner.spool);
	if (option)
		arguments_push(arguments, option);
}

static int
operation_job_refuse_foreign(const struct operation_job *job, struct error *err)
{
	char *spool = location_spool(job->runner.spool);

	error_set(err, EX_CANTCREAT, "spool %s: its job %s belongs to another store; name a spool for this store alone with "
	    "--spool or COOPR_SPOOL", spool, job->id);
	free(spool);
	return -1;
}

int
operation_job_look(const struct operation_job *job, struct queue_job *state, struct error *err)
{
	struct queue *queue = queue_open(job->runner.spool, QUEUE_READ, err);
	int result, plan, same;

	if (!queue) /* another process may make it just now */
		return err->absent ? 0 : -1;
	result = queue_status_of(queue, job->id, state, err) == 0 ? 1 : err->code == EX_NO ? 0 : -1;
	plan = result > 0 ? openat(job->workdir->fd, "plan.ndjson", O_RDONLY | O_CLOEXEC) : -1;
	if (plan >= 0) {
		same = queue_is_of(queue, job->id, plan, err);
		result = same == 0 ? operation_job_refuse_foreign(job, err) : same;
		close(plan);
	}
	queue_close(queue);
	return result;
}

int
operation_job_check_new(const struct operation_job *job, struct error *err)
{
	struct queue_job state;
	int known = operation_job_look(job, &state, err);

	return known > 0 ? operation_job_refuse_foreign(job, err) : known;
}

bool
operation_job_is_abandoned(const struct operation_job *job)
{
	struct error ignored; /* then it is left to workers */
	struct queue *queue = queue_open(job->runner.spool, QUEUE_READ, &ignored);
	struct queue_job state;
	size_t all, fit;
	bool abandoned = queue && queue_status_of(queue, job->id, &state, &ignored) == 0 && state.status == QUEUE_RUNNING &&
	    queue_workers(queue, &state, &all, &fit, &ignored) == 0 && fit == 0;

	queue_close(queue);
	return abandoned;
}

bool
operation_job_is_over(const struct operation_job *job)
{
	struct error ignored; /* then it is looked at again later */
	struct queue *queue = queue_open(job->runner.spool, QUEUE_READ, &ignored);
	struct queue_job state;
	bool over = queue && queue_status_of(queue, job->id, &state, &ignored) == 0 && queue_is_finished(state.status);

	queue_close(queue);
	return over;
}

int
operation_job_put(const struct operation_job *job, struct error *err)
{
	struct arguments arguments = {0};
	struct queue_job state;
	int result = operation_job_look(job, &state, err);

	if (result != 0)
		return result < 0 ? -1 : 0;
	operation_job_command(job, "put", NULL, &arguments);
	arguments_printf(&arguments, "--job=%s", job->id);
	result = run_command_in_workdir(&arguments, job->workdir, "plan.ndjson", "job", err);
	arguments_release(&arguments);
	return result;
}

int
operation_job_copy(const struct operation_job *job, const char *option, const char *member, struct error *err)
{
	struct arguments arguments = {0};
	int result;

	operation_job_command(job, "show", option, &arguments);
	arguments_push_all(&arguments, "--", job->id, NULL);
	result = run_command_in_workdir(&arguments, job->workdir, NULL, member, err);
	arguments_release(&arguments);
	return result;
}

/* Runs coopr-queue VERB [OPTION] -- JOB with out as its standard output; returns its exit code, or -1. */
static int
operation_job_run(const struct operation_job *job, const char *verb, const char *option, int out, struct error *err)
{
	struct arguments arguments = {0};
	struct process process = {.in = PROCESS_NULL, .out = out, .err = PROCESS_INHERIT};
	int code;

	operation_job_command(job, verb, option, &arguments);
	arguments_push_all(&arguments, "--", job->id, NULL);
	process.argv = arguments.list;
	code = process_start(&process, err) < 0 ? -1 : process_wait(&process, err);
	arguments_release(&arguments);
	return code;
}

int
operation_job_retry(const struct operation_job *job, struct error *err)
{
	int code = operation_job_run(job, "retry", NULL, PROCESS_NULL, err);

	return code <= 0 ? code : error_set(err, code, "job %s: the queue refused to retry it, with exit code %d", job->id, code);
}

/* Waits until the job has finished. */
static int
operation_job_await_finish(struct queue *queue, const char *id, struct error *err)
{
	int watch = queue_watch(queue, err), result;
	struct queue_job now;

	if (watch < 0)
		return -1;
	for (;;) {
		struct pollfd change = {.fd = watch, .events = POLLIN};

		queue_watch_clear(queue, watch);
		result = queue_reap(queue, err) < 0 ? -1 : queue_status_of(queue, id, &now, err);
		if (result < 0 || queue_is_finished(now.status))
			break;
		if (poll(&change, 1, LOOK_AGAIN_MS) < 0 && errno != EINTR) {
			result = error_errno(err, EX_OSERR, "poll");
			break;
		}
	}
	close(watch);
	return result;
}

int
operation_job_stop(const struct operation_job *job, struct error *err)
{
	struct queue *queue = queue_open(job->runner.spool, QUEUE_WRITE, err);
	struct queue_job now;
	int result = -1;

	if (!queue)
		return -1;
	if (queue_status_of(queue, job->id, &now, err) < 0)
		result = err->code == EX_NO ? 0 : -1;
	else if (queue_is_finished(now.status))
		result = 0;
	else if (queue_control(queue, QUEUE_CANCEL, job->id, NULL, err) == 0 || err->code == EX_NO)
		result = operation_job_await_finish(queue, job->id, err);
	queue_close(queue);
	return result;
}

int
operation_job_follow(const struct operation_job *job, struct error *err)
{
	const char *cluster = job->workdir->name;
	struct error ignored; /* the job's failure is what is reported */

	if (job_runner_run(&job->runner, job->workdir, job->id, err) == 0)
		return 0;
	if (err->code != EX_NO)
		return -1;
	operation_job_run(job, "show", "--failed", STDERR_FILENO, &ignored);
	return error_set(err, EX_NO, "%s: job %s failed (all output: coopr log %s); after fixing the cause, run the same command again, or coopr retry %s",
	    cluster, job->id, cluster, cluster);
}
