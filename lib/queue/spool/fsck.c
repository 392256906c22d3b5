/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/spool/fsck.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/process.h"
#include "queue/job/id.h"
#include "queue/spool/limits.h"
#include "queue/spool/local.h"
#include "queue/spool/reap.h"

/* Lists the ids in a folder of the spool. What is no id is a finding. */
static int
fsck_list_ids(struct fsck *fsck, int folder, const char *name, struct arguments *ids, struct error *err)
{
	DIR *stream = spool_list(folder);
	const struct dirent *entry;

	if (!stream)
		return error_errno(err, EX_IOERR, "%s/%s", fsck->queue->spool.path, name);
	while ((entry = readdir(stream)))
		if (id_is_valid(entry->d_name))
			arguments_push(ids, entry->d_name);
		else if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			fsck_found(fsck, false, "%s/%s: unexpected file", name, entry->d_name);
	closedir(stream);
	return 0;
}

/* The next job of the cluster must not get the id of one that is there. */
static int
fsck_check_number(struct fsck *fsck, const char *job, struct error *err)
{
	const struct spool *spool = &fsck->queue->spool;
	struct queue_job found;
	const char *cluster = found.cluster;
	unsigned long number, last = 0;
	struct error ignored; /* what is wrong with the job itself was found before */
	int fd, result;
	bool repaired;

	if (status_job(&fsck->queue->base, job, &found, &ignored) < 0 || !spool_is_numbered(job, cluster, &number) ||
	    !file_exists(spool->numbers, cluster))
		return 0;
	fd = fsck->repair ? spool_lock_cluster(spool, cluster, true, err)
	                  : file_open(spool->numbers, cluster, O_RDONLY, 0, err);
	if (fd < 0)
		return -1;
	result = spool_number(spool, cluster, fd, &last, err);
	if (result == 0 && last < number) {
		repaired = fsck->repair && spool_set_number(spool, cluster, fd, number, err) == 0;
		fsck_found(fsck, repaired, "numbers/%s: is %lu, but job %s exists", cluster, last, job);
	}
	close(fd);
	return result;
}

/* Without its slot on the scheduler's table a job is never taken from. The table itself stays: whoever puts a job at this moment
 * has its slot there already. */
static void
fsck_check_slot(struct fsck *fsck, const char *id)
{
	struct spool_queue *queue = fsck->queue;
	struct open_job *job;
	struct error err;
	bool repaired;

	if (!queue->table.header || scheduler_find(&queue->table, id, 0) || !file_exists(queue->spool.jobs, id))
		return;
	job = fsck->repair ? engine_lock(queue, id, &err) : NULL;
	repaired = job && engine_add_slot(queue, job, &err) == 0;
	if (job)
		job_unlock(job);
	fsck_found(fsck, repaired, "board: job %s is missing", id);
}

/* Nothing can be taken as long as the limits cannot be read. Set aside, they limit nothing. */
static void
fsck_check_limits(struct fsck *fsck)
{
	const struct spool *spool = &fsck->queue->spool;
	struct error why, err;
	bool repaired;

	if (limits_check(fsck->queue, &why) == 0)
		return;
	repaired = fsck->repair && renameat(spool->root, "limits.json", spool->root, "limits.damaged") == 0 &&
	    limits_check(fsck->queue, &err) == 0;
	if (repaired)
		spool_notify(spool);
	fsck_found(fsck, repaired, "%s; nothing can be taken (--repair sets it aside as limits.damaged: then nothing is limited)",
	    why.text);
}

/* A job that was removed by hand stands in the way of its cluster's others as long as its slot does. What a put that was
 * stopped has left offers something still, or is busy: it goes by itself. */
static void
fsck_check_folder(struct fsck *fsck, uint32_t link)
{
	struct spool_queue *queue = fsck->queue;
	const struct scheduler_slot *slot = scheduler_slot(&queue->table, link);
	char job[QUEUE_ID_SIZE];
	struct error err;

	if (!slot->used || slot->busy || (slot->offers && !slot->closed))
		return;
	snprintf(job, sizeof job, "%.*s", QUEUE_ID_SIZE - 1, slot->job);
	/* A job that moves meanwhile is seen in one of them; a put that goes on locks the numbers of the cluster. */
	if (file_exists(queue->spool.jobs, job) || file_exists(queue->spool.done, job) ||
	    file_exists(queue->spool.jobs, job) || scheduler_find(&queue->table, job, link) != link)
		return;
	fsck_found(fsck, fsck->repair && reap_missing(queue, job, link, &err) == 0,
	    "board: job %s has no folder", job);
}

/* Damage to one job does not keep the others from being checked. */
static void
fsck_check_jobs(struct fsck *fsck, const struct arguments *jobs)
{
	struct error err;

	for (size_t i = 0; i < jobs->count; i++) {
		if ((fsck_job(fsck, jobs->list[i], &err) < 0 && err.code != EX_NO) ||
		    fsck_check_number(fsck, jobs->list[i], &err) < 0)
			fsck_found(fsck, false, "%s", err.text);
		fsck_check_slot(fsck, jobs->list[i]);
	}
}

static int
fsck_spool(struct fsck *fsck, struct error *err)
{
	const struct spool *spool = &fsck->queue->spool;
	struct arguments jobs = {0}, done = {0};
	int result = 0;

	if (fsck_list_ids(fsck, spool->jobs, "jobs", &jobs, err) < 0 || fsck_list_ids(fsck, spool->done, "done", &done,
	    err) < 0)
		result = -1;
	if (result == 0) {
		fsck_check_limits(fsck);
		fsck_check_jobs(fsck, &jobs);
		fsck_check_jobs(fsck, &done);
		for (uint32_t link = 1; fsck->queue->table.header && link <= scheduler_count(&fsck->queue->table); link++)
			fsck_check_folder(fsck, link);
	}
	arguments_release(&jobs);
	arguments_release(&done);
	return result;
}

int
fsck_check(struct queue *queue, const char *job, struct queue_check *check, struct error *err)
{
	struct fsck fsck = {spool_queue_of(queue), check->repair, check};

	return job ? fsck_job(&fsck, job, err) : fsck_spool(&fsck, err);
}
