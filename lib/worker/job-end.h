/* SPDX-License-Identifier: Apache-2.0
 *
 * Has the end of jobs recorded in the store, as soon as a worker has done the last of their tasks: by a program, of which one runs
 * at a time, since the store and its rules are not a worker's to know. If it fails, or is killed, coopr-reconcile(1) makes up for it.
 */
#ifndef WORKER_JOB_END_H
#define WORKER_JOB_END_H

#include <stdbool.h>

#include "event/supervise.h"

struct error;

struct job_end { /* zero-initialise; release it */
	struct child child;
	char *argv[4];
	bool due, runs;
	char *told; /* what it said the last time that it failed */
};

/* Has it run, now or once the one that runs has ended. */
void job_end_record(struct job_end *end, struct supervisor *supervisor);

/* Returns whether an event is of its program. why is filled where that has failed in another way than the last time. */
bool job_end_take(struct job_end *end, struct supervisor *supervisor, struct child *child, enum supervise_event event,
    struct error *why);

void job_end_release(struct job_end *end);

#endif
