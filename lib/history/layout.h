/* SPDX-License-Identifier: Apache-2.0
 *
 * The layout that a cluster has by now, as the next plan wants it.
 */
#ifndef HISTORY_LAYOUT_H
#define HISTORY_LAYOUT_H

struct buffer;
struct error;
struct queue;

/* Appends the records of the cluster of a job and of its nodes. */
int layout_now(struct queue *queue, const char *job, struct buffer *out, struct error *err);

#endif
