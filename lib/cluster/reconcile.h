/* SPDX-License-Identifier: Apache-2.0
 *
 * Reconciliation: what was begun is settled, what is due is done, and what is there is compared with what is recorded. It may be
 * done by any number of processes at once, and killed anywhere: each step is one that anybody may do again.
 */
#ifndef CLUSTER_RECONCILE_H
#define CLUSTER_RECONCILE_H

#include <stdbool.h>

#include "cluster/drift.h"
#include "cluster/operate.h"

struct error;

struct reconcile_wish {
	struct manner manner; /* detach: jobs are left to workers; else they are worked off here */
	bool probe;           /* ask services, too, whether they run */
	bool repair;          /* mend what has drifted */
	bool delete_unowned;
};

/* Adds what has drifted. 0, or the code of the worst that failed, which was told; -1 where nothing could be done. */
int reconcile(const struct reconcile_wish *wish, struct drift_list *drift, struct error *err);

#endif
