/* SPDX-License-Identifier: Apache-2.0
 *
 * The errors of an operation that cannot begin on a cluster because another came first: what that is, and what can be done
 * about it; and waiting until it has ended, --wait.
 */
#ifndef OPERATION_BUSY_ERROR_H
#define OPERATION_BUSY_ERROR_H

#include <stdbool.h>
#include <stdint.h>

struct error;
struct operation;
struct operation_context;
struct operation_options;

/* Fails with EX_TEMPFAIL: that operation is running, but no command on this machine follows it. */
int busy_error(const struct operation_context *context, const struct operation *operation, struct error *err);

/* Fails with EX_TEMPFAIL: another command has the cluster's folder. Names its process, where that is visible, and its job, where
 * the store knows one. Where no job is at work, so that one is prepared, or its end is recorded, it is passing. */
int busy_error_locked(struct operation_context *context, struct error *err);

/* Fails with EX_NO: the cluster that was to be created exists. */
int busy_error_exists(const struct operation_context *context, struct error *err);

struct busy_wait { /* zero-initialise */
	int64_t since_ms; /* of the monotonic clock; 0: it has not waited yet */
};

/* Waits a moment where the error is that the cluster is busy (EX_TEMPFAIL) and the options ask for that; what is waited for is
 * told once. What is passing is waited for in any case, for some seconds. Returns whether to try again; else err is the command's, which also says when the time is over. */
bool busy_error_wait(struct busy_wait *wait, const struct operation_options *options, struct error *err);

#endif
