/* SPDX-License-Identifier: Apache-2.0
 *
 * A job is made in tmp/, brought to disk, and renamed into jobs/: at that instant it is there. Killed before, it never
 * was; what it left in tmp/ is swept by age.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "json/record.h"
#include "queue/job/id.h"
#include "queue/job/plan-loader.h"
#include "queue/spool/engine.h"
#include "queue/spool/job-recover.h"
#include "queue/spool/local.h"

struct arrival { /* a job on its way in */
	struct spool_queue *queue;
	const struct queue_put *options;
	struct plan_loader loader;
	char folder[64]; /* in tmp/ */
	int dir, plan;
	struct open_job job;
	uint64_t order;
};

static int
put_make_folder(struct arrival *arrival, struct error *err)
{
	const struct spool *spool = &arrival->queue->spool;
	unsigned tries = 0;
	int made;

	do {
		snprintf(arrival->folder, sizeof arrival->folder, "put.%d.%u", (int)getpid(), tries++);
		made = mkdirat(spool->tmp, arrival->folder, 0700);
	} while (made < 0 && errno == EEXIST);
	if (made < 0) {
		error_errno(err, EX_CANTCREAT, "%s/tmp/%s", spool->path, arrival->folder);
		arrival->folder[0] = '\0';
		return -1;
	}
	arrival->dir = openat(spool->tmp, arrival->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (arrival->dir < 0)
		return error_errno(err, EX_CANTCREAT, "%s/tmp/%s", spool->path, arrival->folder);
	arrival->plan = file_open(arrival->dir, "plan.ndjson", O_RDWR | O_CREAT | O_EXCL, 0600, err);
	return arrival->plan < 0 ? -1 : 0;
}

/* Reads the plan, and copies it to the descriptor out (-1: nowhere). */
static int
put_read_plan(struct record_reader *reader, int out, struct plan_loader *loader, struct problems *problems,
    struct error *err)
{
	if (plan_loader_read(loader, reader, out, problems, err) < 0)
		return -1;
	if (problems->total > 0)
		return error_set(err, EX_DATAERR, "%s: the plan cannot be put", reader->name);
	return 0;
}

static bool
put_is_there(const struct spool *spool, const char *job)
{
	/* In this order: a job that moves meanwhile is seen in one of them. */
	return file_exists(spool->jobs, job) || file_exists(spool->done, job);
}

/* Raises the cluster's number to that of a job whose id was given, where it is CLUSTER-NUMBER. */
static int
put_raise_number(const struct spool *spool, int numbers, const char *job, const char *cluster, struct error *err)
{
	unsigned long number, last;

	if (!spool_is_numbered(job, cluster, &number))
		return 0;
	if (spool_number(spool, cluster, numbers, &last, err) < 0)
		return -1;
	return number > last ? spool_set_number(spool, cluster, numbers, number, err) : 0;
}

/* The job's id, with the cluster's numbers locked: the one wanted, or the next. */
static int
put_name_job(const struct arrival *arrival, int numbers, char job[QUEUE_ID_SIZE], struct error *err)
{
	const struct spool *spool = &arrival->queue->spool;
	const struct job *plan = &arrival->loader.job;
	const char *wanted = arrival->options->job ? arrival->options->job : plan->id;
	unsigned long number;

	if (wanted) {
		snprintf(job, QUEUE_ID_SIZE, "%s", wanted);
		if (put_is_there(spool, job))
			return error_set(err, EX_CANTCREAT, "job %s: it is there already", job);
		return put_raise_number(spool, numbers, job, plan->cluster, err);
	}
	if (spool_number(spool, plan->cluster, numbers, &number, err) < 0)
		return -1;
	do {
		int length = snprintf(job, QUEUE_ID_SIZE, "%s-%03lu", plan->cluster, ++number);

		if (length >= QUEUE_ID_SIZE)
			return error_set(err, EX_DATAERR, "cluster %s: its id is too long to name a job after", plan->cluster);
	} while (put_is_there(spool, job));
	return spool_set_number(spool, plan->cluster, numbers, number, err);
}

/* Records the first events, and brings all of it to disk, from the inside out; the state and the list of nodes can be made again
 * from the rest. */
static int
put_write(struct arrival *arrival, struct error *err)
{
	struct open_job *job = &arrival->job;
	struct state_header *header = job->state.header;
	const struct job *plan = &arrival->loader.job;
	const char *user = engine_user(arrival->queue);
	struct event put = {.kind = EVENT_PUT, .by = user, .boot = arrival->queue->spool.boot, .job = job->id,
	    .cluster = plan->cluster, .tenant = plan->tenant, .provider = arrival->loader.provider, .order = arrival->order,
	    .backoff_ms = arrival->options->backoff_ms};
	struct event pause = {.kind = EVENT_PAUSE, .by = user};
	char sum[JOB_SUM_SIZE];

	if (job_sum_plan(arrival->plan, sum, err) < 0)
		return -1;
	put.plan_sum = sum;
	if (job_record(job, &put, err) < 0 || (arrival->options->paused && job_record(job, &pause, err) < 0) ||
	    job_commit(job, err) < 0)
		return -1;
	if (fsync(job->events) < 0 || fsync(arrival->dir) < 0)
		return error_errno(err, EX_IOERR, "job %s", job->id);
	header->synced = header->applied;
	header->synced_seq = header->seq;
	return 0;
}

/* Renames the folder into jobs/. Where that cannot be brought to disk the job, which is still locked, is taken out again: nobody
 * may take from a job that was refused. */
static int
put_move_in(struct arrival *arrival, struct error *err)
{
	const struct spool *spool = &arrival->queue->spool;
	const char *id = arrival->job.id;

	if (spool_move(spool->tmp, arrival->folder, spool->jobs, id) < 0)
		return error_errno(err, EX_IOERR, "job %s", id);
	if (fsync(spool->jobs) == 0) {
		arrival->folder[0] = '\0';
		return 0;
	}
	error_errno(err, EX_IOERR, "job %s", id);
	if (spool_move(spool->jobs, id, spool->tmp, arrival->folder) == 0)
		return -1;
	arrival->folder[0] = '\0';
	return error_prefix(err, "the job stands in the spool and may be lost with the power; see coopr-queue cancel %s", id);
}

/* With the cluster's numbers locked. The slot on the scheduler's table comes first: a folder in jobs/ is never without one. */
static int
put_enter(struct arrival *arrival, int numbers, struct error *err)
{
	struct spool_queue *queue = arrival->queue;
	const struct job *plan = &arrival->loader.job;
	struct open_job *job = &arrival->job;
	const struct scheduler_job slot = {job->id, plan->cluster, plan->tenant, arrival->loader.provider};
	struct error ignored;

	if (put_name_job(arrival, numbers, job->id, err) < 0 ||
	    scheduler_add(&queue->table, &slot, &arrival->order, err) < 0)
		return -1;
	if (put_write(arrival, err) < 0 || put_move_in(arrival, err) < 0) {
		scheduler_remove(&queue->table, job->id, &ignored);
		return -1;
	}
	/* A table that was made anew meanwhile did not know of the job. */
	return job_slot(job) ? 0 : scheduler_add(&queue->table, &slot, &arrival->order, err);
}

static int
put_put(struct arrival *arrival, struct record_reader *reader, struct problems *problems, struct error *err)
{
	struct spool_queue *queue = arrival->queue;
	int numbers, result;

	if (put_make_folder(arrival, err) < 0 || put_read_plan(reader, arrival->plan, &arrival->loader, problems, err) < 0)
		return -1;
	if (fsync(arrival->plan) < 0)
		return error_errno(err, EX_IOERR, "plan.ndjson");
	result = job_begin(&arrival->job, &queue->spool, &queue->table, arrival->dir, &arrival->loader, err);
	arrival->dir = arrival->job.dir;
	if (result < 0)
		return -1;
	numbers = spool_lock_cluster(&queue->spool, arrival->loader.job.cluster, true, err);
	if (numbers < 0)
		return -1;
	result = put_enter(arrival, numbers, err);
	close(numbers);
	return result;
}

static void
put_clean_up(struct arrival *arrival)
{
	struct error ignored;

	if (arrival->job.locked)
		job_unlock(&arrival->job);
	if (arrival->job.dir >= 0)
		job_close(&arrival->job);
	else if (arrival->dir >= 0)
		close(arrival->dir);
	if (arrival->plan >= 0)
		close(arrival->plan);
	if (arrival->folder[0])
		file_remove_tree(arrival->queue->spool.tmp, arrival->folder, &ignored);
	plan_loader_release(&arrival->loader);
}

int
put_check(struct record_reader *plan, struct problems *problems, struct error *err)
{
	struct plan_loader loader = {0};
	int result = put_read_plan(plan, -1, &loader, problems, err);

	plan_loader_release(&loader);
	return result;
}

int
put_job(struct queue *base, struct record_reader *plan, const struct queue_put *options, char id[QUEUE_ID_SIZE],
    struct problems *problems, struct error *err)
{
	struct spool_queue *queue = spool_queue_of(base);
	struct arrival arrival = {.queue = queue, .options = options, .dir = -1, .plan = -1, .job = {.dir = -1, .plan = -1,
	    .nodes_read = -1}};
	int result;

	id[0] = '\0';
	if (options->job && !id_is_valid(options->job))
		return error_set(err, EX_USAGE,
		    "\"%s\" cannot be the id of a job: at most %d of A-Z a-z 0-9 _ . -, no \".\" at the start",
		    options->job, QUEUE_ID_SIZE - 1);
	if (engine_check_writable(queue, err) < 0)
		return -1;
	result = put_put(&arrival, plan, problems, err);
	if (result == 0) {
		snprintf(id, QUEUE_ID_SIZE, "%s", arrival.job.id);
		job_unlock(&arrival.job);
		/* An empty plan is finished as it comes. */
		if (arrival.job.state.header->finished)
			result = job_retire(&arrival.job, err);
		spool_notify(&queue->spool);
	}
	put_clean_up(&arrival);
	return result;
}
