/* SPDX-License-Identifier: Apache-2.0
 *
 * Removes what commands that were killed have left in STATE/clusters: folders of clusters that the store does not have, or has
 * no more, and what was only tried.
 */
#ifndef RECONCILE_GC_H
#define RECONCILE_GC_H

struct account;
struct error;

/* A folder that somebody has locked, or that was changed a short time ago, stays. -1 where something cannot be removed. */
int reconcile_gc(struct account *account, struct error *err);

#endif
