/* SPDX-License-Identifier: Apache-2.0
 *
 * The state of one cluster's turn in coopr apply, and the steps that each turn is made of.
 */
#ifndef APPLY_TURN_H
#define APPLY_TURN_H

#include "apply/apply.h"
#include "catalogue/spec-diff.h"

struct turn {
	struct apply *apply;
	const struct apply_turn *begin;       /* the cluster, as it was at the beginning */
	struct application *application;      /* the result */
	struct cluster_list list;
	const struct cluster_record *cluster; /* as it is now; NULL: there is none */
	char *text;                           /* of the spec */
	struct clusterspec last;              /* the file, as it was applied last */
	bool has_last;
	bool brought;                         /* an operation has changed it to be as the file says */
	bool tried;                           /* an operation begun before has failed again, */
	struct error failure;                 /* with this */
};

enum { TURN_OVER, TURN_AGAIN }; /* results of a step: the turn is over; the cluster is to be looked at again. Or -1 */

/* Returns what the file says. */
const struct clusterspec *turn_spec(const struct turn *turn);

/* Reads the cluster as it is now: it may have changed since all were listed. */
int turn_look(struct turn *turn, struct error *err);

/* Carries out an operation, and notes its result. */
int turn_operate(struct turn *turn, struct operation_request *request, struct error *err);

/* Returns the command of an operation, which the caller frees. Equal specifications have equal commands, by which an operation is
 * found again. */
char *turn_command(const struct turn *turn);

/* Creates the cluster, or resumes its creation: what that has not done is planned anew where what the file names has changed since.
 * Where another command has created one of that name at the same time, it is looked at again. */
int turn_create(struct turn *turn, struct error *err);

/* Deletes the cluster, whatever runs on it. */
int turn_delete(struct turn *turn, struct error *err);

/* Finds the differences between the file and the turn's cluster, as if that had been created by request (JSON) with that many
 * machines. The caller releases diff. */
int turn_compare(const struct turn *turn, const char *request, int64_t machines, struct spec_diff *diff, struct error *err);

#endif
