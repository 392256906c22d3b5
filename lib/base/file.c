/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/lock.h"
#include "base/memory.h"

int
file_open(int dir, const char *path, int flags, mode_t mode, struct error *err)
{
	int fd = openat(dir, path, flags | O_CLOEXEC, mode);

	if (fd < 0)
		return error_errno(err, (flags & O_ACCMODE) == O_RDONLY ? EX_NOINPUT : EX_CANTCREAT,
		    "%s", path);
	return fd;
}

int
file_read_fd(int fd, const char *name, size_t limit, struct buffer *out, struct error *err)
{
	size_t start = out->length;
	ssize_t n;

	do {
		n = read(fd, buffer_room(out, 64 * 1024), 64 * 1024);
		if (n < 0 && errno != EINTR)
			return error_read(err, name);
		if (n > 0)
			out->length += (size_t)n;
		if (out->length - start > limit)
			return error_too_large(err, name, limit);
	} while (n != 0);
	out->data[out->length] = '\0';
	return 0;
}

int
file_read(int dir, const char *path, size_t limit, struct buffer *out, struct error *err)
{
	int fd = file_open(dir, path, O_RDONLY, 0, err), result;

	if (fd < 0)
		return -1;
	result = file_read_fd(fd, path, limit, out, err);
	close(fd);
	return result;
}

int
file_write_all(int fd, const void *bytes, size_t length)
{
	const char *next = bytes;

	while (length > 0) {
		ssize_t n = write(fd, next, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		next += n;
		length -= (size_t)n;
	}
	return 0;
}

int
file_sync_data(int fd, uint32_t *refused)
{
	if (*refused) {
		errno = EIO;
		return -1;
	}
	if (fdatasync(fd) == 0)
		return 0;
	*refused = 1;
	return -1;
}

int
file_sync_dir(int dir, const char *path)
{
	int fd = openat(dir, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), result;

	if (fd < 0)
		return -1;
	result = fsync(fd);
	close(fd);
	return result;
}

/* Returns the directory part of path, "." if it has none; the caller frees it. */
static char *
file_directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return memory_string(".");
	return memory_substring(path, slash == path ? 1 : (size_t)(slash - path));
}

/* Returns the name under which what comes to path is written, which the caller frees. It is always the same one of a user, so that what a process
 * that was killed has left is written over by the next, and does not pile up. */
static char *
file_fresh_name(const char *path)
{
	return memory_printf("%s.%u.new", path, (unsigned)geteuid());
}

/* Opens that file, empty, and locks it, so that others who write at the same time wait: of these, each puts a whole one in place. Returns -1 with errno. */
static int
file_open_fresh(int dir, const char *fresh)
{
	struct stat ours = {0}, there;
	int fd;

	while ((fd = openat(dir, fresh, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600)) >= 0) {
		bool locked = lock_wait(fd, LOCK_EX) == 0 && fstat(fd, &ours) == 0, own = S_ISREG(ours.st_mode) && ours.st_uid == geteuid();

		if (locked && own && fstatat(dir, fresh, &there, AT_SYMLINK_NOFOLLOW) == 0 && there.st_ino == ours.st_ino && there.st_dev == ours.st_dev) {
			if (ours.st_nlink == 1 && ftruncate(fd, 0) == 0)
				return fd;
			unlinkat(dir, fresh, 0); /* it is in place as well: file_make was killed */
		}
		close(fd);
		if (locked && !own)
			errno = EEXIST;
		if (!locked || !own)
			return -1;
	}
	return -1;
}

/* Puts the new file in place: only where nothing is, if so asked. */
static int
file_place(int dir, const char *fresh, const char *path, bool first)
{
	if (!first)
		return renameat(dir, fresh, dir, path);
	if (linkat(dir, fresh, dir, path, 0) < 0 && errno != EEXIST)
		return -1;
	return unlinkat(dir, fresh, 0);
}

static int
file_write(int dir, const char *path, const void *bytes, size_t length, mode_t mode, bool first, struct error *err)
{
	char *parent = file_directory_of(path), *fresh = file_fresh_name(path);
	int fd = file_open_fresh(dir, fresh), result = 0;

	if (fd < 0) {
		result = error_errno(err, EX_CANTCREAT, "%s: cannot be written", path);
	} else if (fchmod(fd, mode) < 0 || file_write_all(fd, bytes, length) < 0 || fsync(fd) < 0 || file_place(dir, fresh, path, first) < 0) {
		result = error_errno(err, EX_IOERR, "%s: cannot be written", path);
		unlinkat(dir, fresh, 0);
	} else if (file_sync_dir(dir, parent) < 0) {
		result = error_errno(err, EX_IOERR, "%s: cannot be written", path);
	}
	if (fd >= 0)
		close(fd); /* and so the lock */
	free(fresh);
	free(parent);
	return result;
}

int
file_replace(int dir, const char *path, const void *bytes, size_t length, mode_t mode, struct error *err)
{
	return file_write(dir, path, bytes, length, mode, false, err);
}

int
file_make(int dir, const char *path, const void *bytes, size_t length, mode_t mode, struct error *err)
{
	return file_write(dir, path, bytes, length, mode, true, err);
}

int
file_remove(int dir, const char *path, struct error *err)
{
	char *fresh = file_fresh_name(path);
	int fd = openat(dir, fresh, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), result = 0;

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
		unlinkat(dir, fresh, 0);
	if (fd >= 0)
		close(fd);
	if (unlinkat(dir, path, 0) < 0 && errno != ENOENT)
		result = error_errno(err, EX_IOERR, "%s", path);
	free(fresh);
	return result;
}

int
file_make_dirs(int dir, const char *path, mode_t mode, struct error *err)
{
	char *copy = memory_string(path), *slash = copy;
	int result = 0;

	do {
		slash = strchr(slash + 1, '/');
		if (slash)
			*slash = '\0';
		if (mkdirat(dir, copy, mode) < 0 && errno != EEXIST)
			result = error_errno(err, EX_CANTCREAT, "%s", copy);
		if (slash)
			*slash = '/';
	} while (slash && result == 0);
	free(copy);
	return result;
}

int
file_sync_up(int dir)
{
	int here = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), result = 0;
	struct stat st, below = {0};

	while (here >= 0 && result == 0 && fstat(here, &st) == 0 && (!below.st_ino || st.st_dev == below.st_dev) &&
	    st.st_ino != below.st_ino) {
		int up = openat(here, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		result = fsync(here);
		close(here);
		here = up;
		below = st;
	}
	if (here >= 0)
		close(here);
	return result;
}

/* Removes name and what is below it, as long as that is on the file system device. */
static int
file_remove_entry(int dir, const char *name, dev_t device)
{
	struct dirent *entry;
	struct stat st;
	DIR *stream;
	int fd, result = 0;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : -1;
	if (!S_ISDIR(st.st_mode))
		return unlinkat(dir, name, 0) < 0 && errno != ENOENT ? -1 : 0;
	if (st.st_dev != device) {
		errno = EXDEV;
		return -1;
	}
	fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	stream = fd < 0 ? NULL : fdopendir(fd);
	if (!stream)
		return -1;
	while (result == 0 && (errno = 0, entry = readdir(stream)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			result = file_remove_entry(dirfd(stream), entry->d_name, device);
	if (!entry && errno)
		result = -1;
	closedir(stream);
	return result < 0 || (unlinkat(dir, name, AT_REMOVEDIR) < 0 && errno != ENOENT) ? -1 : 0;
}

int
file_remove_tree(int dir, const char *path, struct error *err)
{
	struct stat st;

	if (fstatat(dir, path, &st, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT)
		return 0;
	if (file_remove_entry(dir, path, st.st_dev) < 0)
		return error_errno(err, EX_IOERR, "%s: cannot be removed", path);
	return 0;
}

bool
file_exists(int dir, const char *path)
{
	return faccessat(dir, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

bool
file_is_absent(int dir, const char *path)
{
	return !file_exists(dir, path) && (errno == ENOENT || errno == ENOTDIR);
}

bool
file_is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

const char *
file_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}
