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
struct spec_diff;
struct error;
struct operation_context;

struct make_parameters { /* of a new cluster, or of one that is made anew from today's entities */
	const struct arguments *request; /* what coopr-request is to be told, beside name, id and nodes */
	const char *max_unavailable;     /* NULL: no limit */
	bool allow_moves;
};

struct amend_parameters {
	struct amendment amendment;
	const char *action;              /* coopr-plan -a; NULL: what makes of what was what shall be */
	const char *max_unavailable;
	struct string_list dead;         /* nodes whose machines do not answer */
	bool allow_moves;
};

struct action_parameters { /* of what is there */
	const char *action;              /* coopr-plan -a */
	struct string_list nodes, services; /* only these; empty: all */
	const char *max_unavailable;
	bool graceful;
};

struct spec_parameters { /* what a file says */
	const struct clusterspec *spec;
	const struct spec_diff *diff; /* of the cluster that is there, with another template; NULL: there is none yet */
	const char *catalogue, *max_unavailable;
	bool allow_moves;
};

int prepare_make(struct operation_context *context, const void *make_parameters, struct error *err);
int prepare_clone(struct operation_context *context, const void *cluster, struct error *err); /* the other one's name or id */
int prepare_upgrade(struct operation_context *context, const void *make_parameters, struct error *err);
int prepare_spec(struct operation_context *context, const void *spec_parameters, struct error *err);
int prepare_amend(struct operation_context *context, const void *amend_parameters, struct error *err);
int prepare_action(struct operation_context *context, const void *action_parameters, struct error *err);

/* Back to what the cluster was before its last operation. The wish is NULL. */
int prepare_rollback(struct operation_context *context, const void *parameters, struct error *err);

#endif
