/* SPDX-License-Identifier: Apache-2.0
 *
 * The turn of one cluster, inside of coopr apply: looked at as it is now, it is brought a step further, until it is as it shall be.
 */
#ifndef APPLY_APPLY_TURN_H
#define APPLY_APPLY_TURN_H

#include "apply/apply.h"
#include "catalogue/spec-diff.h"

struct turn { /* while it lasts */
	struct apply *apply;
	const struct apply_turn *begin;       /* as it was at the beginning */
	struct application *application;      /* what comes of it */
	struct cluster_list list;
	const struct cluster_record *cluster; /* as it is now; NULL: there is none */
	char *text;                           /* of the spec */
	struct clusterspec last;              /* what the file said before */
	bool has_last;
	bool brought;                         /* it was made to be as the file says */
	bool tried;                           /* what was begun before has failed again, */
	struct error failure;                 /* so */
};

enum { TURN_OVER, TURN_AGAIN }; /* a step is done; AGAIN: look again. Or -1 */

/* Does the whole turn. */
void apply_turn(struct apply *apply, const struct apply_turn *begin, struct application *application);

/* Durably, what agrees. */
int apply_remember(struct apply *apply, struct error *err);

/* Goes on with what was begun before, or takes it back: the cluster is pending, or its last operation failed. */
int turn_repair(struct turn *turn, struct error *err);

/* Does it, and notes what came of it. */
int turn_operate(struct turn *turn, struct operation_request *order, struct error *err);

/* Deletes it, whatever is under way on it. */
int turn_delete(struct turn *turn, struct error *err);

/* In what the turn's cluster would differ from the file, had it been asked for request (JSON) and that many machines. To be
 * released. */
int turn_compare(const struct turn *turn, const char *request, int64_t machines, struct spec_diff *diff, struct error *err);

#endif
