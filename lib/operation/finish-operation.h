/* SPDX-License-Identifier: Apache-2.0
 *
 * Brings what the queue knows of an operation's job to the store. It may be done by anybody, at any time, any number of
 * times: what was settled stays so, and what was interrupted between the store and the queue goes on.
 */
#ifndef OPERATION_FINISH_OPERATION_H
#define OPERATION_FINISH_OPERATION_H

struct error;
struct operation;
struct operation_context;

/* Settles the site's last operation, with the site's operation folder open on it. A plan that is not in the queue yet is put. 1 where
 * its job is under way still, 0 where it is over, -1. */
int finish_operation(struct operation_context *context, const struct operation *operation, struct error *err);

/* Settles what the site's cluster has under way, if anything. As above. */
int finish_cluster(struct operation_context *context, struct error *err);

#endif
