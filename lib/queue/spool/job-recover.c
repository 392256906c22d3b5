/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/spool/job-recover.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "json/record.h"
#include "model/take/facts.h"
#include "queue/job/fold.h"
#include "queue/job/plan-loader.h"
#include "queue/job/step.h"
#include "queue/spool/shared/journal.h"
#include "queue/spool/shared/spool.h"

/* The node has a new record, the last one in job->nodes. */
static void
job_set_record(struct open_job *job, struct state_node *node, size_t start)
{
	struct state_header *header = job->state.header;
	const char *record = job->nodes.data + start;
	bool addressed;

	node->offset = header->nodes_size + start;
	node->length = (uint32_t)(job->nodes.length - start - 1);
	node->sum = checksum_sum(record, node->length, node->offset);
	if (!node->asked)
		return;
	addressed = facts_addressed(record, node->length);
	header->asked_missing += node->addressed;
	header->asked_missing -= addressed;
	node->addressed = addressed;
	if (header->asked_missing == 0)
		header->generation++;
}

int
job_learn(struct open_job *job, const struct event *event, struct error *err)
{
	struct job_state *state = &job->state;
	struct buffer record = {0};
	size_t start = job->nodes.length;
	uint32_t link, node;
	bool gone;
	int result;

	if ((event->kind != EVENT_DONE && event->kind != EVENT_FAIL) || !(link = state_find(state, event->task)))
		return 0;
	gone = event->kind == EVENT_DONE && step_action(state, link - 1) == ACTION_DELETE;
	if (!gone && !facts_in_result(event->result))
		return 0;
	node = state_step(state, link - 1)->node;
	result = job_node(job, node, &record, err);
	if (result == 0 && gone)
		result = facts_clear(record.data, record.length, &job->nodes, err);
	else if (result == 0)
		result = facts_merge(record.data, record.length, event->result, &job->nodes, err);
	if (result == 0)
		job_set_record(job, state_node(state, node), start);
	buffer_release(&record);
	return result;
}

/* The knowledge of the disk that a state of this boot had and that the events do not hold; kept when the state is built anew. */
struct remains {
	uint64_t synced;
	uint32_t sync_failed;
};

/* A line that is no event. What was never said to be on disk may be cut off: a process or the machine stopped while it was
 * written. What was on disk once is damage that a person must look at. */
static int
job_cut_tail(struct open_job *job, uint64_t offset, const struct remains *remains, struct error *err)
{
	if (remains->synced > offset ||
	    journal_synced_behind(job->events, offset) > job->state.header->seq)
		return error_prefix(err, "job %s: what was safely written is damaged (see coopr-queue fsck %s)", job->id,
		    job->id);
	if (job->writable && ftruncate(job->events, (off_t)offset) < 0)
		return error_errno(err, EX_IOERR, "job %s: events.ndjson", job->id);
	return 0;
}

int
job_sum_plan(int fd, char sum[JOB_SUM_SIZE], struct error *err)
{
	uint64_t hash = HASH_START;
	char bytes[64 * 1024];
	off_t at = 0;
	ssize_t n;

	for (; (n = pread(fd, bytes, sizeof bytes, at)) > 0; at += n)
		hash = hash_bytes(hash, bytes, (size_t)n);
	if (n < 0)
		return error_errno(err, EX_IOERR, "plan.ndjson");
	snprintf(sum, JOB_SUM_SIZE, "%016" PRIx64, hash);
	return 0;
}

/* Compares the plan with the sum that the job's first event has of it, if it has one. */
static int
job_check_plan(const struct open_job *job, const struct event *event, struct error *err)
{
	char sum[JOB_SUM_SIZE];
	int fd, result;

	if (event->kind != EVENT_PUT || !event->plan_sum)
		return 0;
	fd = file_open(job->dir, "plan.ndjson", O_RDONLY, 0, err);
	if (fd < 0)
		return -1;
	result = job_sum_plan(fd, sum, err);
	close(fd);
	if (result == 0 && strcmp(sum, event->plan_sum) != 0)
		result = error_set(err, EX_DATAERR,
		    "plan.ndjson: is damaged: its checksum is %s, and was %s; only a backup has it as it was", sum, event->plan_sum);
	return result;
}

/* Folds in all events. */
static int
job_replay(struct open_job *job, const struct remains *remains, struct error *err)
{
	struct state_header *header = job->state.header;
	struct journal_reader reader = {.fd = job->events};
	struct event event;
	uint64_t end = 0;
	int got, result = 0;

	while ((got = journal_next(&reader, &event, err)) > 0) {
		if (job_check_plan(job, &event, err) < 0) {
			result = error_prefix(err, "job %s", job->id);
			break;
		}
		if (job_learn(job, &event, err) < 0 || fold(&job->state, &event, reader.offset, err) < 0) {
			result = error_prefix(err, "job %s: events.ndjson", job->id);
			break;
		}
		end = reader.next;
	}
	if (got < 0)
		result = err->code == EX_DATAERR && !reader.foreign ? job_cut_tail(job, reader.offset, remains, err)
		                                 : error_prefix(err, "job %s", job->id);
	journal_reader_release(&reader);
	if (result == 0 && header->seq == 0)
		result = error_set(err, EX_DATAERR, "job %s: events.ndjson: holds no event (see coopr-queue fsck %s)",
		    job->id, job->id);
	header->applied = end;
	return result;
}

/* The file that is open may not be the one that is there. */
static void
job_forget_nodes(struct open_job *job)
{
	if (job->nodes_read >= 0)
		close(job->nodes_read);
	job->nodes_read = -1;
}

/* Puts the node records that are only in memory into the file. It need not be on disk: after a loss of power it is made anew
 * with the state. */
static int
job_write_nodes(struct open_job *job, struct error *err)
{
	int fd = file_open(job->dir, "nodes.ndjson.new", O_WRONLY | O_CREAT | O_TRUNC, 0600, err), failed;

	if (fd < 0)
		return error_prefix(err, "job %s", job->id);
	failed = file_write_all(fd, job->nodes.data, job->nodes.length);
	if (close(fd) < 0 || failed || renameat(job->dir, "nodes.ndjson.new", job->dir, "nodes.ndjson") < 0)
		return error_errno(err, EX_IOERR, "job %s: nodes.ndjson", job->id);
	job->state.header->nodes_size = job->nodes.length;
	buffer_clear(&job->nodes);
	job_forget_nodes(job);
	return 0;
}

static int
job_load_plan(struct open_job *job, struct plan_loader *loader, struct error *err)
{
	struct problems problems = {0};
	struct record_reader reader;
	int fd = file_open(job->dir, "plan.ndjson", O_RDONLY, 0, err), result;

	*loader = (struct plan_loader){0};
	if (fd < 0)
		return error_prefix(err, "job %s", job->id);
	record_reader_init(&reader, fd, "plan.ndjson");
	result = plan_loader_read(loader, &reader, -1, &problems, err);
	if (result == 0)
		result = problems_error(&problems, "plan.ndjson", EX_DATAERR, err);
	if (result < 0)
		error_prefix(err, "job %s", job->id);
	problems_release(&problems);
	record_reader_release(&reader);
	close(fd);
	return result;
}

/* The new state takes the place of state. All that was written so far is on disk from here on; or it is known not to be, and that
 * stands in the new state, for whoever comes next. */
static int
job_install(struct open_job *job, struct error *err)
{
	struct state_header *header = job->state.header;
	bool refused_before = header->sync_failed != 0, synced;

	if (job_write_nodes(job, err) < 0)
		return -1;
	synced = file_sync_data(job->events, &header->sync_failed) == 0;
	if (!synced && !refused_before)
		error_errno(err, EX_IOERR, "job %s: events.ndjson could not be brought to disk", job->id);
	if (synced)
		header->synced_seq = header->seq;
	if (synced || header->synced > header->applied)
		header->synced = header->applied;
	state_checksum(&job->state);
	header->dirty = 0;
	if (renameat(job->dir, "state.new", job->dir, "state") < 0)
		return error_errno(err, EX_IOERR, "job %s: state", job->id);
	return synced || refused_before ? 0 : -1;
}

static struct remains
job_look_at_remains(const struct open_job *job)
{
	int fd = openat(job->dir, "state", O_RDONLY | O_CLOEXEC);
	struct state_header header;
	bool usable = fd >= 0 && pread(fd, &header, sizeof header, 0) == sizeof header &&
	    header.version == STATE_VERSION && strncmp(header.boot, job->spool->boot, sizeof header.boot) == 0;

	if (fd >= 0)
		close(fd);
	return usable ? (struct remains){header.synced, header.sync_failed} : (struct remains){0};
}

int
job_rebuild(struct open_job *job, struct error *err)
{
	struct remains remains = job_look_at_remains(job);
	struct plan_loader loader;
	int result = job_load_plan(job, &loader, err);

	state_unmap(&job->state);
	buffer_release(&job->nodes);
	if (result == 0) {
		result = plan_loader_state(&loader, job->writable ? job->dir : -1, "state.new",
		    job->spool->boot, &job->state, err);
		if (result < 0)
			error_prefix(err, "job %s", job->id);
	}
	if (result == 0) {
		job->nodes = loader.node_lines;
		loader.node_lines = (struct buffer){0};
		step_begin_all(&job->state);
		job->state.header->sync_failed = remains.sync_failed;
		job->state.header->synced = remains.synced;
		result = job_replay(job, &remains, err);
	}
	if (result == 0 && job->writable)
		result = job_install(job, err);
	else if (result == 0)
		state_checksum(&job->state); /* in memory: who looks through it finds it whole */
	if (result == 0)
		job->state.header->dirty = 0;
	else
		state_unmap(&job->state);
	plan_loader_release(&loader);
	return result;
}

int
job_begin(struct open_job *job, const struct spool *spool, struct scheduler_table *table, int dir,
    struct plan_loader *loader, struct error *err)
{
	struct stat st;

	*job = (struct open_job){.spool = spool, .table = table, .writable = true, .dir = dir, .lock = -1, .events = -1,
	    .plan = -1, .nodes_read = -1};
	if ((job->lock = file_open(dir, "lock", O_RDWR | O_CREAT | O_EXCL, 0600, err)) < 0 ||
	    (job->events = file_open(dir, "events.ndjson", O_RDWR | O_CREAT | O_EXCL, 0600, err)) < 0)
		return -1;
	/* Nobody else knows the file yet: the lock is free. */
	if (flock(job->lock, LOCK_EX) < 0)
		return error_errno(err, EX_OSERR, "a new job: its lock");
	if (mkdirat(dir, "log", 0700) < 0)
		return error_errno(err, EX_CANTCREAT, "a new job: its folder log");
	job->locked = true;
	if (plan_loader_state(loader, dir, "state", spool->boot, &job->state, err) < 0)
		return -1;
	job->nodes = loader->node_lines;
	loader->node_lines = (struct buffer){0};
	if (job_write_nodes(job, err) < 0)
		return -1;
	if (fstat(job->events, &st) < 0)
		return error_errno(err, EX_IOERR, "events.ndjson");
	job->events_inode = st.st_ino;
	step_begin_all(&job->state);
	state_checksum(&job->state);
	return 0;
}

/* Returns whether state still names the file that is mapped, and nobody was stopped while changing it. */
static bool
job_is_current(const struct open_job *job)
{
	struct stat st;

	return job->state.map && job->writable && !job->state.header->dirty &&
	    fstatat(job->dir, "state", &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_ino == job->state.inode &&
	    (size_t)st.st_size == job->state.size;
}

static int
job_size_of(const struct open_job *job, const char *name, struct stat *st, struct error *err)
{
	if (fstatat(job->dir, name, st, AT_SYMLINK_NOFOLLOW) < 0)
		return error_errno(err, EX_NOINPUT, "job %s: %s", job->id, name);
	return 0;
}

/* events.ndjson may have been replaced (coopr-queue fsck --repair): its descriptor must be of the file that is there. */
static int
job_open_events(struct open_job *job, struct stat *st, struct error *err)
{
	if (job_size_of(job, "events.ndjson", st, err) < 0)
		return -1;
	if (job->events >= 0 && st->st_ino == job->events_inode)
		return 0;
	if (job->events >= 0)
		close(job->events);
	job->events = file_open(job->dir, "events.ndjson", job->writable ? O_RDWR : O_RDONLY, 0, err);
	job->events_inode = st->st_ino;
	return job->events < 0 ? error_prefix(err, "job %s", job->id) : 0;
}

/* Trims nodes.ndjson to the size that the state speaks of: the rest was written by someone who was stopped before its event. */
static bool
job_trim_nodes(const struct open_job *job)
{
	uint64_t wanted = job->state.header->nodes_size;
	struct stat st;
	bool fine;
	int fd;

	if (fstatat(job->dir, "nodes.ndjson", &st, AT_SYMLINK_NOFOLLOW) < 0 || (uint64_t)st.st_size < wanted)
		return false;
	if ((uint64_t)st.st_size == wanted || !job->writable)
		return true;
	fd = openat(job->dir, "nodes.ndjson", O_WRONLY | O_CLOEXEC);
	fine = fd >= 0 && ftruncate(fd, (off_t)wanted) == 0;
	if (fd >= 0)
		close(fd);
	return fine;
}

int
job_recover(struct open_job *job, struct error *err)
{
	struct job_state *state = &job->state;
	struct stat events, plan;
	int mapped = 1;

	if (job_open_events(job, &events, err) < 0)
		return -1;
	if (state->broken || (state->map && job->writable && !state->header->dirty && !state_is_sound(state)))
		return job_rebuild(job, err);
	if (!job_is_current(job)) {
		state_unmap(state);
		job_forget_nodes(job);
		if (job_size_of(job, "plan.ndjson", &plan, err) < 0)
			return -1;
		mapped = state_map(state, job->dir, job->writable, (uint64_t)plan.st_size, job->spool->boot, err);
		if (mapped < 0)
			return error_prefix(err, "job %s", job->id);
	}
	/* Whoever was stopped between writing events and folding them in has left the state dirty; a size that does not fit is
	 * someone else's doing. */
	if (!mapped || (uint64_t)events.st_size != state->header->applied ||
	    state->header->synced > state->header->applied || !job_trim_nodes(job))
		return job_rebuild(job, err);
	return 0;
}
