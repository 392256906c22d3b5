/* SPDX-License-Identifier: Apache-2.0
 *
 * Seeing a job through: coopr-work does its tasks, coopr-queue wait shows how far they are, and a
 * signal to us is passed on, so that tasks under way end in order and the job can go on later.
 */
#ifndef OPERATION_JOB_RUNNER_H
#define OPERATION_JOB_RUNNER_H

struct error;
struct workdir;

struct job_runner {
	const char *spool; /* NULL: the usual place */
	long workers;      /* tasks at one time */
	void (*notice)(const char *text); /* the command's: tells a person what is being done, one line */
};

/* Returns 0 when every task of job is done. -1 with EX_NO where the job failed; EX_TEMPFAIL where it is paused;
 * 128 + signal where one came; else the code of the process that could not go on. */
int job_runner_run(const struct job_runner *runner, const struct workdir *folder, const char *job, struct error *err);

#endif
