/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/job.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/location.h"
#include "base/memory.h"
#include "base/process.h"
#include "operation/run-command.h"
#include "operation/workdir.h"

enum { LOOK_AGAIN_MS = 1000 }; /* for the tasks of workers that have died: no change of the spool tells of that */

/* Starts an argument vector with a verb of coopr-queue. */
static void
operation_job_queue_command(const struct chain *chain, const char *verb, struct arguments *arguments)
{
	run_command_init(arguments, "coopr-queue");
	arguments_push(arguments, verb);
	if (chain->runner.spool)
		arguments_printf(arguments, "--spool=%s", chain->runner.spool);
}

static int
operation_job_refuse_stranger(const struct chain *chain, struct error *err)
{
	char *spool = location_spool(chain->runner.spool);

	error_set(err, EX_CANTCREAT,
	    "%s has a job %s already, which is none of this store's: the spool is that of another store, or of "
	    "one that was here before; give this store a spool of its own: --spool, or COOPR_SPOOL", spool, chain->job);
	free(spool);
	return -1;
}

/* A folder without the plan is of an operation of which all is known but that. */
static int
operation_job_check_ours(const struct chain *chain, struct queue *queue, struct error *err)
{
	int plan = openat(chain->folder->fd, "plan.ndjson", O_RDONLY | O_CLOEXEC), same;

	if (plan < 0)
		return 1;
	same = queue_is_of(queue, chain->job, plan, err);
	close(plan);
	return same == 0 ? operation_job_refuse_stranger(chain, err) : same;
}

int
operation_job_look(const struct chain *chain, struct queue_job *job, struct error *err)
{
	char *spool = location_spool(chain->runner.spool);
	struct queue *queue = queue_open(spool, QUEUE_READ, err);
	int result;

	free(spool);
	/* There is none yet, or somebody makes it just now. */
	if (!queue)
		return err->code == EX_NOINPUT ? 0 : -1;
	result = queue_status_of(queue, chain->job, job, err) == 0 ? 1 : err->code == EX_NO ? 0 : -1;
	if (result > 0)
		result = operation_job_check_ours(chain, queue, err);
	queue_close(queue);
	return result;
}

int
operation_job_check_new(const struct chain *chain, struct error *err)
{
	struct queue_job job;
	int known = operation_job_look(chain, &job, err);

	return known > 0 ? operation_job_refuse_stranger(chain, err) : known;
}

int
operation_job_put(const struct chain *chain, struct error *err)
{
	struct arguments arguments = {0};
	struct queue_job job;
	int result = operation_job_look(chain, &job, err);

	if (result != 0)
		return result < 0 ? -1 : 0;
	operation_job_queue_command(chain, "put", &arguments);
	arguments_printf(&arguments, "--job=%s", chain->job);
	result = run_command_in_workdir(&arguments, chain->folder, "plan.ndjson", "job", err);
	arguments_release(&arguments);
	return result;
}

int
operation_job_keep(const struct chain *chain, const char *option, const char *member, struct error *err)
{
	struct arguments arguments = {0};
	int result;

	operation_job_queue_command(chain, "show", &arguments);
	arguments_push(&arguments, option);
	arguments_push(&arguments, "--");
	arguments_push(&arguments, chain->job);
	result = run_command_in_workdir(&arguments, chain->folder, NULL, member, err);
	arguments_release(&arguments);
	return result;
}

int
operation_job_retry(const struct chain *chain, struct error *err)
{
	struct arguments arguments = {0};
	struct process process = {.in = PROCESS_NULL, .out = PROCESS_NULL, .err = PROCESS_INHERIT};
	int code;

	operation_job_queue_command(chain, "retry", &arguments);
	arguments_push(&arguments, "--");
	arguments_push(&arguments, chain->job);
	process.argv = arguments.list;
	code = process_start(&process, err) < 0 ? -1 : process_wait(&process, err);
	arguments_release(&arguments);
	return code <= 0 ? code : error_set(err, code, "job %s: coopr-queue retry ended with exit code %d", chain->job, code);
}

/* Waits until nothing of the job runs any more. */
static int
operation_job_await_finish(struct queue *queue, const char *job, struct error *err)
{
	int watch = queue_watch(queue, err), result;
	struct queue_job now;

	if (watch < 0)
		return -1;
	for (;;) {
		struct pollfd change = {.fd = watch, .events = POLLIN};

		queue_watch_clear(queue, watch);
		result = queue_settle(queue, err) < 0 ? -1 : queue_status_of(queue, job, &now, err);
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
operation_job_stop(const struct chain *chain, struct error *err)
{
	char *spool = location_spool(chain->runner.spool);
	struct queue *queue = queue_open(spool, QUEUE_WRITE, err);
	struct queue_job now;
	int result = -1;

	free(spool);
	if (!queue)
		return -1;
	if (queue_status_of(queue, chain->job, &now, err) < 0)
		result = err->code == EX_NO ? 0 : -1;
	else if (queue_is_finished(now.status))
		result = 0;
	else if (queue_control(queue, QUEUE_CANCEL, chain->job, NULL, err) == 0 || err->code == EX_NO)
		result = operation_job_await_finish(queue, chain->job, err);
	queue_close(queue);
	return result;
}

/* coopr-queue show JOB on stderr: why the job failed is what a person wants to read there. */
static void
operation_job_show_failure(const struct chain *chain)
{
	struct arguments arguments = {0};
	struct process process = {.in = PROCESS_NULL, .out = STDERR_FILENO, .err = PROCESS_INHERIT};
	struct error ignored; /* it is the failure itself that is reported */

	operation_job_queue_command(chain, "show", &arguments);
	arguments_push(&arguments, "--output=table");
	arguments_push(&arguments, "--");
	arguments_push(&arguments, chain->job);
	process.argv = arguments.list;
	if (process_start(&process, &ignored) == 0)
		process_wait(&process, &ignored);
	arguments_release(&arguments);
}

int
operation_job_follow(const struct chain *chain, struct error *err)
{
	if (job_runner_run(&chain->runner, chain->folder, chain->job, err) == 0)
		return 0;
	if (err->code == EX_NO) {
		operation_job_show_failure(chain);
		return error_set(err, EX_NO, "%s: job %s failed; once its cause is mended, run the same command again, or coopr "
		    "retry %s", chain->folder->name, chain->job, chain->folder->name);
	}
	return -1;
}
