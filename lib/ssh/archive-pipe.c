/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/archive-pipe.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/location.h"
#include "base/memory.h"
#include "model/take/task.h"

/* Starts "archive VERB KEY" with one end of the pipe as its input or output. */
static int
archive_pipe_start(struct archive_pipe *pipe, const char *verb, int in, int out, struct error *err)
{
	char *program = location_installed("libexec/coopr/archive"), *argv[] = {program, (char *)verb, (char *)pipe->key, NULL};
	int result;

	pipe->process = (struct process){.argv = argv, .in = in, .out = out, .err = PROCESS_INHERIT, .group = true, .die_with_us = true};
	result = process_start(&pipe->process, err);
	free(program);
	return result;
}

/* Waits for it. What it says is in the log. */
static int
archive_pipe_wait(struct archive_pipe *pipe, struct error *err)
{
	int code = process_wait(&pipe->process, err);

	if (code > 0)
		error_set(err, code > 128 ? EX_TEMPFAIL : code, "archive %s: it could not be %s; the log says why", pipe->key,
		    pipe->gives ? "read" : "kept");
	return code == 0 ? 0 : -1;
}

const char *
archive_pipe_key(const struct task *task, struct arena *arena, struct error *err)
{
	bool gives = task->action == ACTION_RESTORE;

	if (gives ? !task->archive : !task->job || !task->service) {
		error_set(err, EX_DATAERR, "the task names no %s", gives ? "archive" : "job");
		return NULL;
	}
	return gives ? task->archive : arena_printf(arena, "%s-%" PRId64 "-%s", task->job, task->machine.nodenum, task->service);
}

int
archive_pipe_open(struct archive_pipe *pipe, const char *key, bool gives, struct error *err)
{
	int fds[2], result;

	*pipe = (struct archive_pipe){.key = key, .gives = gives, .fd = -1};
	if (gives && (archive_pipe_start(pipe, "verify", PROCESS_NULL, PROCESS_NULL, err) < 0 || archive_pipe_wait(pipe, err) < 0))
		return -1;
	if (pipe2(fds, O_CLOEXEC) < 0)
		return error_errno(err, EX_OSERR, "archive %s: pipe", key);
	result = gives ? archive_pipe_start(pipe, "get", PROCESS_NULL, fds[1], err) : archive_pipe_start(pipe, "put", fds[0], PROCESS_NULL, err);
	close(fds[gives]);
	pipe->fd = fds[!gives];
	if (result < 0) {
		close(pipe->fd);
		pipe->fd = -1;
	}
	return result;
}

int
archive_pipe_close(struct archive_pipe *pipe, struct error *err)
{
	close(pipe->fd);
	pipe->fd = -1;
	return archive_pipe_wait(pipe, err);
}

void
archive_pipe_abandon(struct archive_pipe *pipe)
{
	struct error ignored;

	if (pipe->fd < 0)
		return;
	/* What reads the end of its input before it is killed keeps what came. */
	kill(-pipe->process.pid, SIGKILL);
	process_wait(&pipe->process, &ignored);
	close(pipe->fd);
	pipe->fd = -1;
}
