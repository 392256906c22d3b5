/* SPDX-License-Identifier: Apache-2.0
 *
 * Limits of repairs: nothing is repaired where so much is gone at once that the report itself is more likely wrong, and
 * what was repaired again and again has to wait.
 */
#ifndef RECONCILE_REPAIR_LIMITS_H
#define RECONCILE_REPAIR_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct account;
struct cluster_record;
struct error;
struct reconcile_scope;

#define REPAIR_LIMITS_MARK "reconcile: " /* how the why of each of its operations begins */

struct repair_limits {
	struct account *account;
	const struct reconcile_scope *scope;
	const char *max_gone; /* of model/unavailable.h */
};

/* Checks whether so many of the cluster's machines, and so many of its provider's, may be replaced: 0, or -1 with
 * EX_TEMPFAIL. */
int repair_limits_on_share(const struct repair_limits *limits, const struct cluster_record *cluster, size_t count,
    size_t of_provider, struct error *err);

/* Checks whether the provider of the cluster may be asked for machines, see worker/identity.h. Returns as above, with EX_CONFIG. */
int repair_limits_on_identity(const struct repair_limits *limits, const struct cluster_record *cluster, struct error *err);

/* Checks whether so many orphaned machines of a provider may be deleted. Returns as above. */
int repair_limits_on_orphaned(const struct repair_limits *limits, const char *provider, size_t count, struct error *err);

/* Checks whether the node may be replaced (service ""), or the service on it started, so soon again: what was repaired three times in a
 * row has to wait longer and longer, and what failed as long as it took. Another node, and another service, need not. Returns as
 * above. */
int repair_limits_on_haste(const struct repair_limits *limits, const struct cluster_record *cluster, const char *node,
    const char *service, struct error *err);

/* Checks the same of the cluster's last operation, which failed and is to be retried. */
int repair_limits_on_retry(const struct repair_limits *limits, const struct cluster_record *cluster, struct error *err);

/* Records that a job repairs the node, or the service on it. */
int repair_limits_record(const struct repair_limits *limits, const struct cluster_record *cluster, const char *node,
    const char *service, const char *job, struct error *err);

/* Returns the number of the operation that has the job. */
int64_t repair_limits_number(const char *job);

#endif
