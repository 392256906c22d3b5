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
#include "base/holder.h"
#include "base/location.h"
#include "base/lock.h"
#include "base/memory.h"
#include "cluster/operation-files.h"
#include "cluster/operations.h"

enum {
	LINE_LIMIT = 4 * 1024 * 1024, /* a command may be as long as the system lets it be */
};

/* Returns the folder of all clusters, made where it is missing, which the caller frees; NULL with a reason. */
static char *
workdir_parent(struct error *err)
{
	char *state = location_state(), *path = memory_printf("%s/clusters", state);

	free(state);
	if (file_make_dirs(AT_FDCWD, path, 0700, err) == 0 && location_check_local(path, err) == 0)
		return path;
	free(path);
	return NULL;
}

/* Locks the folder. Between our open and our lock, who had it may have removed it: then the lock is on nothing, and it fails
 * with ESTALE. */
static int
workdir_lock_present(const char *path, int fd)
{
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return -1;
	if (lock_is_current(fd, path))
		return 0;
	errno = ESTALE;
	return -1;
}

static int
workdir_open_locked(struct workdir *workdir, enum workdir_open_how how, struct error *err)
{
	int reason;

	do {
		if (how == WORKDIR_MAKE && mkdir(workdir->path, 0700) < 0 && errno != EEXIST)
			return error_errno(err, EX_CANTCREAT, "%s", workdir->path);
		workdir->fd = open(workdir->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (workdir->fd < 0 && errno == ENOENT && how == WORKDIR_FIND)
			return error_absent(err, "no cluster named \"%s\": it has no folder %s", workdir->name, workdir->path);
		if (workdir->fd < 0)
			return error_errno(err, EX_NOINPUT, "%s", workdir->path);
		if (workdir_lock_present(workdir->path, workdir->fd) == 0)
			return 0;
		reason = errno;
		close(workdir->fd);
		workdir->fd = -1;
	} while (reason == ESTALE);
	if (reason == EWOULDBLOCK)
		return error_set(err, EX_TEMPFAIL, "%s: another command is working on it; try again when it has ended",
		    workdir->name);
	errno = reason;
	return error_errno(err, EX_OSERR, "%s: cannot be locked", workdir->path);
}

int
workdir_open(struct workdir *workdir, const char *id, const char *name, enum workdir_open_how how, struct error *err)
{
	char *directory = workdir_parent(err);

	*workdir = (struct workdir){.fd = -1};
	if (!directory)
		return -1;
	workdir->id = memory_string(id);
	workdir->name = memory_string(name);
	workdir->path = memory_printf("%s/%s", directory, id);
	free(directory);
	if (workdir_open_locked(workdir, how, err) == 0)
		return 0;
	workdir_close(workdir);
	return -1;
}

bool
workdir_find_holder(const char *id, struct holder *holder)
{
	struct error ignored; /* then none is known */
	char *directory = workdir_parent(&ignored), *path = directory ? memory_printf("%s/%s", directory, id) : NULL;
	int fd = path ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	bool found = fd >= 0 && holder_find(fd, holder);

	if (fd >= 0)
		close(fd);
	free(path);
	free(directory);
	return found;
}

int
workdir_try(struct workdir *workdir, const char *id, const char *name, struct error *err)
{
	char *directory = workdir_parent(err);

	*workdir = (struct workdir){.fd = -1};
	if (!directory)
		return -1;
	*workdir = (struct workdir){memory_string(id), memory_string(name), memory_printf("%s/.try-XXXXXX", directory), -1};
	free(directory);
	if (!mkdtemp(workdir->path))
		return error_errno(err, EX_CANTCREAT, "%s", workdir->path);
	workdir->fd = file_open(AT_FDCWD, workdir->path, O_RDONLY | O_DIRECTORY, 0, err);
	return workdir->fd < 0 ? -1 : 0;
}

int
workdir_lock(struct workdir *workdir, struct error *err)
{
	if (workdir_lock_present(workdir->path, workdir->fd) == 0)
		return 0;
	if (errno == EWOULDBLOCK)
		return error_set(err, EX_TEMPFAIL, "%s: another command is working on it; try again when it has ended", workdir->name);
	if (errno == ESTALE)
		return error_set(err, EX_NO, "%s: its folder has been removed", workdir->name);
	return error_errno(err, EX_OSERR, "%s: cannot be locked", workdir->path);
}

void
workdir_unlock(struct workdir *workdir)
{
	flock(workdir->fd, LOCK_UN);
}

/* Renames the folder, which stays open. */
static int
workdir_move(struct workdir *workdir, char *path, struct error *err)
{
	if (rename(workdir->path, path) < 0) {
		error_errno(err, EX_IOERR, "%s: cannot be moved to %s", workdir->path, path);
		free(path);
		return -1;
	}
	free(workdir->path);
	workdir->path = path;
	return 0;
}

int
workdir_set_aside(struct workdir *operation, struct error *err)
{
	struct workdir empty;

	if (workdir_try(&empty, operation->id, operation->name, err) < 0 ||
	    workdir_move(operation, memory_string(empty.path), err) < 0) {
		workdir_close(&empty);
		return -1;
	}
	workdir_close(&empty);
	return 0;
}

int
workdir_put_back(const struct workdir *cluster, const char *job, struct workdir *operation, struct error *err)
{
	return file_remove_tree(cluster->fd, job, err) < 0 ? -1 : workdir_move(operation, workdir_path(cluster, job), err);
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

int
workdir_restore(const struct workdir *cluster, struct store *store, const struct operation *recorded,
    struct workdir *operation, struct error *err)
{
	static const char *const names[] = {"command", "plan.ndjson"};
	struct buffer text = {0};
	int result = 0;

	if (workdir_enter(cluster, recorded->job, operation, err) < 0)
		return -1;
	for (size_t i = 0; i < sizeof names / sizeof *names && result == 0; i++) {
		int got;

		buffer_clear(&text);
		got = operation_file_get(store, recorded->cluster, recorded->number, names[i], &text, err);
		result = got < 0 ? -1 : got == 0 ? 0
		    : workdir_write(operation, names[i], buffer_string(&text), text.length, err);
	}
	buffer_release(&text);
	if (result < 0)
		workdir_close(operation);
	return result;
}

void
workdir_close(struct workdir *workdir)
{
	if (workdir->fd >= 0)
		close(workdir->fd);
	free(workdir->id);
	free(workdir->name);
	free(workdir->path);
	*workdir = (struct workdir){.fd = -1};
}

bool
workdir_has(const struct workdir *workdir, const char *member)
{
	return file_exists(workdir->fd, member);
}

int
workdir_write(const struct workdir *workdir, const char *member, const void *bytes, size_t length, struct error *err)
{
	int result = file_replace(workdir->fd, member, bytes, length, 0600, err);

	return result < 0 ? error_prefix(err, "%s", workdir->path) : 0;
}

char *
workdir_path(const struct workdir *workdir, const char *member)
{
	return memory_printf("%s/%s", workdir->path, member);
}

char *
workdir_line(const struct workdir *workdir, const char *member, struct error *err)
{
	struct buffer text = {0};
	size_t length;

	if (file_read(workdir->fd, member, LINE_LIMIT, &text, err) < 0) {
		error_prefix(err, "%s", workdir->path);
		buffer_release(&text);
		return NULL;
	}
	length = strcspn(text.data, "\n");
	text.data[length] = '\0';
	if (length > 0)
		return buffer_take(&text);
	error_set(err, EX_DATAERR, "%s/%s: empty", workdir->path, member);
	buffer_release(&text);
	return NULL;
}

/* Moves it aside first: half a folder must never be taken for a cluster. */
int
workdir_remove(struct workdir *workdir, struct error *err)
{
	const char *id = file_base_name(workdir->path);
	char *aside = memory_printf("%.*s.%s", (int)(id - workdir->path), workdir->path, id);
	int result = file_remove_tree(AT_FDCWD, aside, err);

	if (result == 0 && rename(workdir->path, aside) < 0)
		result = error_errno(err, EX_IOERR, "%s: cannot be removed", workdir->path);
	if (result == 0)
		result = file_remove_tree(AT_FDCWD, aside, err);
	free(aside);
	workdir_close(workdir);
	return result;
}
