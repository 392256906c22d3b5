/* SPDX-License-Identifier: Apache-2.0
 *
 * What time and death bring about: retries that are due, leases that ran out, tasks of workers that are gone or of
 * another boot, slots on the scheduler's table whose job never came.
 */
#ifndef QUEUE_SPOOL_REAP_H
#define QUEUE_SPOOL_REAP_H

#include "queue/spool/engine.h"

enum {
	REAP_BUSY_MS = 1000, /* who finds work looks for the dead so often */
	REAP_IDLE_MS = 100,  /* ... and who finds none */
};

/* Records, under the lock, what has happened to a job by now_ms (boot time). */
int reap_job(struct open_job *job, int64_t now_ms, struct error *err);

/* All jobs; -1 with the first reason where one is damaged, after all others. */
int reap_spool(struct spool_queue *queue, struct error *err);

/* Clears the slot of a job whose folder is not in jobs/, unless someone is about to bring it there. */
int reap_missing(struct spool_queue *queue, const char *id, uint32_t link, struct error *err);

/* The same of a job that somebody has removed while something of it was to be done: those of its cluster wait for it. */
int reap_gone(struct spool_queue *queue, const char *id, struct error *err);

/* Makes what worker holds, in all jobs, ready again; a damaged one as above. */
int reap_worker(struct spool_queue *queue, const char *worker, const char *reason, struct error *err);

#endif
