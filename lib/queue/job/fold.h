/* SPDX-License-Identifier: Apache-2.0
 *
 * What each event does to a state: the one place where states change, for events that just happen and for those read
 * back alike. coopr-spool(5) has the table of states.
 */
#ifndef QUEUE_JOB_FOLD_H
#define QUEUE_JOB_FOLD_H

#include "model/event.h"
#include "queue/job/state.h"

struct error;

/* Applies an event whose line starts at offset in events.ndjson. An event that cannot follow on those before changes nothing
 * and is EX_DATAERR. */
int fold(struct job_state *state, const struct event *event, uint64_t offset, struct error *err);

/* Returns whether nothing can happen any more by itself. */
bool fold_is_over(const struct job_state *state);

/* Returns the status that a job which is over has ended with. */
enum queue_status fold_outcome(const struct job_state *state);

#endif
