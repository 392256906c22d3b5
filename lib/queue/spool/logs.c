/* SPDX-License-Identifier: Apache-2.0
 *
 * What tasks have printed: a file TASK.ATTEMPT in the job's folder log/ for each attempt that had something to say. The kernel
 * tells which of them is written to.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "queue/spool/engine.h"
#include "queue/spool/local.h"

struct spool_logs {
	struct queue_logs base;
	_Alignas(struct inotify_event) char bytes[64 * (sizeof(struct inotify_event) + NAME_MAX + 1)];
	size_t at, length; /* of what the kernel told */
	char task[NAME_MAX + 1];
};

ssize_t
logs_read(struct queue *queue, const char *id, const char *task, int64_t attempt, int64_t offset, char *bytes, size_t size,
    struct error *err)
{
	const struct open_job *job = engine_job(spool_queue_of(queue), id, err);
	char name[NAME_MAX + 1];
	struct stat st;
	ssize_t n = -1;
	int fd;

	if (!job)
		return -1;
	snprintf(name, sizeof name, "log/%s.%" PRId64, task, attempt);
	fd = openat(job->dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return errno == ENOENT ? 0 : error_errno(err, EX_IOERR, "job %s: %s", id, name);
	if (offset >= 0 || fstat(fd, &st) == 0)
		n = pread(fd, bytes, size, offset >= 0 ? offset : st.st_size + offset > 0 ? st.st_size + offset : 0);
	if (n < 0)
		error_errno(err, EX_IOERR, "job %s: %s", id, name);
	close(fd);
	return n;
}

struct queue_logs *
logs_open(struct queue *queue, const char *id, struct error *err)
{
	struct open_job *job = engine_lock(spool_queue_of(queue), id, err);
	struct spool_logs *logs;
	char path[64];
	int folder;

	if (!job)
		return NULL;
	folder = file_open(job->dir, "log", O_RDONLY | O_DIRECTORY, 0, err);
	job_unlock(job);
	if (folder < 0)
		return NULL;
	logs = memory_zeroed(1, sizeof *logs);
	logs->base = (struct queue_logs){queue, inotify_init1(IN_CLOEXEC | IN_NONBLOCK)};
	/* The folder itself is watched, also when it moves with the job. */
	snprintf(path, sizeof path, "/proc/self/fd/%d", folder);
	if (logs->base.fd < 0 || inotify_add_watch(logs->base.fd, path, IN_CREATE | IN_MODIFY) < 0) {
		error_errno(err, EX_OSERR, "the logs of job %s: cannot be watched", id);
		logs_close(&logs->base);
		logs = NULL;
	}
	close(folder);
	return logs ? &logs->base : NULL;
}

int
logs_next(struct queue_logs *base, const char **task, int64_t *attempt, struct error *err)
{
	struct spool_logs *logs = (struct spool_logs *)base;

	for (;;) {
		const struct inotify_event *event = (const void *)(logs->bytes + logs->at);
		ssize_t n;
		char *dot;

		if (logs->at == logs->length) {
			n = read(base->fd, logs->bytes, sizeof logs->bytes);
			if (n <= 0)
				return n < 0 && errno != EINTR && errno != EAGAIN ? error_errno(err, EX_OSERR, "inotify") : 0;
			logs->at = 0;
			logs->length = (size_t)n;
			continue;
		}
		logs->at += sizeof *event + event->len;
		*task = NULL;
		if (event->mask & IN_Q_OVERFLOW)
			return 1;
		snprintf(logs->task, sizeof logs->task, "%s", event->len ? event->name : "");
		dot = strrchr(logs->task, '.');
		if (!dot)
			continue;
		*dot = '\0';
		*task = logs->task;
		*attempt = strtoll(dot + 1, NULL, 10);
		return 1;
	}
}

void
logs_close(struct queue_logs *logs)
{
	if (logs->fd >= 0)
		close(logs->fd);
	free(logs);
}
