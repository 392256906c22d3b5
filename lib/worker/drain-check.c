/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/drain-check.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/names.h"
#include "queue/read.h"

int
drain_check(struct queue *queue, const char *job, struct error *err)
{
	struct queue_job *list, one;
	size_t count;
	int drained = 1, failed;

	if (job) {
		if (queue_status_of(queue, job, &one, err) < 0)
			return -1;
		return queue_is_finished(one.status) || one.status == QUEUE_PAUSED;
	}
	/* A damaged job is not waited for, and is the end only where no other can go on. */
	failed = queue_list(queue, false, &list, &count, err);
	for (size_t i = 0; i < count; i++)
		if (list[i].status != QUEUE_PAUSED && list[i].status != QUEUE_WAITING && !queue_is_finished(list[i].status) &&
		    list[i].ready + list[i].delayed + list[i].running > 0)
			drained = 0;
	free(list);
	return drained && failed ? -1 : drained;
}

static long
drain_check_remaining_of(const struct queue_job *job)
{
	return queue_is_finished(job->status) ? 0 : (long)(job->tasks - job->done - job->failed);
}

long
drain_check_remaining(struct queue *queue, const char *job, struct error *err)
{
	struct queue_job *list, one;
	size_t count;
	long sum = 0;
	int failed;

	if (job)
		return queue_status_of(queue, job, &one, err) < 0 ? -1 : drain_check_remaining_of(&one);
	failed = queue_list(queue, false, &list, &count, err);
	for (size_t i = 0; i < count; i++)
		sum += drain_check_remaining_of(&list[i]);
	free(list);
	return failed && count == 0 ? -1 : sum;
}

bool
drain_check_has_failed(struct queue *queue, const struct names *jobs)
{
	struct queue_job job;
	struct error ignored;

	for (size_t i = 0; i < jobs->count; i++)
		if (queue_status_of(queue, jobs->list[i], &job, &ignored) == 0 && job.status == QUEUE_FAILED)
			return true;
	return false;
}
