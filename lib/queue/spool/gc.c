/* SPDX-License-Identifier: Apache-2.0 */
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
#include "base/lock.h"
#include "base/process.h"
#include "json/json.h"
#include "json/record.h"
#include "queue/history.h"
#include "queue/job/id.h"
#include "queue/spool/engine.h"
#include "queue/spool/local.h"
#include "queue/spool/read.h"
#include "queue/spool/reap.h"
#include "queue/spool/shared/scheduler-table.h"
#include "queue/spool/summary.h"

struct gc {
	struct spool_queue *queue;
	int64_t keep_ms;
	bool dry;
	struct queue_erasure *erasure;
};

enum { TMP_KEEP_MS = 24 * 60 * 60 * 1000 };

static int
gc_list_folder(int folder, struct arguments *names)
{
	DIR *stream = spool_list(folder);
	const struct dirent *entry;

	if (!stream)
		return -1;
	while ((entry = readdir(stream)))
		if (entry->d_name[0] != '.')
			arguments_push(names, entry->d_name);
	closedir(stream);
	return 0;
}

/* Begins to read the history: 1, and its descriptor, which is to be closed; 0: there is none; -1. */
static int
gc_open_history(const struct spool *spool, struct record_reader *reader, int *fd, struct error *err)
{
	if (!file_exists(spool->root, "history"))
		return 0;
	*fd = file_open(spool->root, "history", O_RDONLY, 0, err);
	if (*fd < 0)
		return error_prefix(err, "%s", spool->path);
	record_reader_init(reader, *fd, "history");
	return 1;
}

static int
gc_load_history(const struct spool *spool, struct history *history, struct error *err)
{
	struct record_reader reader;
	int fd, result = gc_open_history(spool, &reader, &fd, err);

	if (result <= 0)
		return result;
	result = history_read(history, &reader, err);
	record_reader_release(&reader);
	close(fd);
	return result < 0 ? error_prefix(err, "%s", spool->path) : 0;
}

int
gc_history(struct queue *queue, struct history *history, struct error *err)
{
	return gc_load_history(&spool_queue_of(queue)->spool, history, err);
}

/* Writes the history anew, durably; jobs that are gone need not be named any more. */
static int
gc_save_history(const struct spool *spool, struct history *history, struct error *err)
{
	struct buffer out = {0};
	size_t kept = 0;
	int result;

	for (size_t i = 0; i < history->folded_count; i++)
		if (file_exists(spool->jobs, history->folded[i].job) || file_exists(spool->done, history->folded[i].job))
			history->folded[kept++] = history->folded[i];
	history->folded_count = kept;
	history_print(history, &out);
	result = file_replace(spool->root, "history", out.data, out.length, 0600, err);
	buffer_release(&out);
	return result < 0 ? error_prefix(err, "%s", spool->path) : 0;
}

struct learned { /* what there was to learn of jobs; zero-initialise */
	struct history history;
	bool is_unsaved;
};

/* Keeps in the history what there is to learn of a job. It is replaced before the job is removed: one that is in both,
 * of somebody who was stopped in between, is not added twice. On a disk that is full it is replaced once a job has made room. */
static int
gc_learn(struct learned *learned, const struct spool *spool, struct open_job *job, struct error *err)
{
	struct attempts attempts = {0};
	struct buffer text = {0};
	struct error later;
	int result = -1;

	if (read_plan_of(job, &text, err) == 0 && read_events_of(job, &text, err) == 0)
		result = attempts_of_text(job->id, &text, &attempts, err);
	if (result == 0 && history_add(&learned->history, &attempts)) {
		history_fold(&learned->history, &attempts);
		learned->is_unsaved = true;
	}
	if (result == 0 && learned->is_unsaved)
		learned->is_unsaved = gc_save_history(spool, &learned->history, &later) < 0;
	attempts_release(&attempts);
	buffer_release(&text);
	return result;
}

/* Returns whether the job is to be erased, by its id, which begins with that of its cluster. */
static bool
gc_is_of(const struct queue_erasure *erasure, const char *job)
{
	for (size_t i = 0; erasure->clusters[i]; i++) {
		size_t length = strlen(erasure->clusters[i]);

		if (strncmp(job, erasure->clusters[i], length) == 0 && job[length] == '-')
			return true;
	}
	return false;
}

/* Returns whether a record of the history is of what is erased. */
static bool
gc_history_is_of(const struct queue_erasure *erasure, jv record)
{
	static const char *const members[] = {"service", "provider", "hardwaretype", "imagetype"};
	char *job = json_get_string(record, "job");
	bool is = job && gc_is_of(erasure, job);

	free(job);
	for (size_t i = 0; i < sizeof members / sizeof *members && !is; i++) {
		char *value = json_get_string(record, members[i]);

		for (size_t j = 0; value && erasure->names[j] && !is; j++)
			is = strcmp(erasure->names[j], value) == 0;
		free(value);
	}
	return is;
}

/* Writes the history anew, without what is erased; under the lock of done/. */
static int
gc_forget(const struct spool *spool, struct queue_erasure *erasure, struct error *err)
{
	struct record_reader reader;
	struct buffer out = {0};
	int fd, got = gc_open_history(spool, &reader, &fd, err);
	jv record;

	if (got <= 0)
		return got;
	while ((got = record_read(&reader, &record, err)) > 0) {
		if (gc_history_is_of(erasure, record)) {
			erasure->durations++;
		} else {
			json_dump(record, &out);
			buffer_byte(&out, '\n');
		}
		jv_free(record);
	}
	record_reader_release(&reader);
	close(fd);
	if (got == 0 && erasure->durations)
		got = file_replace(spool->root, "history", out.data, out.length, 0600, err);
	buffer_release(&out);
	return got < 0 ? error_prefix(err, "%s", spool->path) : 0;
}

/* Takes the folder away from done/ in one instant, under the job's lock; then it is nobody's any more. */
static int
gc_remove_job(const struct gc *gc, struct learned *learned, struct open_job *job, struct error *err)
{
	const struct spool *spool = &gc->queue->spool;
	char name[QUEUE_ID_SIZE + 32];

	if (!gc->erasure && gc_learn(learned, spool, job, err) < 0)
		return -1;
	snprintf(name, sizeof name, "gc.%d.%s", (int)getpid(), job->id);
	if (spool_move(spool->done, job->id, spool->tmp, name) < 0)
		return error_errno(err, EX_IOERR, "%s/done/%s", spool->path, job->id);
	/* Were the power lost, a job must not stand in done/ without the files that are removed now. */
	if (fsync(spool->done) < 0)
		return error_errno(err, EX_IOERR, "%s/done", spool->path);
	return file_remove_tree(spool->tmp, name, err);
}

static bool
gc_is_old(const struct gc *gc, int64_t finished_ms)
{
	return gc->erasure || clock_wall_ms() - finished_ms >= gc->keep_ms;
}

static int
gc_collect_job(const struct gc *gc, struct learned *learned, const char *id, struct arguments *gone, struct error *err)
{
	const struct state_header *header;
	struct open_job *job;
	struct queue_job known;
	int result = 0;

	if (gc->erasure && !gc_is_of(gc->erasure, id))
		return 0;
	if (summary_load(&gc->queue->spool, id, &known) && !gc_is_old(gc, known.finished_ms))
		return 0;
	job = engine_lock(gc->queue, id, err);
	if (!job)
		return err->code == EX_NO ? 0 : -1;
	header = job->state.header;
	if (header->finished && file_exists(gc->queue->spool.done, id)) {
		if (gc_is_old(gc, header->finished_ms)) {
			result = gc->dry ? 0 : gc_remove_job(gc, learned, job, err);
			if (result == 0)
				arguments_push(gone, id);
		} else if (!gc->dry) {
			summary_save(job); /* of an earlier version's job there is none */
		}
	}
	job_unlock(job);
	return result;
}

/* Returns whether that is what a process that was killed has left of a job that is erased: gc.PID.JOB */
static bool
gc_tmp_is_of(const struct queue_erasure *erasure, const char *name)
{
	const char *job = strncmp(name, "gc.", 3) == 0 ? strchr(name + 3, '.') : NULL;

	return job && gc_is_of(erasure, job + 1);
}

/* Nobody takes a day to put a job. */
static int
gc_collect_tmp(const struct gc *gc, const char *name, struct arguments *gone, struct error *err)
{
	const struct spool *spool = &gc->queue->spool;
	struct stat st;

	if (gc->erasure && gc_tmp_is_of(gc->erasure, name)) {
		arguments_push(gone, strchr(name + 3, '.') + 1);
		return file_remove_tree(spool->tmp, name, err);
	}
	if (gc->erasure || fstatat(spool->tmp, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
	    clock_wall_ms() - (int64_t)st.st_mtime * 1000 < TMP_KEEP_MS)
		return 0;
	arguments_printf(gone, "tmp/%s", name);
	return gc->dry ? 0 : file_remove_tree(spool->tmp, name, err);
}

/* One at a time: each reads the history and writes it anew. */
static int
gc_collect_jobs(const struct gc *gc, const struct arguments *done, struct arguments *gone, struct error *err)
{
	const struct spool *spool = &gc->queue->spool;
	struct learned learned = {0};
	bool loaded;
	int result;

	if (lock_wait(spool->done, LOCK_EX) < 0)
		return error_errno(err, EX_OSERR, "%s/done", spool->path);
	result = gc->erasure ? gc_forget(spool, gc->erasure, err) : gc_load_history(spool, &learned.history, err);
	loaded = result == 0;
	/* An entry that cannot be removed does not keep the others; the last reason is told. */
	for (size_t i = 0; loaded && i < done->count; i++)
		if (gc_collect_job(gc, &learned, done->list[i], gone, err) < 0)
			result = -1;
	if (learned.is_unsaved && gc_save_history(spool, &learned.history, err) < 0)
		result = -1;
	flock(spool->done, LOCK_UN);
	history_release(&learned.history);
	return result;
}

struct gc_logs { /* of a finished job */
	char job[QUEUE_ID_SIZE];
	int64_t finished_ms;
	uint64_t bytes;
};

/* Calls for each log in the folder of a job: adds its size to bytes, or removes it. */
static uint64_t
gc_logs_visit(int folder, const char *job, bool remove)
{
	char *path = memory_printf("%s/log", job);
	int dir = openat(folder, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *stream = dir < 0 ? NULL : spool_list(dir);
	const struct dirent *entry;
	uint64_t bytes = 0;
	struct stat st;

	while (stream && (entry = readdir(stream))) {
		if (fstatat(dir, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode))
			continue;
		bytes += (uint64_t)st.st_size;
		if (remove)
			unlinkat(dir, entry->d_name, 0);
	}
	if (stream)
		closedir(stream);
	if (dir >= 0)
		close(dir);
	free(path);
	return bytes;
}

/* Returns the bytes of the logs of the jobs in jobs/. */
static uint64_t
gc_logs_measure_open(const struct spool *spool)
{
	DIR *stream = spool_list(spool->jobs);
	const struct dirent *entry;
	uint64_t bytes = 0;

	while (stream && (entry = readdir(stream)))
		if (id_is_valid(entry->d_name))
			bytes += gc_logs_visit(spool->jobs, entry->d_name, false);
	if (stream)
		closedir(stream);
	return bytes;
}

static int
gc_logs_compare(const void *a, const void *b)
{
	const struct gc_logs *x = a, *y = b;

	if (x->finished_ms != y->finished_ms)
		return x->finished_ms < y->finished_ms ? -1 : 1;
	return strcmp(x->job, y->job);
}

static bool
gc_logs_is_gone(const struct arguments *gone, const char *job)
{
	for (size_t i = 0; i < gone->count; i++)
		if (strcmp(gone->list[i], job) == 0)
			return true;
	return false;
}

/* Removes the logs of a job that is still finished. Returns whether they are gone. */
static bool
gc_logs_remove(struct spool_queue *queue, const struct gc_logs *of)
{
	struct error gone; /* then its logs are, too */
	struct open_job *job = engine_lock(queue, of->job, &gone);
	bool removed = job && job->state.header->finished && file_exists(queue->spool.done, of->job);

	if (removed)
		gc_logs_visit(queue->spool.done, of->job, true);
	if (job)
		job_unlock(job);
	return removed;
}

/* Keeps the logs of all jobs together under options->logs_bytes: those of finished jobs are removed, of the job first that
 * finished first. All else of a job stays. */
static void
gc_limit_logs(struct spool_queue *queue, const struct arguments *done, const struct queue_gc *options, struct arguments *gone)
{
	const struct spool *spool = &queue->spool;
	struct gc_logs *list = memory_zeroed(done->count + 1, sizeof *list);
	uint64_t total = gc_logs_measure_open(spool);
	size_t count = 0;

	for (size_t i = 0; i < done->count; i++) {
		uint64_t bytes = gc_logs_visit(spool->done, done->list[i], false);
		struct queue_job job = {0};

		/* A dry run has left jobs where they are. */
		if (bytes == 0 || (options->dry && gc_logs_is_gone(gone, done->list[i])))
			continue;
		summary_load(spool, done->list[i], &job);
		list[count] = (struct gc_logs){.finished_ms = job.finished_ms, .bytes = bytes};
		snprintf(list[count++].job, sizeof list->job, "%s", done->list[i]);
		total += bytes;
	}
	qsort(list, count, sizeof *list, gc_logs_compare);
	for (size_t i = 0; i < count && total > options->logs_bytes; i++)
		if (options->dry || gc_logs_remove(queue, &list[i])) {
			arguments_printf(gone, "%s/log", list[i].job);
			total -= list[i].bytes;
		}
	free(list);
}

int
gc_run(struct queue *queue, const struct queue_gc *options, struct arguments *gone, struct error *err)
{
	const struct gc gc = {spool_queue_of(queue), options->keep_ms, options->dry && !options->erasure, options->erasure};
	const struct spool *spool = &gc.queue->spool;
	struct arguments done = {0}, tmp = {0};
	int result = 0;

	if (gc_list_folder(spool->done, &done) < 0 || gc_list_folder(spool->tmp, &tmp) < 0)
		result = error_errno(err, EX_IOERR, "%s", spool->path);
	/* An entry that cannot be removed does not keep the others; the last reason is told. */
	if (result == 0 && !gc.dry)
		result = reap_spool(gc.queue, err);
	if (result == 0 && gc.erasure)
		result = scheduler_forget(&gc.queue->table, err);
	if ((done.count > 0 || gc.erasure) && gc_collect_jobs(&gc, &done, gone, err) < 0)
		result = -1;
	for (size_t i = 0; i < tmp.count; i++)
		if (gc_collect_tmp(&gc, tmp.list[i], gone, err) < 0)
			result = -1;
	arguments_release(&done);
	if (!gc.erasure && gc_list_folder(spool->done, &done) == 0)
		gc_limit_logs(gc.queue, &done, options, gone);
	arguments_release(&done);
	arguments_release(&tmp);
	return result;
}
