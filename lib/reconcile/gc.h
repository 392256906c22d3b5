/* SPDX-License-Identifier: Apache-2.0
 *
 * Removes what commands that were killed have left in STATE/clusters: folders of clusters that the store does not have, or has
 * no more, and those of dry runs; and in STATE/scripts what no cluster names any more.
 */
#ifndef RECONCILE_GC_H
#define RECONCILE_GC_H

struct account;
struct error;

/* A folder that a process has locked stays, and so does that of a dry run that may still run. Returns -1 where something
 * cannot be removed. */
int reconcile_gc(struct account *account, struct error *err);

#endif
