/* SPDX-License-Identifier: Apache-2.0
 *
 * What is next, in the arrays of a state. Each node keeps its own ready steps in a leftist heap; the nodes that
 * have one and are idle stand in a heap by the rank of their best step, so that one task of a node runs at a time and no
 * busy node is ever looked at. A second heap, timers, holds the steps that wait for a time. Every operation costs
 * O(log n).
 */
#ifndef QUEUE_JOB_READY_H
#define QUEUE_JOB_READY_H

#include "queue/job/state.h"

/* Puts a step among the ready ones of its node. */
void ready_add(struct job_state *state, uint32_t step);

/* The link to the ready step of highest rank on an idle node, 0 where there is none. */
uint32_t ready_first(struct job_state *state);

/* Takes a step that is the best of its node out. */
void ready_remove(struct job_state *state, uint32_t step);

/* Takes any ready step out; costs as much as its node has ready ones. */
void ready_drop(struct job_state *state, uint32_t step);

/* A busy node offers nothing. */
void ready_set_busy(struct job_state *state, uint32_t node, bool busy);

/* Timers: a step stands in at most once, by its due_ms. */
void timer_add(struct job_state *state, uint32_t step);
void timer_remove(struct job_state *state, uint32_t step); /* fine where it is not in */
uint32_t timer_first(struct job_state *state); /* link; 0: none */

#endif
