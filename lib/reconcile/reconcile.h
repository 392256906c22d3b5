/* SPDX-License-Identifier: Apache-2.0
 *
 * Reconciliation: operations that are over are finished, leases are ended, and machines are compared with the store. Any number
 * of processes may do it at once, and be killed anywhere: each step may be done again by anybody.
 */
#ifndef RECONCILE_RECONCILE_H
#define RECONCILE_RECONCILE_H

#include <stdbool.h>
#include <stdint.h>

#include "json/place.h"
#include "operation/operate.h"
#include "probe/drift.h"

struct error;

enum reconcile_work { /* which jobs are done here: */
	RECONCILE_WORK_ABANDONED, /* those whose tasks no live worker takes, */
	RECONCILE_WORK_ALL,       /* ... all, */
	RECONCILE_WORK_NONE,      /* ... or none */
};

struct reconcile_options {
	struct operation_options options; /* detach: a job is put first, and done at the end of the run */
	enum reconcile_work work;
	bool is_watched;      /* by a person, who is told of all faults, not only of what has changed */
	struct string_list clusters; /* only these; none: all */
	bool finish_only;     /* finish what is over, and do nothing else */
	bool probe;           /* ask machines whether they answer, and services whether they run: */
	long timeout_s;       /* ... so long at most */
	bool repair;          /* repair the drift */
	int64_t replace_after_ms; /* replace machines that have not answered for so long; -1: none */
	bool retry;           /* retry operations that failed */
	bool delete_orphaned;
	const char *max_gone; /* replace and delete so many at a time, model/unavailable.h */
	int64_t remind_ms;    /* remind of leases that end within that time; 0: of none */
};

/* Adds the drift. Returns 0; EX_NO where something is not as it should be; or the code of the worst failure, which got a notice; -1
 * where nothing could be done. */
int reconcile(const struct reconcile_options *parameters, struct drift_list *drift, struct error *err);

#endif
