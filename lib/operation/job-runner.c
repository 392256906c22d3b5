/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/job-runner.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/process.h"
#include "operation/run-command.h"
#include "operation/workdir.h"
#include "queue/queue.h"

enum { RUNNING = -1 };

struct pair { /* the two processes; a code is RUNNING until its process has ended */
	struct arguments worker_arguments, waiter_arguments;
	struct process worker, waiter;
	int worker_code, waiter_code;
	int signal; /* that we got; 0: none */
	bool told;  /* a person knows what we still wait for */
	const char *held; /* the status of a job with which the worker could not go on; or NULL */
};

/* Both lead groups of their own: a terminal's Ctrl-C shall reach only us, who then say to each what to do. */
static int
job_runner_start(struct process *process, struct arguments *arguments, int err_fd, struct error *err)
{
	*process = (struct process){.argv = arguments->list, .in = PROCESS_NULL, .out = PROCESS_NULL, .err = err_fd,
	    .group = true, .die_with_us = true};
	return process_start(process, err);
}

static int
job_runner_start_worker(struct pair *pair, const struct job_runner *runner, const struct workdir *folder, const char *job,
    struct error *err)
{
	struct arguments *arguments = &pair->worker_arguments;
	int log = file_open(folder->fd, "work.log", O_WRONLY | O_CREAT | O_TRUNC, 0600, err), result;

	if (log < 0)
		return -1;
	run_command_init(arguments, "coopr-work");
	if (runner->spool)
		arguments_printf(arguments, "--spool=%s", runner->spool);
	arguments_printf(arguments, "--jobs=%ld", runner->workers);
	arguments_printf(arguments, "--job=%s", job);
	arguments_push(arguments, "--drain");
	arguments_push(arguments, "--verbose");
	result = job_runner_start(&pair->worker, arguments, log, err);
	close(log);
	return result;
}

static int
job_runner_start_waiter(struct pair *pair, const struct job_runner *runner, const char *job, struct error *err)
{
	struct arguments *arguments = &pair->waiter_arguments;

	run_command_init(arguments, "coopr-queue");
	arguments_push(arguments, "wait");
	if (runner->spool)
		arguments_printf(arguments, "--spool=%s", runner->spool);
	arguments_push(arguments, "--");
	arguments_push(arguments, job);
	return job_runner_start(&pair->waiter, arguments, PROCESS_INHERIT, err);
}

/* Blocks the signals that we wait for. What whoever started us has ignored, as nohup(1) does, stays so. */
static void
job_runner_block_signals(sigset_t *signals, sigset_t *before)
{
	static const int asked[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action;

	sigemptyset(signals);
	sigaddset(signals, SIGCHLD);
	for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
		if (sigaction(asked[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			sigaddset(signals, asked[i]);
	sigprocmask(SIG_BLOCK, signals, before);
}

static void
job_runner_reap(struct pair *pair)
{
	pid_t pid;
	int status;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		if (pid == pair->worker.pid)
			pair->worker_code = process_exit_code(status);
		else if (pid == pair->waiter.pid)
			pair->waiter_code = process_exit_code(status);
}

/* Asks both to end. The worker waits for the tasks that it runs; asked once more, it ends those too. */
static void
job_runner_ask_to_end(const struct pair *pair)
{
	if (pair->worker_code == RUNNING)
		kill(pair->worker.pid, SIGTERM);
	if (pair->waiter_code == RUNNING)
		kill(pair->waiter.pid, SIGTERM);
}

/* Whether a process has ended otherwise than with "done" or "the job failed", which both find out. */
static bool
job_runner_is_trouble(int code)
{
	return code != RUNNING && code != 0 && code != EX_NO;
}

/* Whether the worker has left a job that is not over, so that the waiter would wait for ever: somebody has paused it. */
static bool
job_runner_is_held(struct pair *pair, const char *spool, const char *job)
{
	char *path = location_spool(spool);
	struct error ignored; /* then the waiter is left to find out */
	struct queue *queue = pair->worker_code == 0 && pair->waiter_code == RUNNING
	    ? queue_open(path, QUEUE_READ, &ignored) : NULL;
	struct queue_job now;

	free(path);
	if (!queue)
		return false;
	if (queue_status_of(queue, job, &now, &ignored) == 0 && !queue_is_finished(now.status))
		pair->held = queue_status_name(now.status);
	queue_close(queue);
	return pair->held != NULL;
}

/* Of an interruption that is not over at once: once nothing is drawn on the terminal any more. */
static void
job_runner_tell_of_end(struct pair *pair, const struct job_runner *runner)
{
	if (!pair->signal || pair->told || pair->waiter_code == RUNNING || pair->worker_code != RUNNING)
		return;
	runner->notice("the running tasks are waited for; interrupt once more to end them too");
	pair->told = true;
}

static void
job_runner_supervise(struct pair *pair, const struct job_runner *runner, const char *job, const sigset_t *signals)
{
	bool asked = false;

	while (pair->worker_code == RUNNING || pair->waiter_code == RUNNING) {
		int signal = sigwaitinfo(signals, NULL);

		job_runner_reap(pair);
		job_runner_tell_of_end(pair, runner);
		if (signal > 0 && signal != SIGCHLD)
			pair->signal = signal;
		else if (asked || (!job_runner_is_trouble(pair->worker_code) && !job_runner_is_trouble(pair->waiter_code) &&
		    !job_runner_is_held(pair, runner->spool, job)))
			continue;
		job_runner_ask_to_end(pair);
		asked = true;
	}
}

/* The last line the worker wrote; the caller frees it. */
static char *
job_runner_last_words(const struct workdir *folder)
{
	struct buffer text = {0};
	struct error unread;
	char *line;

	if (file_read(folder->fd, "work.log", 16 * 1024 * 1024, &text, &unread) < 0)
		buffer_clear(&text);
	while (text.length && text.data[text.length - 1] == '\n')
		text.data[--text.length] = '\0';
	line = text.length ? strrchr(text.data, '\n') : NULL;
	if (line)
		buffer_drop(&text, (size_t)(line + 1 - text.data));
	return buffer_take(&text);
}

static int
job_runner_judge(const struct pair *pair, const struct workdir *folder, const char *job, struct error *err)
{
	char *words;

	if (pair->waiter_code == 0)
		return 0;
	if (pair->signal)
		return error_set(err, 128 + pair->signal, "%s: interrupted; the same command goes on with job %s",
		    folder->name, job);
	if (pair->held)
		return error_set(err, EX_TEMPFAIL, "%s: job %s is %s; after coopr-queue resume %s, the same command goes on",
		    folder->name, job, pair->held, job);
	if (job_runner_is_trouble(pair->worker_code)) {
		words = job_runner_last_words(folder);
		error_set(err, pair->worker_code, "%s: coopr-work ended with exit code %d: %s (%s/work.log)", folder->name,
		    pair->worker_code, words, folder->path);
		free(words);
		return -1;
	}
	return error_set(err, pair->waiter_code, "%s: job %s failed", folder->name, job);
}

int
job_runner_run(const struct job_runner *runner, const struct workdir *folder, const char *job, struct error *err)
{
	struct pair pair = {.worker_code = RUNNING, .waiter_code = RUNNING};
	sigset_t signals, before;
	struct error ignored;
	int result;

	job_runner_block_signals(&signals, &before);
	result = job_runner_start_worker(&pair, runner, folder, job, err);
	if (result == 0 && job_runner_start_waiter(&pair, runner, job, err) < 0) {
		kill(pair.worker.pid, SIGTERM);
		process_wait(&pair.worker, &ignored);
		result = -1;
	} else if (result == 0) {
		job_runner_supervise(&pair, runner, job, &signals);
		result = job_runner_judge(&pair, folder, job, err);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	arguments_release(&pair.worker_arguments);
	arguments_release(&pair.waiter_arguments);
	return result;
}
