/* SPDX-License-Identifier: Apache-2.0
 *
 * Operations on clusters, from the request to what the store records of the result. All of them go the same way:
 *
 *	1 find the cluster, lock its folder, finish what ran before
 *	2 make the plan, command by command, in the operation's folder
 *	3 ask who is at the terminal, and the hooks; begin the operation in the store, if status and quota allow it
 *	4 put the plan into the queue, under the id that the operation has given it
 *	5 run its job, or leave that to the workers of the installation (detach)
 *	6 finish: bring what really is there from the queue to the store
 *
 * Killed at any instant, the store and the queue agree after the next finish, which anybody may do: an operation that has begun
 * has its plan on disk, and its job has a name. The same command, run again, resumes what it has begun.
 */
#ifndef OPERATION_OPERATE_H
#define OPERATION_OPERATE_H

#include "operation/context.h"
#include "operation/efficiency.h"
#include "preview/consent.h"

struct applied;
struct buffer;
struct error;

struct operation_request {
	const char *action;  /* of lifecycle_transitions: "expand" */
	const char *verb;    /* of the command, where that is another; or NULL */
	const char *cluster; /* name or id; of one that is to be created, its name */
	const char *command; /* that was typed */
	/* Makes request.json (or leaves that), layout.ndjson and plan.ndjson in the operation's folder. */
	int (*prepare)(struct operation_context *context, const void *parameters, struct error *err);
	/* Appends what the command line does not say of the request: the contents of what it names, such as files and entities. The same
	 * command with the same contents continues an operation. NULL: the line says all. */
	int (*describe)(struct operation_context *context, const void *parameters, struct buffer *text, struct error *err);
	/* Checks whether it may still be done to the cluster as it is: 0, or -1. NULL: nothing is checked but what holds for all. */
	int (*admit)(struct operation_context *context, const void *parameters, struct error *err);
	const void *parameters; /* for all three */
	bool takes_over;     /* the cluster's last operation, if it is unfinished, counts as begun by the same command */
	bool preempts;       /* it cancels a running operation */
	struct consent consent; /* how it is asked for, where the options say so; without the name */
	int64_t id;          /* of a cluster that is to be created; 0: it gets one */
	const char *owner, *group; /* of such a one; NULL: who asks, none */
	int64_t lease_ms;    /* of such a one, at first; 0: for ever, negative: as its template says */
	const struct applied *applied; /* what coopr apply remembers of such a one; NULL: nothing */
};

struct operation_result { /* release it */
	char *name, *job; /* of the cluster and the operation; no job: it is a dry run, or nothing was left of a cluster to be deleted */
	char *plan;   /* the plan's path */
	char *layout; /* path of the present layout; NULL: it is not known yet, or nothing is left */
	char *scrap;  /* the folder of a dry run, which goes with the result; or NULL */
	struct preview_basis basis; /* of a dry run: for preview_print */
	bool hides;       /* who asks may not see passwords and keys in clear */
	struct efficiency efficiency; /* of a job that was followed to its end */
};

/* Carries out the request. Fails with EX_NO where it cannot be done, or its job failed; EX_TEMPFAIL while another operation
 * is running; else with the code of the command that failed. */
int operate(const struct operation_request *request, const struct operation_options *options, struct operation_result *result,
    struct error *err);

/* Resumes the last operation of the request's cluster, if it failed, was cancelled, or nobody runs it. If that is complete,
 * but the cluster is inconsistent because of one before it, the request is carried out (action NULL: there is none); else
 * fails with EX_NO. */
int operate_retry(const struct operation_request *anew, const struct operation_options *options,
    struct operation_result *result, struct error *err);

/* Returns whether what the request names today is what the cluster's last operation, which has ended, was begun with: 1, 0 or -1. */
int operate_is_same(const struct operation_request *request, const struct operation_options *options,
    const struct operation *operation, struct error *err);

void operation_result_release(struct operation_result *result);

#endif
