/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/spool/shared/copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/lock.h"
#include "base/memory.h"
#include "base/process.h"
#include "queue/job/id.h"
#include "queue/spool/shared/spool.h"

/* Files of a job, besides those in log/, in the order in which they are copied: all but the first two have their size from the
 * moment at which the job was locked. */
enum { COPY_PLAN, COPY_LOCK, COPY_EVENTS, COPY_NODES, COPY_DAMAGED, COPY_FILE_COUNT };
static const char *const job_files[COPY_FILE_COUNT] = {"plan.ndjson", "lock", "events.ndjson", "nodes.ndjson", "events.damaged"};
static const char *const spool_files[] = {"history", "limits.json"};

enum { COPY_LINE_BLOCK = 4096 };

struct copy {
	const struct spool *spool;
	queue_copy_file *file;
	void *context;
	struct error *err;
};

static int
copy_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorts ids, and removes those that are there twice. */
static void
copy_sort_ids(struct arguments *ids)
{
	size_t kept = 0;

	if (ids->count == 0)
		return;
	qsort(ids->list, ids->count, sizeof *ids->list, copy_compare);
	for (size_t i = 0; i < ids->count; i++)
		if (kept > 0 && strcmp(ids->list[kept - 1], ids->list[i]) == 0)
			free(ids->list[i]);
		else
			ids->list[kept++] = ids->list[i];
	ids->list[kept] = NULL;
	ids->count = kept;
}

int
copy_list_ids(const struct spool *spool, struct arguments *ids, struct error *err)
{
	/* A job moves from the first to the second, and back: looked for in both and the first again, it is found. */
	const int folders[] = {spool->jobs, spool->done, spool->jobs};

	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		DIR *stream = spool_list(folders[i]);
		const struct dirent *entry;

		if (!stream)
			return error_errno(err, EX_IOERR, "%s", spool->path);
		while ((entry = readdir(stream)))
			if (id_is_valid(entry->d_name))
				arguments_push(ids, entry->d_name);
		closedir(stream);
	}
	copy_sort_ids(ids);
	return 0;
}

/* Returns how much of the first size bytes of a file are whole lines; -1. */
static int64_t
copy_whole_lines(int fd, int64_t size)
{
	char block[COPY_LINE_BLOCK];

	while (size > 0) {
		int64_t start = (size - 1) / COPY_LINE_BLOCK * COPY_LINE_BLOCK;
		ssize_t got = pread(fd, block, (size_t)(size - start), start);
		const char *newline = got > 0 ? memrchr(block, '\n', (size_t)got) : NULL;

		if (got < 0)
			return -1;
		if (newline)
			return start + (newline - block) + 1;
		size = start;
	}
	return 0;
}

/* Hands over the whole of a file in a folder, as long as it is now. One that is not there is left out. */
static int
copy_file(const struct copy *copy, int folder, const char *name, const char *path)
{
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK), result = 0;
	struct stat st;

	if (fd < 0)
		return errno == ENOENT ? 0 : error_errno(copy->err, EX_NOINPUT, "%s/%s", copy->spool->path, path);
	if (fstat(fd, &st) < 0)
		result = error_errno(copy->err, EX_IOERR, "%s/%s", copy->spool->path, path);
	else if (S_ISREG(st.st_mode))
		result = copy->file(copy->context, path, fd, st.st_size, copy->err);
	close(fd);
	return result;
}

/* Hands over all files in a folder of the spool, or of a job; where is its path in the copy, with a slash at its end. */
static int
copy_folder(const struct copy *copy, int folder, const char *where)
{
	DIR *stream = spool_list(folder);
	const struct dirent *entry;
	int result;

	if (!stream)
		return error_errno(copy->err, EX_IOERR, "%s/%s", copy->spool->path, where);
	result = copy->file(copy->context, where, -1, 0, copy->err);
	while (result == 0 && (entry = readdir(stream))) {
		char *path = memory_printf("%s%s", where, entry->d_name);

		if (entry->d_name[0] != '.')
			result = copy_file(copy, folder, entry->d_name, path);
		free(path);
	}
	closedir(stream);
	return result;
}

struct copy_job { /* as it is at one moment */
	int fds[COPY_FILE_COUNT]; /* -1: there is none */
	int64_t sizes[COPY_FILE_COUNT];
	bool done;
};

/* Opens the files of a job, and notes how long they are while nobody changes the job: of all that is appended later, nothing belongs
 * to that moment, and a file that is replaced is still open. A job without its lock is damaged, and copied as it is. */
static int
copy_open_job(const struct copy *copy, const char *id, int folder, struct copy_job *job)
{
	int lock = openat(folder, job_files[COPY_LOCK], O_RDONLY | O_CLOEXEC), result = 0;

	if (lock >= 0 && lock_wait(lock, LOCK_SH) < 0)
		result = error_errno(copy->err, EX_OSERR, "%s: job %s: lock", copy->spool->path, id);
	job->done = file_exists(copy->spool->done, id);
	for (int i = 0; i < COPY_FILE_COUNT; i++) {
		struct stat st;

		job->fds[i] = openat(folder, job_files[i], O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
		job->sizes[i] = job->fds[i] >= 0 && fstat(job->fds[i], &st) == 0 && S_ISREG(st.st_mode) ? st.st_size : -1;
	}
	if (lock >= 0)
		close(lock);
	/* Whoever was killed while it wrote has left a part of a line, which was never acknowledged. */
	if (job->sizes[COPY_EVENTS] > 0)
		job->sizes[COPY_EVENTS] = copy_whole_lines(job->fds[COPY_EVENTS], job->sizes[COPY_EVENTS]);
	return result;
}

static int
copy_job(const struct copy *copy, const char *id)
{
	int folder = spool_open_job(copy->spool, id), logs, result;
	struct copy_job job;
	char *where, *path;

	if (folder < 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 : error_errno(copy->err, EX_NOINPUT, "%s: job %s", copy->spool->path, id);
	result = copy_open_job(copy, id, folder, &job);
	where = memory_printf("%s/%s/", job.done ? "done" : "jobs", id);
	if (result == 0)
		result = copy->file(copy->context, where, -1, 0, copy->err);
	for (int i = 0; i < COPY_FILE_COUNT; i++) {
		path = memory_printf("%s%s", where, job_files[i]);
		if (result == 0 && job.sizes[i] >= 0)
			result = copy->file(copy->context, path, job.fds[i], job.sizes[i], copy->err);
		if (job.fds[i] >= 0)
			close(job.fds[i]);
		free(path);
	}
	logs = openat(folder, "log", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	path = memory_printf("%slog/", where);
	if (result == 0 && logs >= 0)
		result = copy_folder(copy, logs, path);
	if (logs >= 0)
		close(logs);
	free(path);
	free(where);
	close(folder);
	return result;
}

/* As long as done/ is locked, gc removes no job and adds none to the history: what the history has of a job that is gone is
 * counted once. Numbers come last: none is lower than that of a job. */
int
copy_spool(const struct spool *spool, const struct arguments *jobs, queue_copy_file *file, void *context, struct error *err)
{
	const struct copy copy = {spool, file, context, err};
	struct arguments ids = {0};
	int result = 0;

	if (lock_wait(spool->done, LOCK_SH) < 0)
		result = error_errno(err, EX_OSERR, "%s/done", spool->path);
	for (size_t i = 0; i < jobs->count; i++)
		if (id_is_valid(jobs->list[i]))
			arguments_push(&ids, jobs->list[i]);
	copy_sort_ids(&ids);
	for (size_t i = 0; i < ids.count && result == 0; i++)
		result = copy_job(&copy, ids.list[i]);
	for (size_t i = 0; i < sizeof spool_files / sizeof *spool_files && result == 0; i++)
		result = copy_file(&copy, spool->root, spool_files[i], spool_files[i]);
	if (result == 0)
		result = copy_folder(&copy, spool->numbers, "numbers/");
	flock(spool->done, LOCK_UN);
	arguments_release(&ids);
	return result;
}

static bool
copy_is_one_of(const char *name, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(name, list[i]) == 0)
			return true;
	return false;
}

/* Returns whether text is a file of one name, or empty: then the path names the folder. */
static bool
copy_is_name(const char *text)
{
	return *text != '.' && !strchr(text, '/') && strlen(text) < 256;
}

bool
copy_has(const char *path)
{
	const char *job = strncmp(path, "jobs/", 5) == 0 || strncmp(path, "done/", 5) == 0 ? path + 5 : NULL, *rest;
	char id[QUEUE_ID_SIZE];

	if (strncmp(path, "numbers/", 8) == 0)
		return copy_is_name(path + 8);
	if (!job)
		return copy_is_one_of(path, spool_files, sizeof spool_files / sizeof *spool_files);
	rest = strchr(job, '/');
	if (!rest || (size_t)(rest - job) >= sizeof id)
		return false;
	snprintf(id, sizeof id, "%.*s", (int)(rest - job), job);
	rest++;
	if (!id_is_valid(id))
		return false;
	if (strncmp(rest, "log/", 4) == 0)
		return copy_is_name(rest + 4);
	return !*rest || copy_is_one_of(rest, job_files, COPY_FILE_COUNT);
}
