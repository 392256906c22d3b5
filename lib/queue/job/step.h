/* SPDX-License-Identifier: Apache-2.0
 *
 * What can happen to the steps of a job: each function is one row of the table of states in coopr-spool(5), and keeps
 * the heaps, lists and counts of the state in line. The caller has checked that the step is where the row begins.
 */
#ifndef QUEUE_JOB_STEP_H
#define QUEUE_JOB_STEP_H

#include "queue/job/state.h"

/* Returns the action that the step stands for now: its own, or one of its undo. */
enum action step_action(struct job_state *state, uint32_t step);

/* The link to the step of highest rank among those that are first on their idle nodes and stand for one of these actions (bits; 0: any);
 * 0 where there is none. */
uint32_t step_first(struct job_state *state, unsigned actions);

/* Before the first event: what waits for nothing is ready. */
void step_begin_all(struct job_state *state);

/* Ready or delayed -> running: held by a worker (id_hash), or on a lease until until_ms (boot time). */
void step_start(struct job_state *state, uint32_t step, int64_t attempt, uint64_t worker, int64_t until_ms);

/* Running -> done, and what waited for it alone is ready; or, in its undo, ready for the next action. */
void step_done(struct job_state *state, uint32_t step);

enum step_failure { STEP_FAILURE, STEP_SETBACK, STEP_LOSS }; /* an attempt failed, for the time being, or was lost */

/* Running -> delayed until due_ms (boot time; 0: ready). since_ms (boot time): of a setback the first in a row, else 0. */
void step_retry(struct job_state *state, uint32_t step, enum step_failure failure, int64_t due_ms, int64_t since_ms);

/* Running -> delayed or ready, for the first action of its undo. */
void step_undo(struct job_state *state, uint32_t step, int64_t due_ms);

/* Running -> failed. */
void step_fail(struct job_state *state, uint32_t step, enum step_failure failure);

/* Failed or delayed -> ready, all its attempts before it. */
void step_afresh(struct job_state *state, uint32_t step);

/* Blocked, ready, delayed or failed -> skipped, and what waited for it alone is ready. */
void step_skip(struct job_state *state, uint32_t step);

/* Delayed -> ready, for all whose time has come by now_ms. */
void step_due(struct job_state *state, int64_t now_ms);

#endif
