/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/spool/gc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/lock.h"
#include "base/process.h"
#include "history/history.h"
#include "queue/spool/job/summary.h"
#include "queue/spool/reap.h"

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

/* What there is to learn of a job stays, in the spool's history. A job that is in there, of one who was stopped before he could
 * remove it, is not added twice. */
static int
gc_learn(struct history *history, const struct spool *spool, const struct open_job *job, struct error *err)
{
	struct course course = {0};
	int result = course_of_open_job(job, &course, err);

	if (result == 0 && history_add(history, &course))
		result = history_save(history, spool, &course, err);
	course_release(&course);
	return result;
}

/* Takes the folder away from done/ in one instant, under the job's lock; then it is nobody's any more. */
static int
gc_remove_job(const struct gc *gc, struct history *history, struct open_job *job, struct error *err)
{
	const struct spool *spool = &gc->queue->spool;
	char name[QUEUE_ID_SIZE + 32];

	if (gc_learn(history, spool, job, err) < 0)
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
	return clock_wall_ms() - finished_ms >= gc->keep_ms;
}

static int
gc_collect_job(const struct gc *gc, struct history *history, const char *id, struct arguments *gone, struct error *err)
{
	const struct state_header *header;
	struct open_job *job;
	struct queue_job known;
	int result = 0;

	if (summary_load(&gc->queue->spool, id, &known) && !gc_is_old(gc, known.finished_ms))
		return 0;
	job = engine_lock(gc->queue, id, err);
	if (!job)
		return err->code == EX_NO ? 0 : -1;
	header = job->state.header;
	if (header->finished && file_exists(gc->queue->spool.done, id)) {
		if (gc_is_old(gc, header->finished_ms)) {
			result = gc->dry ? 0 : gc_remove_job(gc, history, job, err);
			if (result == 0)
				arguments_push(gone, id);
		} else if (!gc->dry) {
			summary_save(job); /* of an earlier version's job there is none */
		}
	}
	job_unlock(job);
	return result;
}

/* Nobody takes a day to put a job. */
static int
gc_collect_tmp(const struct gc *gc, const char *name, struct arguments *gone, struct error *err)
{
	const struct spool *spool = &gc->queue->spool;
	struct stat st;

	if (fstatat(spool->tmp, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
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
	struct history history = {0};
	bool loaded;
	int result;

	if (lock_wait(spool->done, LOCK_EX) < 0)
		return error_errno(err, EX_OSERR, "%s/done", spool->path);
	result = history_load(&history, spool, err);
	loaded = result == 0;
	/* What cannot be removed keeps nothing else from it; the last reason is told. */
	for (size_t i = 0; loaded && i < done->count; i++)
		if (gc_collect_job(gc, &history, done->list[i], gone, err) < 0)
			result = -1;
	flock(spool->done, LOCK_UN);
	history_release(&history);
	return result;
}

int
gc_run(const struct gc *gc, struct arguments *gone, struct error *err)
{
	const struct spool *spool = &gc->queue->spool;
	struct arguments done = {0}, tmp = {0};
	int result = 0;

	if (gc_list_folder(spool->done, &done) < 0 || gc_list_folder(spool->tmp, &tmp) < 0)
		result = error_errno(err, EX_IOERR, "%s", spool->path);
	/* What cannot be removed keeps nothing else from it; the last reason is told. */
	if (result == 0 && !gc->dry)
		result = reap_spool(gc->queue, err);
	if (done.count > 0 && gc_collect_jobs(gc, &done, gone, err) < 0)
		result = -1;
	for (size_t i = 0; i < tmp.count; i++)
		if (gc_collect_tmp(gc, tmp.list[i], gone, err) < 0)
			result = -1;
	arguments_release(&done);
	arguments_release(&tmp);
	return result;
}
