/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs a job to its end: coopr-work does its tasks, coopr-queue wait shows its progress, and a signal to us is passed on, so
 * that running tasks end in order and the job can be resumed later.
 */
#ifndef OPERATION_JOB_RUNNER_H
#define OPERATION_JOB_RUNNER_H

#include <stdbool.h>

struct error;
struct workdir;

struct job_runner {
	const char *spool; /* NULL: the usual place */
	long workers;      /* tasks in parallel */
	void (*notice)(const char *text); /* the command's: tells a person one line */
	bool quiet;        /* no progress is shown */
};

/* Returns 0 when every task of the job is done. Fails with EX_NO where the job failed; EX_TEMPFAIL where it is paused; 128 +
 * signal where one came; else with the code of the process that failed. */
int job_runner_run(const struct job_runner *runner, const struct workdir *workdir, const char *job, struct error *err);

#endif
