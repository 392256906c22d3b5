/* SPDX-License-Identifier: Apache-2.0
 *
 * The job of an operation: its plan, in the operation's folder, becomes a job of the queue, once; the job is followed to its
 * end, and its results are copied to the folder.
 */
#ifndef OPERATION_JOB_H
#define OPERATION_JOB_H

#include "operation/job-runner.h"
#include "queue/queue.h"

struct error;
struct workdir;

struct operation_job {
	struct job_runner runner;
	const struct workdir *workdir; /* the operation's; NULL for operation_job_stop and operation_job_is_over alone */
	const char *id;
};

/* Returns the spool of a runner's jobs, as a path that holds everywhere, which the caller frees. */
char *operation_job_spool(const struct job_runner *runner);

/* Reads the state of the job: 1, 0 where the queue does not know it, or -1, with EX_CANTCREAT where the queue has another
 * job of that name. */
int operation_job_look(const struct operation_job *job, struct queue_job *state, struct error *err);

/* Fails with EX_CANTCREAT where the queue has a job of that name before the operation has begun. */
int operation_job_check_new(const struct operation_job *job, struct error *err);

/* Returns whether the job waits and no live worker takes its tasks; false, too, where that cannot be found out. */
bool operation_job_is_abandoned(const struct operation_job *job);

/* Returns whether the job has finished; false, too, where that cannot be found out. */
bool operation_job_is_over(const struct operation_job *job);

/* Puts the plan, unless that was done before. */
int operation_job_put(const struct operation_job *job, struct error *err);

/* Retries the tasks that failed, or were not done when the job was cancelled. */
int operation_job_retry(const struct operation_job *job, struct error *err);

/* Cancels the job, and waits until none of its tasks runs. */
int operation_job_stop(const struct operation_job *job, struct error *err);

/* Runs the job to its end. Where it fails, coopr-queue show tells on stderr which tasks did. */
int operation_job_follow(const struct operation_job *job, struct error *err);

/* Writes what coopr-queue show prints with an option, as "--layout", to a member of the folder. */
int operation_job_copy(const struct operation_job *job, const char *option, const char *member, struct error *err);

#endif
