/* SPDX-License-Identifier: Apache-2.0
 *
 * The repairs of coopr reconcile, by ordinary operations: clusters that have drifted are repaired, and those whose lease
 * has ended are deleted. A cluster on which an operation runs is left to the next run.
 */
#ifndef RECONCILE_REPAIR_H
#define RECONCILE_REPAIR_H

#include <stdbool.h>
#include <stddef.h>

struct account;
struct drift_list;
struct error;
struct operation_options;
struct reconcile_scope;
struct reconcile_options;

/* Repairs the drift as the parameters say, in each cluster one remedy at a time, and notes the job in each drift.
 * What is left gets a notice. The drift is sorted, the clusters are listed. Returns 0, or the code of the worst failure,
 * which got a notice. */
int repair(struct account *account, const struct reconcile_options *parameters, const struct reconcile_scope *scope,
    struct drift_list *drift);

/* Sets how far the repairs are that jobs do, now that these may have ended. */
void repair_outcomes(struct account *account, struct drift_list *drift);

/* Returns whether a repair of a cluster, of which the drift from first to end is, was done, and what waited for it can be repaired. */
bool repair_goes_on(const struct reconcile_options *parameters, const struct drift_list *drift, size_t first, size_t end);

/* Deletes the orphaned machines. Returns as above. */
int repair_orphaned(struct account *account, const struct reconcile_options *parameters, const struct reconcile_scope *scope,
    struct drift_list *drift);

/* Deletes the clusters in scope whose lease has ended; those with data are stopped and kept, unless their lease discards it. Returns
 * as above; -1 where they cannot be listed. */
int repair_leases(struct account *account, const struct operation_options *options, const struct reconcile_scope *scope,
    struct error *err);

#endif
