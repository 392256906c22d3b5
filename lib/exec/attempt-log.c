/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/attempt-log.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/message.h"
#include "exec/redaction.h"

enum { MODE = 0600 };

void
attempt_log_init(struct attempt_log *log, const char *path)
{
	*log = (struct attempt_log){.path = path, .fd = -1, .head = ATTEMPT_LOG_HEAD};
}

int
attempt_log_open(struct attempt_log *log, struct error *err)
{
	if (log->path && log->fd < 0)
		log->fd = file_open(AT_FDCWD, log->path, O_WRONLY | O_CREAT | O_APPEND, MODE, err);
	return log->path && log->fd < 0 ? -1 : 0;
}

/* Returns the bytes of all logs in the folder of this one. */
static size_t
attempt_log_measure(const struct attempt_log *log)
{
	char *folder = memory_substring(log->path, (size_t)(file_base_name(log->path) - log->path));
	DIR *stream = opendir(*folder ? folder : ".");
	const struct dirent *entry;
	size_t total = 0;
	struct stat st;

	while (stream && (entry = readdir(stream)))
		if (fstatat(dirfd(stream), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode))
			total += (size_t)st.st_size;
	if (stream)
		closedir(stream);
	free(folder);
	return total;
}

/* Writes to the file. A log that cannot be kept is no reason not to do the task. */
static void
attempt_log_write(struct attempt_log *log, const char *bytes, size_t length)
{
	struct error why;

	if (log->fd < 0 || length == 0)
		return;
	if (file_write_all(log->fd, bytes, length) == 0) {
		log->written += length;
		return;
	}
	error_errno(&why, EX_IOERR, "%s", log->path);
	message("%s; what follows is not kept", why.text);
	close(log->fd);
	log->fd = -1;
	log->path = NULL;
}

/* Returns how much of length bytes is written as it comes. */
static size_t
attempt_log_room(struct attempt_log *log, size_t length)
{
	if (!log->measured && log->written + length > ATTEMPT_LOG_SMALL) {
		log->measured = true;
		if (attempt_log_measure(log) > ATTEMPT_LOG_JOB)
			log->head = ATTEMPT_LOG_SMALL;
	}
	if (log->written >= log->head || log->tail.length > 0)
		return 0;
	return length < log->head - log->written ? length : log->head - log->written;
}

static void
attempt_log_keep_tail(struct attempt_log *log, const char *bytes, size_t length)
{
	size_t most = log->head == ATTEMPT_LOG_HEAD ? ATTEMPT_LOG_TAIL : ATTEMPT_LOG_SMALL;
	char note[160];

	if (log->fd < 0 || length == 0)
		return;
	if (log->tail.length == 0) {
		snprintf(note, sizeof note, "\n[coopr: the log is long; of what follows, the last %zu KiB are added when the attempt ends]\n",
		    most / 1024);
		attempt_log_write(log, note, strlen(note));
	}
	buffer_append(&log->tail, bytes, length);
	/* Dropping moves what is kept: once for as much again. */
	if (log->tail.length > 2 * most) {
		log->dropped += log->tail.length - most;
		buffer_drop(&log->tail, log->tail.length - most);
	}
}

static void
attempt_log_add(struct attempt_log *log, const char *bytes, size_t length)
{
	size_t room;

	if (!log->path || length == 0)
		return;
	if (log->fd < 0)
		log->fd = open(log->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, MODE);
	room = attempt_log_room(log, length);
	attempt_log_write(log, bytes, room);
	attempt_log_keep_tail(log, bytes + room, length - room);
}

void
attempt_log_append(struct attempt_log *log, const char *bytes, size_t length)
{
	struct buffer shown = {0};

	if (log->secrets) {
		redaction_text(log->secrets, bytes, length, &shown);
		bytes = buffer_string(&shown);
		length = shown.length;
	}
	attempt_log_add(log, bytes, length);
	buffer_release(&shown);
}

void
attempt_log_close(struct attempt_log *log)
{
	size_t most = log->head == ATTEMPT_LOG_HEAD ? ATTEMPT_LOG_TAIL : ATTEMPT_LOG_SMALL;
	size_t surplus = log->tail.length > most ? log->tail.length - most : 0;
	char note[80];

	if (log->dropped + surplus > 0) {
		snprintf(note, sizeof note, "[coopr: %zu bytes are left out here]\n", log->dropped + surplus);
		attempt_log_write(log, note, strlen(note));
	}
	if (log->tail.length > 0)
		attempt_log_write(log, log->tail.data + surplus, log->tail.length - surplus);
	if (log->fd >= 0)
		close(log->fd);
	buffer_release(&log->tail);
	attempt_log_init(log, NULL);
}
