/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/spool/shared/restore.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/process.h"
#include "queue/spool/shared/copy.h"
#include "queue/spool/shared/spool.h"

static const char staging[] = ".restore";

static int
restore_check_empty(const struct spool *spool, struct error *err)
{
	struct arguments ids = {0};
	int result = copy_list_ids(spool, &ids, err);

	if (result == 0 && ids.count > 0)
		result = error_set(err, EX_CANTCREAT, "%s: has jobs already (%s%s)", spool->path, ids.list[0],
		    ids.count > 1 ? ", ..." : "");
	arguments_release(&ids);
	return result;
}

int
restore_begin(const struct spool *spool, struct error *err)
{
	int fd;

	if (restore_check_empty(spool, err) < 0 || file_remove_tree(spool->root, staging, err) < 0)
		return -1;
	if (mkdirat(spool->root, staging, 0700) < 0)
		return error_errno(err, EX_CANTCREAT, "%s/%s", spool->path, staging);
	fd = openat(spool->root, staging, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? error_errno(err, EX_CANTCREAT, "%s/%s", spool->path, staging) : fd;
}

/* Moves all that is in a folder of the staging folder to the spool's folder of that name, and brings the names to disk. */
static int
restore_move(const struct spool *spool, int from, const char *name, int to, struct error *err)
{
	int folder = openat(from, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC), result = 0;
	DIR *stream = folder < 0 ? NULL : spool_list(folder);
	const struct dirent *entry;

	if (folder < 0 && errno == ENOENT)
		return 0;
	if (!stream)
		result = error_errno(err, EX_NOINPUT, "%s/%s/%s", spool->path, staging, name);
	while (result == 0 && (entry = readdir(stream)))
		if (entry->d_name[0] != '.' && renameat(folder, entry->d_name, to, entry->d_name) < 0)
			result = error_errno(err, EX_CANTCREAT, "%s/%s/%s", spool->path, name, entry->d_name);
	if (result == 0 && fsync(to) < 0)
		result = error_errno(err, EX_IOERR, "%s/%s", spool->path, name);
	if (stream)
		closedir(stream);
	if (folder >= 0)
		close(folder);
	return result;
}

/* The scheduler's table is removed when the jobs are there: the next one to open the spool makes it of them. */
int
restore_end(const struct spool *spool, struct error *err)
{
	static const char *const files[] = {"history", "limits.json"};
	int from = openat(spool->root, staging, O_RDONLY | O_DIRECTORY | O_CLOEXEC), result = 0;

	if (from < 0)
		return errno == ENOENT ? 0 : error_errno(err, EX_NOINPUT, "%s/%s", spool->path, staging);
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		if (result == 0 && file_exists(from, files[i]) && renameat(from, files[i], spool->root, files[i]) < 0)
			result = error_errno(err, EX_CANTCREAT, "%s/%s", spool->path, files[i]);
	if (result == 0)
		result = restore_move(spool, from, "numbers", spool->numbers, err);
	if (result == 0)
		result = restore_move(spool, from, "done", spool->done, err);
	if (result == 0)
		result = restore_move(spool, from, "jobs", spool->jobs, err);
	close(from);
	if (result == 0 && unlinkat(spool->root, "board", 0) < 0 && errno != ENOENT)
		result = error_errno(err, EX_CANTCREAT, "%s/board", spool->path);
	if (result == 0 && fsync(spool->root) < 0)
		result = error_errno(err, EX_IOERR, "%s", spool->path);
	return result < 0 ? -1 : file_remove_tree(spool->root, staging, err);
}
