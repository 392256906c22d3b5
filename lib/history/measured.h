/* SPDX-License-Identifier: Apache-2.0
 *
 * What was measured here of how long tasks take, for the next plan.
 */
#ifndef HISTORY_MEASURED_H
#define HISTORY_MEASURED_H

struct buffer;
struct error;
struct queue;

/* Appends the expectation records of the newest jobs of the queue, and of those that are gone. */
int measured_expectations(struct queue *queue, struct buffer *out, struct error *err);

#endif
