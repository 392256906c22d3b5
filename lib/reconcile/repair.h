/* SPDX-License-Identifier: Apache-2.0
 *
 * What coopr reconcile does by ordinary operations: it mends what has drifted, and deletes what has had its time. What
 * something else is being done to just now is left to the next run.
 */
#ifndef RECONCILE_REPAIR_H
#define RECONCILE_REPAIR_H

struct account;
struct drift_list;
struct error;
struct operation_options;
struct reconcile_scope;
struct reconcile_options;

/* Mends what has drifted, as the wish says: in each cluster one thing at a time. What was begun says so (mended); what is left,
 * and why, is told (manner's notice). The drift is sorted, the clusters are listed. 0, or the code of the worst that failed,
 * which was told. */
int repair(struct account *account, const struct reconcile_options *parameters, const struct reconcile_scope *scope, struct drift_list *drift);

/* Deletes the machines that nobody owns. As above. */
int repair_unowned(struct account *account, const struct reconcile_options *parameters, const struct reconcile_scope *scope,
    struct drift_list *drift);

/* Deletes the clusters in reach whose lease has ended. As above; -1 where they are not to be had. */
int repair_leases(struct account *account, const struct operation_options *options, const struct reconcile_scope *scope, struct error *err);

#endif
