/* SPDX-License-Identifier: Apache-2.0
 *
 * The errors of an operation that cannot begin on a cluster because another came first: what that is, and what can be done
 * about it.
 */
#ifndef OPERATION_BUSY_ERROR_H
#define OPERATION_BUSY_ERROR_H

struct error;
struct operation;
struct operation_context;

/* Fails with EX_TEMPFAIL: that operation is running, but no command on this machine follows it. */
int busy_error(const struct operation_context *context, const struct operation *operation, struct error *err);

/* Fails with EX_TEMPFAIL: another command has the cluster's folder, as err says already; adds its job where the store knows
 * one. */
int busy_error_locked(struct operation_context *context, struct error *err);

/* Fails with EX_NO: the cluster that was to be created exists. */
int busy_error_exists(const struct operation_context *context, struct error *err);

#endif
