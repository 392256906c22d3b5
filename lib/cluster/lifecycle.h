/* SPDX-License-Identifier: Apache-2.0
 *
 * The life of a cluster, as one table: what may be done to it in which status, and what its status is while that is
 * done, where it succeeds and where it fails. coopr-states(7) shows the table.
 */
#ifndef CLUSTER_LIFE_H
#define CLUSTER_LIFE_H

#include <stdbool.h>

struct error;

enum life_status {
	LIFE_ABSENT,       /* there is no cluster yet */
	LIFE_PENDING,      /* an operation is under way */
	LIFE_ACTIVE,       /* as it is wanted */
	LIFE_INCOMPLETE,   /* it was not made whole, or not taken down whole */
	LIFE_INCONSISTENT, /* a later operation failed */
	LIFE_TERMINATED,   /* it is gone, and stays so */
	LIFE_STATUS_COUNT,
	LIFE_SAME = -1, /* of a move: the status stays what it was before */
};

struct life_move {
	const char *action;
	unsigned from; /* bits 1 << status */
	enum life_status success, failure;
	bool job;  /* it is an operation with a job: pending meanwhile. Else it is done at once. */
	bool ends; /* where no machine is left after it, the cluster is terminated */
};

/* The table; a move without an action ends it. */
extern const struct life_move life_moves[];

/* Return "active", and the status of that name: LIFE_STATUS_COUNT where there is none. */
const char *life_status_name(enum life_status status);
enum life_status life_status_of(const char *name);

/* Returns the move of an action; NULL where there is none of that name. */
const struct life_move *life_find(const char *action);

/* Returns 0 if the move may be done to a cluster in that status; else -1 with EX_NO and, in the text, what may be done instead
 * (EX_TEMPFAIL if it is pending). cluster is its name, for the text. */
int life_check(const struct life_move *move, enum life_status status, const char *cluster, struct error *err);

#endif
