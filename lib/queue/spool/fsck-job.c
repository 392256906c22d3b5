/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/lock.h"
#include "base/printable.h"
#include "base/process.h"
#include "queue/job/fold.h"
#include "queue/job/id.h"
#include "queue/job/step.h"
#include "queue/spool/fsck.h"
#include "queue/spool/job-recover.h"
#include "queue/spool/reap.h"
#include "queue/spool/shared/journal.h"

void
fsck_found(struct fsck *fsck, bool repaired, const char *format, ...)
{
	char text[2048];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	printable_line(text, fsck->check->out);
	buffer_text(fsck->check->out, repaired ? " (repaired)\n" : "\n");
	fsck->check->found++;
	fsck->check->repaired += repaired;
}

/* Compares two states of a task. Ready and delayed are the same: only time stands between them. */
static bool
fsck_same_step(const struct state_live *x, const struct state_live *y)
{
	bool x_waits = x->status == STEP_READY || x->status == STEP_DELAYED;
	bool y_waits = y->status == STEP_READY || y->status == STEP_DELAYED;

	return (x->status == y->status || (x_waits && y_waits)) && x->phase == y->phase && x->failures == y->failures &&
	    x->setbacks == y->setbacks && x->losses == y->losses && x->since_ms == y->since_ms && x->cycles == y->cycles && x->rounds == y->rounds && x->attempt == y->attempt &&
	    x->missing == y->missing && x->event == y->event;
}

/* The id of a step that the two indexes disagree about; NULL where they do not. "": something about the whole. */
static const char *
fsck_difference(struct job_state *state, struct job_state *truth)
{
	if (state->header->step_count != truth->header->step_count || state->header->seq != truth->header->seq ||
	    state->header->finished != truth->header->finished || state->header->paused != truth->header->paused ||
	    state->header->cancelled != truth->header->cancelled)
		return "";
	for (uint32_t i = 0; i < truth->header->step_count; i++)
		if (!fsck_same_step(state_live(state, i), state_live(truth, i)))
			return state_step_id(truth, i);
	return NULL;
}

/* The damage of a job, found under a shared lock and repaired under an exclusive one. All of it is looked for before the lock is
 * released: a worker that leaves and a job that is moved change the job first, and then what is compared with it. */
struct damage {
	bool events, state, nodes; /* which of its files */
	bool sync_failed;
	bool misplaced;           /* it stands in done/ and is not finished */
	bool twice;               /* it stands in jobs/ and in done/ */
	struct arguments orphans; /* a task that runs and its worker, which is unknown, in turns */
	char step[QUEUE_ID_SIZE]; /* of state: the first step that differs, or "" */
	struct error why;         /* of events, or the plan */
};

/* The records in nodes.ndjson against what state says of them. */
static bool
fsck_are_nodes_sound(struct open_job *job)
{
	struct buffer record = {0};
	struct error none;
	bool sound = true;

	for (uint32_t n = 0; sound && n < job->state.header->node_count; n++) {
		buffer_clear(&record);
		sound = job_node(job, n, &record, &none) == 0;
	}
	buffer_release(&record);
	return sound;
}

/* The state file against one that is built from the truth, under the lock. */
static int
fsck_check_state(struct open_job *job, struct damage *found, struct error *err)
{
	bool whole = state_is_whole(&job->state), sound = !whole || fsck_are_nodes_sound(job);
	struct job_state state = job->state;
	const char *where;

	state.broken = !whole; /* not by what it says of records that were damaged */
	job->state = (struct job_state){0};
	if (job_rebuild(job, err) < 0) {
		state_unmap(&state);
		return -1;
	}
	where = whole ? fsck_difference(&state, &job->state) : "";
	found->state = where != NULL;
	found->nodes = !sound;
	found->sync_failed = state.header->sync_failed;
	snprintf(found->step, sizeof found->step, "%s", where ? where : "");
	state_unmap(&state);
	return 0;
}

/* Returns the worker that took the step last, to be freed by the caller; NULL if it was taken on a lease, or cannot be told. */
static char *
fsck_holder(struct open_job *job, uint32_t step)
{
	struct journal_reader reader = {.fd = job->events};
	struct event event;
	struct error none;
	char *by = NULL;

	if (journal_read_at(&reader, state_live(&job->state, step)->event, &event, &none) == 0 &&
	    event.kind == EVENT_TAKE && !event.leased && event.by)
		by = memory_string(event.by);
	journal_reader_release(&reader);
	return by;
}

/* Finds tasks whose worker has no file. A worker leaves its file behind when it dies; where even that is gone nobody would notice. */
static void
fsck_find_orphans(const struct fsck *fsck, struct open_job *job, struct damage *found)
{
	struct job_state *state = &job->state;

	if (strcmp(state->header->events_boot, fsck->queue->spool.boot) != 0)
		return;
	for (uint32_t link = state->header->running; link && !state->broken; link = state_live(state, link - 1)->next) {
		char *by = fsck_holder(job, link - 1);

		if (by && (!id_is_valid(by) || !file_exists(fsck->queue->spool.workers, by))) {
			arguments_push(&found->orphans, state_step_id(state, link - 1));
			arguments_push(&found->orphans, by);
		}
		free(by);
	}
}

static void
fsck_report_orphans(struct fsck *fsck, const char *job, const struct arguments *orphans)
{
	for (size_t i = 0; i + 1 < orphans->count; i += 2) {
		const char *by = orphans->list[i + 1];
		struct error err;
		bool repaired = fsck->repair && reap_worker(fsck->queue, by, "its worker is unknown", &err) == 0;

		fsck_found(fsck, repaired, "%s: task %s: its worker %s is unknown", job, orphans->list[i], by);
	}
}

/* Finds out whether the locked job stands in the folder where it belongs. */
static void
fsck_find_place(const struct fsck *fsck, const struct open_job *job, struct damage *found)
{
	const struct spool *spool = &fsck->queue->spool;
	bool waits = file_exists(spool->jobs, job->id);

	found->misplaced = !job->state.header->finished && !waits;
	found->twice = waits && file_exists(spool->done, job->id);
}

/* Brings a job that stands in done/ and is not finished back under its lock, where it is still so. */
static void
fsck_report_place(struct fsck *fsck, const char *id)
{
	struct spool_queue *queue = fsck->queue;
	struct open_job *job;
	struct error err;
	bool repaired;

	job = fsck->repair ? engine_lock(queue, id, &err) : NULL;
	repaired = job && (job->state.header->finished || file_exists(queue->spool.jobs, id) ||
	    engine_bring_back(queue, job, &err) == 0);
	if (job)
		job_unlock(job);
	fsck_found(fsck, repaired, "%s: in done/, but not finished", id);
}

/* Returns whether dir, which was opened, is still the job's folder: gc moves it away before it removes the files in it. */
static bool
fsck_is_there(int folder, const char *job, int dir)
{
	struct stat there, opened;

	return fstatat(folder, job, &there, AT_SYMLINK_NOFOLLOW) == 0 && fstat(dir, &opened) == 0 &&
	    there.st_ino == opened.st_ino && there.st_dev == opened.st_dev;
}

/* Without its lock nothing can be asked of the job. */
static void
fsck_check_lock(struct fsck *fsck, const char *job)
{
	const struct spool *spool = &fsck->queue->spool;
	int folders[] = {spool->jobs, spool->done};

	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		int dir = openat(folders[i], job, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		if (dir >= 0 && !file_exists(dir, "lock") && fsck_is_there(folders[i], job, dir)) {
			int fd = fsck->repair ? openat(dir, "lock", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;

			fsck_found(fsck, fd >= 0, "%s: lock is missing", job);
			if (fd >= 0)
				close(fd);
		}
		if (dir >= 0)
			close(dir);
	}
}

static void
fsck_check_files(struct fsck *fsck, const struct open_job *job)
{
	static const char *const names[] = {"plan.ndjson", "events.ndjson", "log"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!file_exists(job->dir, names[i])) {
			bool repaired = fsck->repair && strcmp(names[i], "log") == 0 && mkdirat(job->dir, "log", 0700) == 0;

			fsck_found(fsck, repaired, "%s: %s is missing", job->id, names[i]);
		}
}

/* Writes length bytes of events anew, and brings them to disk under a new inode. What is cut off is kept as events.damaged. */
static int
fsck_rewrite(struct open_job *job, size_t length, struct error *err)
{
	struct buffer text = {0};
	int result = file_read(job->dir, "events.ndjson", SIZE_MAX, &text, err);

	if (result == 0 && text.length > length)
		result = file_replace(job->dir, "events.damaged", text.data + length, text.length - length, 0600, err);
	if (result == 0)
		result = file_replace(job->dir, "events.ndjson", text.data, text.length < length ? text.length : length,
		    0600, err);
	buffer_release(&text);
	if (result == 0)
		unlinkat(job->dir, "state", 0);
	return result;
}

/* Returns how much of the events can be read one after the other; foreign: what follows is of a later version. */
static uint64_t
fsck_readable(int dir, bool *foreign)
{
	int fd = openat(dir, "events.ndjson", O_RDONLY | O_CLOEXEC);
	struct journal_reader reader = {.fd = fd};
	struct event event;
	struct error none;
	uint64_t end = 0, seq = 0;

	while (fd >= 0 && journal_next(&reader, &event, &none) > 0 && event.seq == ++seq)
		end = reader.next;
	*foreign = reader.foreign;
	journal_reader_release(&reader);
	if (fd >= 0)
		close(fd);
	return end;
}

/* All under the lock that those who change the job hold: what they have mapped must not go while they are at work. */
static int
fsck_repair_locked(struct open_job *job, const struct damage *found, struct error *err)
{
	struct stat st;
	bool foreign;
	uint64_t end;

	if (found->events || found->sync_failed) {
		end = fsck_readable(job->dir, &foreign);
		/* Bytes may be cut off that follow on events which can be read, and are no event of any version. */
		if (found->events && (!file_exists(job->dir, "plan.ndjson") || end == 0 || foreign ||
		    fstatat(job->dir, "events.ndjson", &st, AT_SYMLINK_NOFOLLOW) < 0 || (uint64_t)st.st_size <= end))
			return error_set(err, EX_DATAERR, "job %s: cannot be repaired", job->id);
		return fsck_rewrite(job, end, err);
	}
	if (unlinkat(job->dir, "state", 0) < 0 && errno != ENOENT)
		return error_errno(err, EX_IOERR, "job %s: state", job->id);
	return 0;
}

static bool
fsck_repair(struct fsck *fsck, struct open_job *job, const struct damage *found)
{
	struct scheduler_table *table = &fsck->queue->table;
	struct error err;
	bool repaired;

	if (!fsck->repair || lock_wait(job->lock, LOCK_EX) < 0)
		return false;
	repaired = fsck_repair_locked(job, found, &err) == 0;
	/* The scheduler's table has its hints from what was wrong. */
	if (repaired && scheduler_refresh(table, &err) == 0)
		scheduler_enter(table, scheduler_find(table, job->id, 0), job->id);
	flock(job->lock, LOCK_UN);
	return repaired;
}

static void
fsck_report(struct fsck *fsck, struct open_job *job, const struct damage *found)
{
	bool repaired;

	if (!found->events && !found->state && !found->nodes && !found->sync_failed)
		return;
	repaired = fsck_repair(fsck, job, found);
	if (found->events)
		fsck_found(fsck, repaired, "%s", found->why.text);
	if (found->state)
		fsck_found(fsck, repaired, "%s: state: does not match the events%s%s", job->id,
		    found->step[0] ? ", first at step " : "", found->step);
	if (found->nodes)
		fsck_found(fsck, repaired, "%s: nodes.ndjson: does not match the plan and the events", job->id);
	if (found->sync_failed)
		fsck_found(fsck, repaired, "%s: events.ndjson: the disk failed to write it once; recent events may be lost",
		    job->id);
}

/* Looks for the damage of a job. Returns false where it has been removed meanwhile. */
static bool
fsck_find(struct fsck *fsck, struct open_job *job, struct damage *found)
{
	if (job_lock(job, &found->why) < 0) {
		found->events = found->why.code != EX_NO;
		if (found->events)
			fsck_check_files(fsck, job);
		return found->events;
	}
	fsck_check_files(fsck, job);
	found->events = fsck_check_state(job, found, &found->why) < 0;
	if (job->state.map) {
		fsck_find_orphans(fsck, job, found);
		fsck_find_place(fsck, job, found);
	}
	job_unlock(job);
	return true;
}

int
fsck_job(struct fsck *fsck, const char *id, struct error *err)
{
	struct damage damage = {0};
	size_t found = fsck->check->found;
	struct open_job job;

	fsck_check_lock(fsck, id);
	if (job_open(&job, &fsck->queue->spool, NULL, id, err) < 0)
		return err->code == EX_NOINPUT && fsck->check->found > found ? 0 : -1;
	if (fsck_find(fsck, &job, &damage))
		fsck_report(fsck, &job, &damage);
	fsck_report_orphans(fsck, id, &damage.orphans);
	if (damage.misplaced)
		fsck_report_place(fsck, id);
	if (damage.twice)
		fsck_found(fsck, false, "%s: in jobs/ and in done/", id);
	arguments_release(&damage.orphans);
	job_close(&job);
	return 0;
}
