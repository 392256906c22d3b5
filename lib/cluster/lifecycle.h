/* SPDX-License-Identifier: Apache-2.0
 *
 * The life cycle of a cluster, as one table: which actions are allowed in which status, and the status while they run, when they
 * have succeeded and when they have failed. coopr-states(7) shows the table.
 */
#ifndef CLUSTER_LIFECYCLE_H
#define CLUSTER_LIFECYCLE_H

#include <stdbool.h>

struct error;

enum lifecycle_status {
	LIFECYCLE_ABSENT,       /* there is no cluster yet */
	LIFECYCLE_PENDING,      /* an operation is under way */
	LIFECYCLE_ACTIVE,       /* as it is wanted */
	LIFECYCLE_INCOMPLETE,   /* it was not made whole, or not taken down whole */
	LIFECYCLE_INCONSISTENT, /* a later operation failed */
	LIFECYCLE_TERMINATED,   /* it is gone, and stays so */
	LIFECYCLE_STATUS_COUNT,
	LIFECYCLE_SAME = -1, /* of a transition: the status stays what it was before */
};

struct lifecycle_transition {
	const char *action;
	unsigned from; /* bits 1 << status */
	enum lifecycle_status success, failure;
	bool job;  /* it is an operation with a job: pending meanwhile. Else it is done at once. */
	bool ends; /* where no machine is left after it, the cluster is terminated */
	unsigned offered; /* bits as in from: messages recommend the command of that name there, since it works whatever came before */
};

/* The table; a transition without an action ends it. */
extern const struct lifecycle_transition lifecycle_transitions[];

/* Return "active", and the status of that name: LIFECYCLE_STATUS_COUNT where there is none. */
const char *lifecycle_status_name(enum lifecycle_status status);
enum lifecycle_status lifecycle_status_of(const char *name);

/* Returns what people call it: updating, active, failed (incomplete and inconsistent), terminated. */
const char *lifecycle_state_name(enum lifecycle_status status);

/* Returns the transition of an action; NULL where there is none of that name. */
const struct lifecycle_transition *lifecycle_find(const char *action);

/* Returns 0 if the transition is allowed in that status; else -1 with EX_NO and, in the text, which are (EX_TEMPFAIL if the cluster
 * is pending). cluster is its name, for the text. */
int lifecycle_check(const struct lifecycle_transition *transition, enum lifecycle_status status, const char *cluster,
    struct error *err);

#endif
