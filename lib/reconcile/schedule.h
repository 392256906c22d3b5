/* SPDX-License-Identifier: Apache-2.0
 *
 * Backups that are due: services that say how often they are backed up. One that fails is tried again later, and is a fault until an
 * archive is there.
 */
#ifndef RECONCILE_SCHEDULE_H
#define RECONCILE_SCHEDULE_H

struct account;
struct drift_list;
struct error;
struct reconcile_options;
struct reconcile_scope;

/* Begins the backups that are due in the clusters of scope, which are listed, and adds to the drift the instances whose last backup
 * failed, or could not begin. Returns 0, or the code of the worst failure, which got a notice; -1 where nothing could be done. */
int schedule_backups(struct account *account, const struct reconcile_options *parameters, const struct reconcile_scope *scope,
    struct drift_list *drift, struct error *err);

#endif
