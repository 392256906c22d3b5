/* SPDX-License-Identifier: Apache-2.0
 *
 * What follows when an attempt did not succeed; coopr-queue(1) tells the rules.
 */
#ifndef QUEUE_JOB_POLICY_H
#define QUEUE_JOB_POLICY_H

#include "model/event.h"
#include "queue/job/state.h"

enum {
	POLICY_LOSSES_MAX = 20,          /* times that a task may be lost */
	POLICY_TEMPORARY_MAX_MS = 15000, /* between two attempts of a task that fails for the time being */
};

/* Fills next, ready_ms and since_ms of a fail (its status is set) or a lost of a running step. */
void policy_decide(struct job_state *state, uint32_t step, struct event *event, int64_t now_ms);

/* The same, where chance (0 to UINT32_MAX) was drawn by the caller. */
void policy_decide_by(struct job_state *state, uint32_t step, struct event *event, int64_t now_ms, uint32_t chance);

#endif
