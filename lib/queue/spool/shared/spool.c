/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/spool/shared/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/lock.h"
#include "base/memory.h"
#include "queue/queue.h"
#include "queue/spool/shared/boot.h"

enum { FOLDER_MODE = 0700, FILE_MODE = 0600 };

static const char last_folder[] = "numbers"; /* to be made: where it is, all above it is on disk */

/* Makes a folder, and has it on disk with the folders it is in before a job may stand in it. */
static int
spool_make_folder(const struct spool *spool, const char *name, struct error *err)
{
	if (file_exists(spool->root, name))
		return 0;
	if (strcmp(name, last_folder) == 0 && file_sync_up(spool->root) < 0)
		return error_errno(err, EX_IOERR, "%s", spool->path);
	if (mkdirat(spool->root, name, FOLDER_MODE) < 0)
		return errno == EEXIST ? 0 : error_errno(err, EX_CANTCREAT, "%s/%s", spool->path, name);
	if (fsync(spool->root) == 0)
		return 0;
	error_errno(err, EX_IOERR, "%s", spool->path);
	/* Found there the next time, it would be taken for one that is on disk. */
	unlinkat(spool->root, name, AT_REMOVEDIR);
	return -1;
}

/* Returns whether its making has not come to an end yet, so that no job can have been put. */
static bool
spool_is_unmade(const struct spool *spool)
{
	DIR *jobs;
	const struct dirent *entry;
	bool unmade = file_is_absent(spool->root, last_folder);
	int fd = unmade ? openat(spool->root, "jobs", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	if (fd < 0)
		return unmade && errno == ENOENT;
	jobs = spool_list(fd);
	close(fd);
	while (jobs && unmade && (entry = readdir(jobs)))
		unmade = *entry->d_name == '.';
	if (jobs)
		closedir(jobs);
	return jobs && unmade;
}

static int
spool_open_folder(const struct spool *spool, const char *name, struct error *err)
{
	int fd;

	if (spool->writable && spool_make_folder(spool, name, err) < 0)
		return -1;
	fd = openat(spool->root, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	error_errno(err, EX_NOINPUT, "%s/%s", spool->path, name);
	if (errno != ENOENT || !spool_is_unmade(spool))
		return -1;
	error_set(err, EX_NOINPUT, "spool: %s: nothing is in it yet", spool->path);
	err->absent = true;
	return -1;
}

int
spool_open(struct spool *spool, const char *path, bool writable, struct error *err)
{
	const struct {
		const char *name;
		int *fd;
	} folders[] = {{"tmp", &spool->tmp}, {"jobs", &spool->jobs}, {"done", &spool->done}, {"workers", &spool->workers},
	    {last_folder, &spool->numbers}};
	int bell;

	*spool = (struct spool){.writable = writable, .root = -1, .tmp = -1, .jobs = -1, .done = -1, .workers = -1,
	    .numbers = -1, .agreed = -1};
	clock_boot_id(spool->boot);
	if (location_check_owner(path, err) < 0)
		return -1;
	if (writable && file_make_dirs(AT_FDCWD, path, FOLDER_MODE, err) < 0)
		return error_prefix(err, "spool");
	if (writable && location_check_local(path, err) < 0)
		return error_prefix(err, "spool");
	spool->root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	spool->path = spool->root < 0 ? NULL : realpath(path, NULL);
	if (!spool->path) {
		error_errno(err, EX_NOINPUT, "spool: %s", path);
		err->absent = errno == ENOENT;
		goto failed;
	}
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		if ((*folders[i].fd = spool_open_folder(spool, folders[i].name, err)) < 0)
			goto failed;
	if (!writable)
		return 0;
	spool->agreed = boot_agree(spool->root, spool->boot);
	if (file_exists(spool->root, "bell"))
		return 0;
	/* The bell must be there before anyone can watch it. */
	bell = openat(spool->root, "bell", O_WRONLY | O_CREAT | O_CLOEXEC, FILE_MODE);
	if (bell >= 0) {
		close(bell);
		return 0;
	}
	error_errno(err, EX_CANTCREAT, "%s/bell", spool->path);
failed:
	spool_close(spool);
	return -1;
}

void
spool_close(struct spool *spool)
{
	int fds[] = {spool->root, spool->tmp, spool->jobs, spool->done, spool->workers, spool->numbers, spool->agreed};

	for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	free(spool->path);
	spool->path = NULL;
}

bool
spool_is_numbered(const char *job, const char *cluster, unsigned long *number)
{
	size_t length = strlen(cluster), digits;
	const char *text = job + length + 1;

	if (strncmp(job, cluster, length) != 0 || job[length] != '-')
		return false;
	digits = strspn(text, "0123456789");
	if (digits == 0 || text[digits] || digits - strspn(text, "0") > SPOOL_NUMBER_DIGITS)
		return false;
	*number = strtoul(text, NULL, 10);
	return true;
}

DIR *
spool_list(int folder)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);

	if (!stream && fd >= 0)
		close(fd);
	return stream;
}

/* A job moves between the two folders meanwhile: looked for in one, the other, and the first again, it is found. */
int
spool_open_job(const struct spool *spool, const char *job)
{
	int places[] = {spool->jobs, spool->done, spool->jobs}, fd = -1;

	for (size_t i = 0; fd < 0 && i < sizeof places / sizeof *places; i++)
		fd = openat(places[i], job, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd;
}

/* Closing a file that was open for writing is news to inotify, and changes nothing on the disk. */
void
spool_notify(const struct spool *spool)
{
	int fd = openat(spool->root, "bell", O_WRONLY | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
}

int
spool_move(int from, const char *name, int to, const char *id)
{
	if (renameat2(from, name, to, id, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL)
		return -1;
	/* A file system that cannot say NOREPLACE: the caller's lock keeps others from the name meanwhile. */
	if (file_exists(to, id)) {
		errno = EEXIST;
		return -1;
	}
	return renameat(from, name, to, id);
}

int
spool_lock_cluster(const struct spool *spool, const char *cluster, bool wait, struct error *err)
{
	struct stat st;
	int fd = openat(spool->numbers, cluster, O_RDWR | O_CREAT | O_CLOEXEC, FILE_MODE);

	if (fd < 0)
		return error_errno(err, EX_CANTCREAT, "%s/numbers/%s", spool->path, cluster);
	/* Whoever made it may have been stopped, or refused by the disk, before its name was on disk. */
	if (fstat(fd, &st) == 0 && st.st_size == 0 && fsync(spool->numbers) < 0) {
		error_errno(err, EX_IOERR, "%s/numbers", spool->path);
		close(fd);
		return -1;
	}
	if ((wait ? lock_wait(fd, LOCK_EX) : flock(fd, LOCK_EX | LOCK_NB)) == 0)
		return fd;
	error_errno(err, EX_TEMPFAIL, "%s/numbers/%s: lock", spool->path, cluster);
	close(fd);
	return -1;
}

int
spool_number(const struct spool *spool, const char *cluster, int fd, unsigned long *number, struct error *err)
{
	char text[24] = "";

	*number = 0;
	if (pread(fd, text, sizeof text - 1, 0) < 0)
		return error_errno(err, EX_IOERR, "%s/numbers/%s", spool->path, cluster);
	*number = strtoul(text, NULL, 10);
	return 0;
}

/* The text has a fixed length: it is overwritten in place, within one sector, so there is the old or the new. */
int
spool_set_number(const struct spool *spool, const char *cluster, int fd, unsigned long number, struct error *err)
{
	char text[24];
	int length = snprintf(text, sizeof text, "%020lu\n", number);

	if (pwrite(fd, text, (size_t)length, 0) != length || fdatasync(fd) < 0)
		return error_errno(err, EX_IOERR, "%s/numbers/%s", spool->path, cluster);
	return 0;
}
