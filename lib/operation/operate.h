/* SPDX-License-Identifier: Apache-2.0
 *
 * Operations on clusters, from what is asked for to what the store says of it. All go the same way:
 *
 *	1 find the cluster, lock its folder, settle what was under way before
 *	2 make the plan, stage by stage, in the operation's folder
 *	3 ask the hooks; begin the operation in the store, where status and quota allow it
 *	4 put the plan into the queue, under the id that the operation has given it
 *	5 work it off, or leave that to the workers of the site (detach)
 *	6 settle: what really is there goes from the queue to the store
 *
 * Killed at any instant, the store and the queue agree after the next settling, which anybody may do: what has begun has its
 * plan on disk, and its job has a name. The same command run again goes on with what it has begun.
 */
#ifndef OPERATION_OPERATE_H
#define OPERATION_OPERATE_H

#include <stdbool.h>

#include "account/accounts.h"
#include "cluster/clusters.h"
#include "cluster/operations.h"
#include "operation/efficiency.h"
#include "operation/job.h"
#include "operation/preview.h"
#include "operation/workdir.h"

struct applied;
struct error;

struct operation_options { /* how it is done: what every command may be told */
	struct account_ask ask;
	struct job_runner runner;
	bool detach;            /* do not wait */
	bool dry;               /* only make the plan */
	const char *save;       /* and save it in that file, see saved-plan.h; or NULL */
};

struct operation_context { /* where an operation goes on; release it */
	const struct operation_options *options;
	struct account account;
	struct cluster_list clusters;
	struct cluster_record *cluster;  /* NULL: to be made */
	struct cluster_documents documents;
	struct workdir folder, operation; /* of the cluster, and of the operation in it */
	int64_t id, number;
	char job[JOB_ID_SIZE];
};

struct operation_request {
	const char *action;  /* of life_moves: "expand" */
	const char *verb;    /* of the command, where that is another; or NULL */
	const char *cluster; /* name or id; of one that is to be made, its name */
	const char *command; /* what was asked for, as a command */
	/* Makes request.json (or leaves that), layout.ndjson and plan.ndjson in the operation's folder. */
	int (*prepare)(struct operation_context *context, const void *parameters, struct error *err);
	/* Whether it may still be done to the cluster as it is: 0, or -1. NULL: nothing is asked but what is of all operations. */
	int (*admit)(struct operation_context *context, const void *parameters, struct error *err);
	const void *parameters;    /* for both */
	bool preempts;       /* what is under way is cancelled for it */
	int64_t id;          /* of a cluster that is to be made; 0: it gets one */
	const char *owner, *group; /* of such a one; NULL: who asks, none */
	int64_t lease_ms;    /* of such a one, at first; 0: for ever, negative: as its template says */
	const struct applied *applied; /* what coopr apply is to remember of such a one; NULL: nothing */
};

struct operation_result { /* release it */
	char *name, *job; /* of the cluster and the operation */
	char *plan;       /* the plan's path */
	char *layout;     /* path of the layout that is there now; NULL where it is not known yet, or nothing is left */
	char *scrap;      /* what a dry run has left, to be removed; or NULL */
	struct preview_basis basis; /* of a dry run: for preview_print */
	struct efficiency efficiency; /* of a job that was seen through */
};

/* Does it. EX_NO where it cannot be, or failed; EX_TEMPFAIL while something else is under way; else the code of the stage that
 * failed. */
int operate(const struct operation_request *order, const struct operation_options *options, struct operation_result *done, struct error *err);

/* Goes on with the last operation of the order's cluster, which failed, was cancelled, or is left by everybody. Where that is done,
 * and the cluster is inconsistent since one before, the order is carried out (action NULL: there is none); else EX_NO. */
int operate_retry(const struct operation_request *anew, const struct operation_options *options, struct operation_result *done, struct error *err);

void operation_result_release(struct operation_result *done);

/* Opens the site of a cluster that is there: finds it, locks its folder, and settles what is over. */
int operation_context_open(struct operation_context *context, const struct operation_options *options, const char *cluster, struct error *err);
void operation_context_release(struct operation_context *context);

#endif
