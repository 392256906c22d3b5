/* SPDX-License-Identifier: Apache-2.0
 *
 * Compares the machines that the store says are there with those that the providers list, of all clusters at once: one list
 * of each provider in use, and no document of a cluster that agrees is read. A difference is checked again under the
 * cluster's lock, and counts only if no operation ran on the cluster since.
 */
#ifndef RECONCILE_INVENTORY_DIFF_H
#define RECONCILE_INVENTORY_DIFF_H

struct account;
struct drift_list;
struct error;
struct operation_options;
struct reconcile_scope;

/* Adds the differences of the listed clusters, except those on which an operation runs, or which another process has locked.
 * Returns 0, or the code of the worst failure, which got a notice; -1 where nothing could be compared. The account is a
 * superadmin's. */
int inventory_diff(struct account *account, const struct operation_options *options, const struct reconcile_scope *scope,
    struct drift_list *drift, struct error *err);

#endif
