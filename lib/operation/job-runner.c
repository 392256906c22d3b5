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
#include "base/message.h"
#include "base/process.h"
#include "operation/run-command.h"
#include "operation/workdir.h"
#include "queue/read.h"

enum {
	RUNNING = -1,
	TAIL_BYTES = 64 * 1024, /* of the log, which may be long */
};

struct pair { /* the two processes; a code is RUNNING until its process has ended */
	const struct job_runner *runner;
	const struct workdir *workdir;
	const char *job;
	struct arguments worker_arguments, waiter_arguments;
	struct process worker, waiter;
	int worker_code, waiter_code;
	int signal; /* that we got; 0: none */
	bool told;  /* a person knows that we wait for running tasks */
	const char *held; /* the status of a job which the worker could not resume; or NULL */
};

/* Starts one of the two with errors going to err_fd. Each leads a group of its own: a terminal's Ctrl-C shall reach only us,
 * and we tell each what to do. */
static int
job_runner_start(struct process *process, struct arguments *arguments, int err_fd, struct error *err)
{
	*process = (struct process){.argv = arguments->list, .in = PROCESS_NULL, .out = PROCESS_NULL, .err = err_fd,
	    .group = true, .die_with_us = true};
	return process_start(process, err);
}

/* Starts the worker, whose messages are appended to work.log: those of an earlier try stay. */
static int
job_runner_start_worker(struct pair *pair, struct error *err)
{
	struct arguments *arguments = &pair->worker_arguments;
	int log = file_open(pair->workdir->fd, "work.log", O_WRONLY | O_CREAT | O_APPEND, 0600, err), result;

	if (log < 0)
		return -1;
	run_command_init(arguments, "coopr-work");
	if (pair->runner->spool)
		arguments_printf(arguments, "--spool=%s", pair->runner->spool);
	arguments_printf(arguments, "--jobs=%ld", pair->runner->workers);
	arguments_printf(arguments, "--job=%s", pair->job);
	arguments_push_all(arguments, "--drain", "--verbose", NULL);
	result = job_runner_start(&pair->worker, arguments, log, err);
	close(log);
	return result;
}

static int
job_runner_start_waiter(struct pair *pair, struct error *err)
{
	struct arguments *arguments = &pair->waiter_arguments;

	run_command_init(arguments, "coopr-queue");
	arguments_push(arguments, "wait");
	arguments_printf(arguments, "--title=%s: %s", message_program_name(), pair->workdir->name);
	if (pair->runner->spool)
		arguments_printf(arguments, "--spool=%s", pair->runner->spool);
	if (pair->runner->quiet)
		arguments_push(arguments, "--quiet");
	arguments_push_all(arguments, "--", pair->job, NULL);
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

/* Returns whether a process has ended with another code than "done" and "the job failed", which both of them find out. */
static bool
job_runner_is_failure(int code)
{
	return code != RUNNING && code != 0 && code != EX_NO;
}

/* Returns whether the worker has left a job that is not over, as a paused one, so that the waiter would wait for ever. */
static bool
job_runner_is_held(struct pair *pair)
{
	struct error ignored; /* then the waiter is left to find out */
	struct queue *queue = pair->worker_code == 0 && pair->waiter_code == RUNNING
	    ? queue_open(pair->runner->spool, QUEUE_READ, &ignored) : NULL;
	struct queue_job now;

	if (!queue)
		return false;
	if (queue_status_of(queue, pair->job, &now, &ignored) == 0 && !queue_is_finished(now.status))
		pair->held = queue_status_name(now.status);
	queue_close(queue);
	return pair->held != NULL;
}

/* Waits until both have ended. Both are asked to end at each signal that we get, and once one of them fails or the job is
 * held. The worker waits for its running tasks; asked once more, it ends those too. */
static void
job_runner_supervise(struct pair *pair, const sigset_t *signals)
{
	bool asked = false;

	while (pair->worker_code == RUNNING || pair->waiter_code == RUNNING) {
		int signal = sigwaitinfo(signals, NULL), status;
		pid_t pid;

		while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
			if (pid == pair->worker.pid)
				pair->worker_code = process_exit_code(status);
			else if (pid == pair->waiter.pid)
				pair->waiter_code = process_exit_code(status);
		/* The waiter has ended: nothing is drawn on the terminal any more. */
		if (pair->signal && !pair->told && pair->waiter_code != RUNNING && pair->worker_code == RUNNING) {
			pair->runner->notice(isatty(STDERR_FILENO) ? "waiting for running tasks; press ^C again to stop them"
				: "waiting for running tasks; a second signal stops them");
			pair->told = true;
		}
		if (signal > 0 && signal != SIGCHLD)
			pair->signal = signal;
		else if (asked || (!job_runner_is_failure(pair->worker_code) && !job_runner_is_failure(pair->waiter_code) &&
		    !job_runner_is_held(pair)))
			continue;
		if (pair->worker_code == RUNNING)
			kill(pair->worker.pid, SIGTERM);
		if (pair->waiter_code == RUNNING)
			kill(pair->waiter.pid, SIGTERM);
		asked = true;
	}
}

/* Returns the last line of work.log, which the caller frees. */
static char *
job_runner_last_line(const struct workdir *workdir)
{
	struct buffer text = {0};
	struct error unread;
	char *line;
	int log = file_open(workdir->fd, "work.log", O_RDONLY, 0, &unread);
	off_t length = log < 0 ? 0 : lseek(log, 0, SEEK_END);

	if (length > TAIL_BYTES)
		lseek(log, length - TAIL_BYTES, SEEK_SET);
	else if (log >= 0)
		lseek(log, 0, SEEK_SET);
	if (log < 0 || file_read_fd(log, "work.log", TAIL_BYTES, &text, &unread) < 0)
		buffer_clear(&text);
	if (log >= 0)
		close(log);
	while (text.length && text.data[text.length - 1] == '\n')
		text.data[--text.length] = '\0';
	line = text.length ? strrchr(text.data, '\n') : NULL;
	if (line)
		buffer_drop(&text, (size_t)(line + 1 - text.data));
	return buffer_take(&text);
}

/* Returns 0 where the job is done; else says what came of it. */
static int
job_runner_judge(const struct pair *pair, struct error *err)
{
	const char *cluster = pair->workdir->name;
	char *line;

	if (pair->waiter_code == 0)
		return 0;
	if (pair->signal)
		return error_set(err, 128 + pair->signal, "%s: interrupted; the same command resumes job %s", cluster, pair->job);
	if (pair->held)
		return error_set(err, EX_TEMPFAIL, "%s: job %s is %s; after coopr-queue resume %s, the same command resumes it",
		    cluster, pair->job, pair->held, pair->job);
	/* Its last line tells nothing of why. */
	if (job_runner_is_failure(pair->worker_code) && pair->worker_code > 128)
		return error_set(err, EX_TEMPFAIL, "%s: the worker of job %s was killed by signal %d; coopr retry %s resumes it", cluster, pair->job,
		    pair->worker_code - 128, cluster);
	if (job_runner_is_failure(pair->worker_code)) {
		line = job_runner_last_line(pair->workdir);
		error_set(err, pair->worker_code, "%s: the worker of job %s failed: %s; its log is work.log in the folder that coopr show %s "
		    "names to a superadmin", cluster, pair->job, line, cluster);
		free(line);
		return -1;
	}
	return error_set(err, pair->waiter_code, "%s: job %s failed", cluster, pair->job);
}

int
job_runner_run(const struct job_runner *runner, const struct workdir *workdir, const char *job, struct error *err)
{
	struct pair pair = {.runner = runner, .workdir = workdir, .job = job, .worker_code = RUNNING, .waiter_code = RUNNING};
	sigset_t signals, before;
	struct error ignored;
	int result;

	job_runner_block_signals(&signals, &before);
	result = job_runner_start_worker(&pair, err);
	if (result == 0 && job_runner_start_waiter(&pair, err) < 0) {
		kill(pair.worker.pid, SIGTERM);
		process_wait(&pair.worker, &ignored);
		result = -1;
	} else if (result == 0) {
		job_runner_supervise(&pair, &signals);
		result = job_runner_judge(&pair, err);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	arguments_release(&pair.worker_arguments);
	arguments_release(&pair.waiter_arguments);
	return result;
}
