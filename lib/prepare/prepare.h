/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes the plan of an operation by the commands that a person would put into a pipeline, each with its file in the operation's
 * folder. operation_request.prepare points to one of these functions, with the parameters that it expects.
 */
#ifndef PREPARE_PREPARE_H
#define PREPARE_PREPARE_H

#include "base/process.h"
#include "catalogue/amend.h"

struct buffer;
struct clusterspec;
struct spec_diff;
struct error;
struct operation_context;

struct make_parameters { /* of a new cluster, or of one that is made again from today's entities */
	const struct arguments *request; /* arguments of coopr-request, beside name, id and nodes */
	const struct buffer *input;      /* what it reads on standard input; NULL: nothing */
	const char *max_unavailable;     /* NULL: no limit */
	bool allow_moves;
};

struct amend_parameters {
	struct amendment amendment;
	const char *action;              /* coopr-plan -a; NULL: from the present layout to the new one */
	const char *max_unavailable;
	struct string_list dead;         /* nodes whose machines do not answer */
	bool allow_moves;
	const struct spec_parameters *spec; /* the file that wants the change; NULL: the command line does */
};

struct action_parameters { /* on the present layout */
	const char *action;              /* coopr-plan -a */
	struct string_list nodes, services; /* only these; empty: all */
	const char *max_unavailable;
	const char *archive;             /* that a restore puts back on the only instance; NULL: the newest of each */
	bool graceful;
};

struct rollback_parameters {
	int64_t to; /* the revision; 0: the newest that is not the present one */
};

struct spec_parameters { /* of a file */
	const struct clusterspec *spec;
	const struct spec_diff *diff; /* of the cluster that is there, with another template; NULL: there is none yet */
	const char *catalogue, *max_unavailable;
	bool allow_moves;
	bool insists; /* on fewer machines than the template's least */
};

/* For operation_request.describe: the request that would be made of today's entities and files, whatever nodes there are; of a
 * clone, that of the other cluster; of a change, the configuration that is given; of one that a file wants, what that says. */
int prepare_describe_make(struct operation_context *context, const void *make_parameters, struct buffer *text, struct error *err);
int prepare_describe_upgrade(struct operation_context *context, const void *make_parameters, struct buffer *text, struct error *err);
int prepare_describe_amend(struct operation_context *context, const void *amend_parameters, struct buffer *text, struct error *err);
int prepare_describe_spec(struct operation_context *context, const void *spec_parameters, struct buffer *text, struct error *err);
int prepare_describe_spec_change(struct operation_context *context, const void *amend_parameters, struct buffer *text, struct error *err);
int prepare_describe_clone(struct operation_context *context, const void *cluster, struct buffer *text, struct error *err);

/* Appends the request that coopr-request makes by these arguments and of the input (NULL: none), without its owner: another user may continue. */
int prepare_describe(const struct operation_context *context, const struct arguments *given, const struct buffer *input,
    struct buffer *text, struct error *err);

/* Makes request.json by these arguments, layout.ndjson and plan.ndjson. Nothing can be done on the dead nodes (NULL: none). */
int prepare_by_request(struct operation_context *context, const struct make_parameters *parameters, const struct arguments *given,
    const struct arguments *dead, struct error *err);

int prepare_make(struct operation_context *context, const void *make_parameters, struct error *err);
int prepare_clone(struct operation_context *context, const void *cluster, struct error *err); /* the other one's name or id */
int prepare_upgrade(struct operation_context *context, const void *make_parameters, struct error *err);
int prepare_spec(struct operation_context *context, const void *spec_parameters, struct error *err);
int prepare_amend(struct operation_context *context, const void *amend_parameters, struct error *err);
int prepare_action(struct operation_context *context, const void *action_parameters, struct error *err);

/* Plans the way back to a revision. */
int prepare_rollback(struct operation_context *context, const void *rollback_parameters, struct error *err);

#endif
