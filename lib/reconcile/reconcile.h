/* SPDX-License-Identifier: Apache-2.0
 *
 * Reconciliation: what was begun is settled, what is due is done, and what is there is compared with what is recorded. It may be
 * done by any number of processes at once, and killed anywhere: each step is one that anybody may do again.
 */
#ifndef RECONCILE_RECONCILE_H
#define RECONCILE_RECONCILE_H

#include <stdbool.h>
#include <stdint.h>

#include "json/place.h"
#include "operation/operate.h"
#include "probe/drift.h"

struct error;

struct reconcile_options {
	struct operation_options options; /* detach: jobs are left to workers; else they are worked off here */
	struct string_list clusters; /* only these; none: all */
	bool probe;           /* ask machines whether they answer, and services whether they run: */
	long timeout_s;       /* ... so long at most */
	bool repair;          /* mend what has drifted */
	int64_t replace_after_ms; /* replace machines that have not answered for so long; -1: none */
	bool retry;           /* go on with operations that failed */
	bool delete_unowned;
	const char *max_gone; /* replace and delete so many at a time, model/unavailable.h */
	int64_t remind_ms;    /* say whose lease ends within that time; 0: nobody's */
};

/* Adds what has drifted. 0, or the code of the worst that failed, which was told; -1 where nothing could be done. */
int reconcile(const struct reconcile_options *parameters, struct drift_list *drift, struct error *err);

#endif
