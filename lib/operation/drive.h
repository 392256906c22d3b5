/* SPDX-License-Identifier: Apache-2.0
 *
 * Seeing a job through: coopr-work does its tasks, coopr-queue wait shows how far they are, and a
 * signal to us is passed on, so that tasks under way end in order and the job can go on later.
 */
#ifndef OPERATION_DRIVE_H
#define OPERATION_DRIVE_H

struct error;
struct folder;

struct drive {
	const char *spool; /* NULL: the usual place */
	long workers;      /* tasks at one time */
	void (*notice)(const char *text); /* the command's: tells a person what is being done, one line */
};

/* Returns 0 when every task of job is done. -1 with EX_NO where the job failed; EX_TEMPFAIL where it is paused;
 * 128 + signal where one came; else the code of the process that could not go on. */
int drive_job(const struct drive *drive, const struct folder *folder, const char *job, struct error *err);

#endif
