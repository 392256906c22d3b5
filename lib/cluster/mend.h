/* SPDX-License-Identifier: Apache-2.0
 *
 * What coopr reconcile does by ordinary operations: it mends what has drifted, and deletes what has had its time. What
 * something else is being done to just now is left to the next run.
 */
#ifndef CLUSTER_MEND_H
#define CLUSTER_MEND_H

#include <stdbool.h>

struct account;
struct drift_list;
struct error;
struct manner;

/* Machines that vanished are replaced, services that stopped are started; those that were begun say so (mended). 0, or the code
 * of the worst that failed, which was told (manner's notice). */
int mend(const struct manner *manner, struct drift_list *drift);

/* Deletes the machines that nobody owns. As above. */
int mend_unowned(const struct manner *manner, struct drift_list *drift);

/* Deletes the clusters whose lease has ended. As above; -1 where they are not to be had. */
int mend_leases(struct account *account, const struct manner *manner, struct error *err);

#endif
