/* SPDX-License-Identifier: Apache-2.0
 *
 * How the plan of an operation is made: the stages that a person would put into a pipeline, each with its file in the
 * operation's folder. These are what work_order.prepare points to, with the wish that each expects.
 */
#ifndef OPERATION_PREPARE_H
#define OPERATION_PREPARE_H

#include "base/process.h"
#include "operation/amend.h"

struct clusterspec;
struct divergence;
struct error;
struct site;

struct make_wish { /* of a new cluster, or of one that is made anew from today's entities */
	const struct arguments *request; /* what coopr-request is to be told, beside name, id and nodes */
	const char *max_unavailable;     /* NULL: no limit */
	bool allow_moves;
};

struct amend_wish {
	struct amendment amendment;
	const char *action;              /* coopr-plan -a; NULL: what makes of what was what shall be */
	const char *max_unavailable;
	struct string_list dead;         /* nodes whose machines do not answer */
	bool allow_moves;
};

struct action_wish { /* of what is there */
	const char *action;              /* coopr-plan -a */
	struct string_list nodes, services; /* only these; empty: all */
	const char *max_unavailable;
	bool graceful;
};

struct spec_wish { /* what a file says */
	const struct clusterspec *spec;
	const struct divergence *divergence; /* of the cluster that is there, with another template; NULL: there is none yet */
	const char *catalogue, *max_unavailable;
	bool allow_moves;
};

int prepare_make(struct site *site, const void *make_wish, struct error *err);
int prepare_clone(struct site *site, const void *cluster, struct error *err); /* the other one's name or id */
int prepare_upgrade(struct site *site, const void *make_wish, struct error *err);
int prepare_spec(struct site *site, const void *spec_wish, struct error *err);
int prepare_amend(struct site *site, const void *amend_wish, struct error *err);
int prepare_action(struct site *site, const void *action_wish, struct error *err);

/* Back to what the cluster was before its last operation. The wish is NULL. */
int prepare_rollback(struct site *site, const void *wish, struct error *err);

#endif
