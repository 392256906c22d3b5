/* SPDX-License-Identifier: Apache-2.0
 *
 * Why an operation cannot begin on a cluster that somebody has before us: what they do, and what can be done about it.
 */
#ifndef OPERATION_BUSY_ERROR_H
#define OPERATION_BUSY_ERROR_H

struct error;
struct operation;
struct operation_context;

/* EX_TEMPFAIL: that operation is under way, and of this machine's commands none sees it through. */
int busy_error(const struct operation_context *context, const struct operation *operation, struct error *err);

/* EX_TEMPFAIL: somebody has the cluster's folder, as err says already. What for is added where the store knows. */
int busy_error_locked(struct operation_context *context, struct error *err);

/* EX_NO: what was to be made is there. */
int busy_error_exists(const struct operation_context *context, struct error *err);

#endif
