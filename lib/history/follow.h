/* SPDX-License-Identifier: Apache-2.0
 *
 * Events as they come, of some jobs or of all: those of a job in their order, each once, also where the job appears, finishes,
 * is moved, is brought back, or goes meanwhile. Nothing is polled: the kernel tells which file was written to.
 */
#ifndef HISTORY_FOLLOW_H
#define HISTORY_FOLLOW_H

#include "model/event.h"
#include "queue/queue.h"

enum { FOLLOW_NOW = -1 }; /* only what happens from here on */

struct follow;

struct follow_event {
	const char *job;
	struct event event;
	const char *line; /* as it stands in events.ndjson, with its newline */
	size_t length;
};

/* Follows jobs (NULL-terminated; none: all there are and will be), from since_ms on (wall clock; 0: from their start). No
 * such job: EX_NO. */
struct follow *follow_open(struct queue *queue, char *const *jobs, int64_t since_ms, struct error *err);

/* Waits for the next event: 1; 0 where all jobs that were named are finished; -1 with a reason. Where nobody reads our
 * stdout any more, that is one: EX_IOERR. The event lives until the next call. */
int follow_next(struct follow *follow, struct follow_event *event, struct error *err);

/* Whether follow_next waits for what is yet to come (it does, unless told otherwise), or says 0 there. */
void follow_set_patient(struct follow *follow, bool patient);

void follow_close(struct follow *follow); /* NULL is fine */

#endif
