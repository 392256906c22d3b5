/* SPDX-License-Identifier: Apache-2.0
 *
 * The job of an operation: its plan, in the operation's folder, becomes a job of the queue, once; the job is seen through,
 * and what came of it is kept in the folder.
 */
#ifndef OPERATION_JOB_H
#define OPERATION_JOB_H

#include "operation/job-runner.h"
#include "queue/queue.h"

struct error;
struct workdir;

struct chain {
	struct job_runner runner;
	const struct workdir *folder; /* the operation's */
	const char *job;
};

/* How the job stands: 1, 0 where the queue does not know it, or -1: EX_CANTCREAT where it knows another one of that name. */
int operation_job_look(const struct chain *chain, struct queue_job *job, struct error *err);

/* Of an operation that is to begin: EX_CANTCREAT where the queue has a job of that name. */
int operation_job_check_new(const struct chain *chain, struct error *err);

/* Puts the plan, unless that was done before. */
int operation_job_put(const struct chain *chain, struct error *err);

/* Tries again what failed, or was not done when the job was cancelled. */
int operation_job_retry(const struct chain *chain, struct error *err);

/* Sees to it that the job does nothing more: cancels it, and waits until nothing of it runs. */
int operation_job_stop(const struct chain *chain, struct error *err);

/* Sees the job through. Where it fails, coopr-queue show says on stderr which tasks did. */
int operation_job_follow(const struct chain *chain, struct error *err);

/* Keeps what coopr-queue show prints with an option, as "--layout", as a member of the folder. */
int operation_job_keep(const struct chain *chain, const char *option, const char *member, struct error *err);

#endif
