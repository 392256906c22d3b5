/* SPDX-License-Identifier: Apache-2.0
 *
 * Brings what the queue knows of an operation's job to the store. Anybody may do it, at any time, any number of times:
 * an operation that has ended stays ended, and one that was interrupted between the store and the queue is resumed.
 */
#ifndef OPERATION_FINISH_OPERATION_H
#define OPERATION_FINISH_OPERATION_H

struct error;
struct operation_context;

/* Finishes the operation that runs on the context's cluster, if there is one; puts its plan if that is not in the queue yet. Returns
 * 1 while its job is running, 0 once it has ended, or -1. */
int finish_cluster(struct operation_context *context, struct error *err);

#endif
