/* SPDX-License-Identifier: Apache-2.0
 *
 * Limits of repairs: nothing is repaired where so much is gone at once that the report itself is more likely wrong, and
 * a cluster that was repaired again and again has to wait.
 */
#ifndef RECONCILE_REPAIR_LIMITS_H
#define RECONCILE_REPAIR_LIMITS_H

#include <stdbool.h>
#include <stddef.h>

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

/* Checks whether so many orphaned machines of a provider may be deleted. Returns as above. */
int repair_limits_on_orphaned(const struct repair_limits *limits, const char *provider, size_t count, struct error *err);

/* Checks whether an operation may be begun or retried on the cluster so soon again. Returns as above. */
int repair_limits_on_haste(const struct repair_limits *limits, const struct cluster_record *cluster, struct error *err);

#endif
