/* SPDX-License-Identifier: Apache-2.0 */
#include "store/sqlite/log-sync.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/lock.h"

enum { CHUNK = 1 << 16 };

enum log_number { LOG_COMMITTED, LOG_ON_DISK, LOG_SUSPECTED };

int
log_sync_open(struct log_sync *log, struct error *err)
{
	if (log->fd < 0)
		log->fd = file_open(AT_FDCWD, log->path, O_RDWR, 0, err);
	return log->fd < 0 ? -1 : 0;
}

void
log_sync_close(struct log_sync *log)
{
	if (log->fd >= 0)
		close(log->fd);
	free(log->path);
}

/* Returns a number of the file; 0 where it was never written. */
static int64_t
log_sync_get(int lock, enum log_number which)
{
	int64_t number;

	return pread(lock, &number, sizeof number, (off_t)which * (off_t)sizeof number) == sizeof number ? number : 0;
}

static int
log_sync_set(const struct log_sync *log, int lock, enum log_number which, int64_t number, struct error *err)
{
	if (pwrite(lock, &number, sizeof number, (off_t)which * (off_t)sizeof number) != sizeof number)
		return error_errno(err, EX_IOERR, "%s: cannot record which transactions are on disk", log->path);
	return 0;
}

int64_t
log_sync_count(const struct log_sync *log, int lock, struct error *err)
{
	int64_t number = log_sync_get(lock, LOG_COMMITTED) + 1;

	return log_sync_set(log, lock, LOG_COMMITTED, number, err) < 0 ? -1 : number;
}

static int
log_sync_refused(const struct log_sync *log, struct error *err)
{
	return error_errno(err, EX_IOERR, "%s: cannot be synced", log->path);
}

/* Writes the log over itself, so that the kernel takes all of it for unwritten, and syncs it. Nobody may write meanwhile. */
static int
log_sync_rewrite(const struct log_sync *log, struct error *err)
{
	char bytes[CHUNK];
	off_t at = 0;
	ssize_t got;

	for (; (got = pread(log->fd, bytes, sizeof bytes, at)) > 0; at += got)
		if (pwrite(log->fd, bytes, (size_t)got, at) != got)
			return log_sync_refused(log, err);
	return got < 0 || fsync(log->fd) < 0 ? log_sync_refused(log, err) : 0;
}

/* Brings all that was committed to disk. Others wait for the lock on the log. */
static int
log_sync_all(const struct log_sync *log, int lock, struct error *err)
{
	int64_t committed = log_sync_get(lock, LOG_COMMITTED);
	int result;

	if (!log_sync_get(lock, LOG_SUSPECTED)) {
		if (log_sync_set(log, lock, LOG_SUSPECTED, 1, err) < 0)
			return -1;
		result = fsync(log->fd) < 0 ? log_sync_refused(log, err) : 0;
	} else {
		if (lock_wait(lock, LOCK_EX) < 0)
			return error_errno(err, EX_OSERR, "%s: cannot be locked", log->path);
		committed = log_sync_get(lock, LOG_COMMITTED);
		result = log_sync_rewrite(log, err);
		flock(lock, LOCK_UN);
	}
	if (result == 0)
		result = log_sync_set(log, lock, LOG_ON_DISK, committed, err);
	return result < 0 ? -1 : log_sync_set(log, lock, LOG_SUSPECTED, 0, err);
}

int
log_sync_wait(const struct log_sync *log, int lock, int64_t number, struct error *err)
{
	int result = 0;

	if (lock_wait(log->fd, LOCK_EX) < 0)
		return error_errno(err, EX_OSERR, "%s: cannot be locked", log->path);
	if (log_sync_get(lock, LOG_ON_DISK) < number)
		result = log_sync_all(log, lock, err);
	flock(log->fd, LOCK_UN);
	return result;
}
