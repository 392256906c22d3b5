/* SPDX-License-Identifier: Apache-2.0
 *
 * Has the end of jobs recorded in the store, as soon as a worker has done the last of their tasks, and then hooks notified of it: by
 * two programs, of each of which one runs at a time, since the store and its rules are not a worker's to know, and a hook may take
 * minutes. What fails, or is killed, coopr-reconcile(1) makes up for.
 */
#ifndef WORKER_JOB_END_H
#define WORKER_JOB_END_H

#include <stdbool.h>

#include "base/error.h"
#include "event/supervise.h"

struct job_end_step {
	struct child child;
	char *argv[4];
	bool due, runs;
	char *told; /* what it said the last time that it failed */
};

struct job_end { /* zero-initialise; release it */
	struct job_end_step record, notify;
	struct error trouble; /* code 0, or one of them has failed in another way than the last time; for the caller to take */
};

/* Has it recorded, now or once what is under way has ended. */
void job_end_record(struct job_end *end, struct supervisor *supervisor);

/* Returns whether one of the programs runs. */
bool job_end_runs(const struct job_end *end);

/* Ends the notification of hooks, for whose ends a worker that is to stop does not wait. */
void job_end_stop(struct job_end *end, struct supervisor *supervisor);

/* Returns whether an event is of one of the programs. */
bool job_end_take(struct job_end *end, struct supervisor *supervisor, struct child *child, enum supervise_event event);

void job_end_release(struct job_end *end);

#endif
