/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/run.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/home.h"
#include "base/location.h"
#include "base/memory.h"
#include "base/message.h"
#include "confine/confine.h"
#include "event/supervise.h"
#include "exec/attempt-log.h"
#include "exec/attempt-result.h"
#include "exec/plugin-find.h"
#include "exec/plugin-schema.h"
#include "exec/redaction.h"
#include "model/take/task.h"

enum { PATIENCE_MS = 1000 }; /* with the reader of stderr */

struct attempt {
	const struct task *task;
	bool quiet, unread; /* unread: the reader of stderr did not take the last part */
	struct attempt_log log;
	struct tail tail;
	struct redaction *secrets;
	struct buffer shown; /* what was said, without them */
	const char *stopped; /* why, or NULL */
};

int
run_command(const struct task *task, struct arguments *argv, struct error *err)
{
	const char *kind = task_plugin_kind(task->action);
	char *path = plugin_find(kind, task->type, err);

	if (!path)
		return -1;
	if (plugin_schema_check_task(task, err) < 0) {
		free(path);
		return -1;
	}
	arguments_push(argv, path);
	arguments_push(argv, action_name(task->action));
	free(path);
	return 0;
}

/* Shows what was said on stderr. Its reader may go away, or stop reading: the task goes on, and its time too. A pipe that can be
 * written to has room for PIPE_BUF. */
static void
run_show(struct attempt *attempt, const char *bytes, size_t length)
{
	struct pollfd reader = {.fd = STDERR_FILENO, .events = POLLOUT};

	while (length > 0) {
		size_t part = length < PIPE_BUF ? length : PIPE_BUF;

		attempt->unread = poll(&reader, 1, attempt->unread ? 0 : PATIENCE_MS) == 0;
		if (attempt->unread)
			return;
		if (file_write_all(STDERR_FILENO, bytes, part) < 0) {
			attempt->quiet = true;
			return;
		}
		bytes += part;
		length -= part;
	}
}

static void
run_keep(struct attempt *attempt)
{
	struct buffer *said = &attempt->shown;

	tail_append(&attempt->tail, buffer_string(said), said->length);
	attempt_log_append(&attempt->log, buffer_string(said), said->length);
	if (!attempt->quiet)
		run_show(attempt, said->data, said->length);
	buffer_clear(said);
}

static void
run_pass_on(struct attempt *attempt, struct buffer *said)
{
	redaction_pass(attempt->secrets, said->data, said->length, &attempt->shown);
	buffer_clear(said);
	run_keep(attempt);
}

/* Waits until the plugin has ended, and takes what it says. */
static void
run_attend(struct supervisor *supervisor, struct child *child, struct attempt *attempt)
{
	struct child *which;

	for (;;) {
		switch (supervise_next(supervisor, -1, &which)) {
		case SUPERVISE_OUTPUT:
			run_pass_on(attempt, &child->err);
			break;
		case SUPERVISE_ENDED:
			run_pass_on(attempt, &child->err);
			redaction_end(attempt->secrets, &attempt->shown);
			run_keep(attempt);
			return;
		case SUPERVISE_SIGNAL:
			attempt->stopped = supervisor->signal == SIGINT ? "SIGINT came" : supervisor->signal == SIGHUP ? "SIGHUP came"
			                                                                                               : "SIGTERM came";
			supervise_stop(supervisor, child);
			break;
		case SUPERVISE_READY:
			attempt->stopped = "nobody reads its result any more";
			supervise_unwatch(supervisor, supervisor->ready);
			supervise_stop(supervisor, child);
			break;
		case SUPERVISE_FED:
		case SUPERVISE_TIME:
			break;
		}
	}
}

/* Tells in the log where to look if it was the confinement that the plugin has failed by. */
static void
run_hint(struct attempt *attempt)
{
	const struct buffer *said = &attempt->tail.kept;

	if (!buffer_contains(said, "ermission denied") && !buffer_contains(said, "peration not permitted") && !buffer_contains(said, "EACCES"))
		return;
	buffer_printf(&attempt->shown, "[coopr: %s/%s is confined; if it was refused what it needs, see [plugin %s] in coopr-config(5)]\n",
	    task_plugin_kind(attempt->task->action), attempt->task->type, attempt->task->type);
	run_keep(attempt);
}

/* Runs argv. The plugin inherits the worker's lock: as long as anything of it runs, the task is given to nobody else. A plugin
 * that cannot be started is a result too: the fault is not here. */
static int
run_plugin(struct attempt *attempt, char *const *argv, jv *result, struct error *err)
{
	const struct task *task = attempt->task;
	struct confine_plugin wanted = {.wants = action_moves_archive(task->action) ? CONFINE_WHOLE : 0,
	    .reads = {task->nodes, task->catalogue, task->machine.identityfile}};
	struct supervisor supervisor;
	struct confined confined;
	struct buffer record = {0};
	struct child child = {.argv = argv, .out_limit = ATTEMPT_ANSWER_BYTES, .capture_err = true,
	    .die_with_us = true, .timeout_ms = task->timeout_s * 1000};
	int failed = supervise_init(&supervisor, err);

	if (failed == 0) {
		json_dump(jv_is_valid(task->handed) ? task->handed : task->source, &record);
		buffer_byte(&record, '\n');
		child.input = record.data;
		child.input_length = record.length;
		child.confinement = confine_start(&confined, argv[0], &wanted);
		supervise_watch(&supervisor, STDOUT_FILENO, 0);
		if (supervise_start(&supervisor, &child, err) == 0) {
			char *name = memory_printf("%s/%s", task_plugin_kind(task->action), task->type);

			run_attend(&supervisor, &child, attempt);
			*result = attempt_result(task, &(struct plugin_end){.name = name, .wait_status = child.wait_status,
			    .timed_out = child.timed_out, .stopped = child.stopped ? attempt->stopped : NULL, .out = &child.out,
			    .out_total = child.out_total, .log = &attempt->tail, .secrets = attempt->secrets});
			free(name);
			if (child.confinement && child.wait_status != 0)
				run_hint(attempt);
		} else {
			*result = attempt_refusal(task, EX_CONFIG, err->text);
		}
	}
	if (child.confinement)
		confine_release(&confined);
	supervise_release(&supervisor);
	child_release(&child);
	buffer_release(&record);
	return failed;
}

int
run_task(const struct task *task, struct redaction *secrets, bool quiet, jv *result, struct error *err)
{
	struct attempt attempt = {.task = task, .secrets = secrets, .quiet = quiet};
	struct arguments argv = {0};
	int failed = 0;

	attempt_log_init(&attempt.log, task->log);
	if (attempt_log_open(&attempt.log, err) < 0)
		return -1;
	if (run_command(task, &argv, err) == 0)
		failed = run_plugin(&attempt, argv.list, result, err);
	else
		*result = attempt_refusal(task, err->code, err->text);
	attempt_log_close(&attempt.log);
	arguments_release(&argv);
	tail_release(&attempt.tail);
	buffer_release(&attempt.shown);
	return failed;
}
