/* SPDX-License-Identifier: Apache-2.0
 *
 * Carries out an operation that coopr reconcile has decided on.
 */
#ifndef RECONCILE_REPAIR_UNDERTAKE_H
#define RECONCILE_REPAIR_UNDERTAKE_H

#include <stddef.h>

struct drift_list;
struct error;
struct operation_options;
struct operation_request;

/* Carries out the request on a cluster of that tenant, or retries the last operation if the request has no action; returns
 * the job, which the caller frees. NULL where it failed (worst), or the cluster is busy; then *why says so, which may be NULL. */
char *repair_undertake(const struct operation_options *options, const char *tenant, const struct operation_request *request,
    int *worst, struct error *why);

/* Does the same, and gives no notice of a failure: NULL with the reason in err. */
char *repair_attempt(const struct operation_options *options, const char *tenant, const struct operation_request *request,
    struct error *err);

/* Notes of the drift from first to end which job repairs it, or (NULL) why there is none. */
void repair_tell(struct drift_list *drift, size_t first, size_t end, const char *job, const struct error *why);

#endif
