/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/workdir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"

enum {
	LINE_LIMIT = 4 * 1024 * 1024, /* a command may be as long as the system lets it be */
};

/* A directory below STATE ("" is STATE itself), made where it is missing; the caller frees it. NULL with a reason. */
static char *
workdir_state_directory(const char *below, struct error *err)
{
	char *state = location_state(), *path = memory_printf("%s%s", state, below);

	free(state);
	if (file_make_dirs(AT_FDCWD, path, 0700, err) == 0)
		return path;
	free(path);
	return NULL;
}

/* Between our open and our lock, whoever had the folder may have removed it: then the lock is on
 * nothing, and -1 with ESTALE says so. */
static int
workdir_lock_present(const char *path, int fd)
{
	struct stat ours, there;

	if (flock(fd, LOCK_EX | LOCK_NB) < 0 || fstat(fd, &ours) < 0)
		return -1;
	if (stat(path, &there) == 0 && there.st_dev == ours.st_dev && there.st_ino == ours.st_ino)
		return 0;
	errno = ESTALE;
	return -1;
}

static int
workdir_open_locked(struct workdir *folder, enum workdir_open_how how, struct error *err)
{
	int reason;

	do {
		if (how == WORKDIR_MAKE && mkdir(folder->path, 0700) < 0 && errno != EEXIST)
			return error_errno(err, EX_CANTCREAT, "%s", folder->path);
		folder->fd = open(folder->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (folder->fd < 0 && errno == ENOENT && how == WORKDIR_FIND)
			return error_set(err, EX_NO, "%s: there is no such cluster (%s)", folder->name, folder->path);
		if (folder->fd < 0)
			return error_errno(err, EX_NOINPUT, "%s", folder->path);
		if (workdir_lock_present(folder->path, folder->fd) == 0)
			return 0;
		reason = errno;
		close(folder->fd);
		folder->fd = -1;
	} while (reason == ESTALE);
	if (reason == EWOULDBLOCK)
		return error_set(err, EX_TEMPFAIL, "%s: another coopr is at work on it; try again when it has ended",
		    folder->name);
	errno = reason;
	return error_errno(err, EX_OSERR, "%s: cannot be locked", folder->path);
}

int
workdir_open(struct workdir *folder, const char *id, const char *name, enum workdir_open_how how, struct error *err)
{
	char *directory = workdir_state_directory("/clusters", err);

	*folder = (struct workdir){.fd = -1};
	if (!directory)
		return -1;
	folder->id = memory_string(id);
	folder->name = memory_string(name);
	folder->path = memory_printf("%s/%s", directory, id);
	free(directory);
	if (workdir_open_locked(folder, how, err) == 0)
		return 0;
	workdir_close(folder);
	return -1;
}

int
workdir_try(struct workdir *folder, const char *id, const char *name, struct error *err)
{
	char *directory = workdir_state_directory("/clusters", err);

	*folder = (struct workdir){.fd = -1};
	if (!directory)
		return -1;
	*folder = (struct workdir){memory_string(id), memory_string(name), memory_printf("%s/.try-XXXXXX", directory), -1};
	free(directory);
	if (!mkdtemp(folder->path))
		return error_errno(err, EX_CANTCREAT, "%s", folder->path);
	folder->fd = file_open(AT_FDCWD, folder->path, O_RDONLY | O_DIRECTORY, 0, err);
	return folder->fd < 0 ? -1 : 0;
}

int
workdir_enter(const struct workdir *cluster, const char *job, struct workdir *operation, struct error *err)
{
	*operation = (struct workdir){memory_string(cluster->id), memory_string(cluster->name), workdir_path(cluster, job), -1};
	if (mkdirat(cluster->fd, job, 0700) < 0 && errno != EEXIST)
		error_errno(err, EX_CANTCREAT, "%s", operation->path);
	else
		operation->fd = file_open(cluster->fd, job, O_RDONLY | O_DIRECTORY, 0, err);
	if (operation->fd >= 0 && fsync(cluster->fd) == 0)
		return 0;
	if (operation->fd >= 0)
		error_errno(err, EX_IOERR, "%s", cluster->path);
	workdir_close(operation);
	return -1;
}

void
workdir_close(struct workdir *folder)
{
	if (folder->fd >= 0)
		close(folder->fd);
	free(folder->id);
	free(folder->name);
	free(folder->path);
	*folder = (struct workdir){.fd = -1};
}

bool
workdir_has(const struct workdir *folder, const char *member)
{
	return file_exists(folder->fd, member);
}

char *
workdir_path(const struct workdir *folder, const char *member)
{
	return memory_printf("%s/%s", folder->path, member);
}

char *
workdir_line(const struct workdir *folder, const char *member, struct error *err)
{
	struct buffer text = {0};
	size_t length;

	if (file_read(folder->fd, member, LINE_LIMIT, &text, err) < 0) {
		error_prefix(err, "%s", folder->path);
		buffer_release(&text);
		return NULL;
	}
	length = strcspn(text.data, "\n");
	text.data[length] = '\0';
	if (length > 0)
		return buffer_take(&text);
	error_set(err, EX_DATAERR, "%s/%s: empty", folder->path, member);
	buffer_release(&text);
	return NULL;
}

/* Moved aside first: half a folder must never be taken for a cluster. */
int
workdir_remove(struct workdir *folder, struct error *err)
{
	const char *id = file_base_name(folder->path);
	char *aside = memory_printf("%.*s.%s", (int)(id - folder->path), folder->path, id);
	int result = file_remove_tree(AT_FDCWD, aside, err);

	if (result == 0 && rename(folder->path, aside) < 0)
		result = error_errno(err, EX_IOERR, "%s: cannot be removed", folder->path);
	if (result == 0)
		result = file_remove_tree(AT_FDCWD, aside, err);
	free(aside);
	workdir_close(folder);
	return result;
}
