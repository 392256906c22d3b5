/* SPDX-License-Identifier: Apache-2.0
 *
 * The context of an operation: the account that asks, the cluster with its documents, and the locked folder in which the
 * operation works. Opening it finishes whatever is over on that cluster.
 */
#ifndef OPERATION_CONTEXT_H
#define OPERATION_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "account/accounts.h"
#include "cluster/clusters.h"
#include "cluster/operations.h"
#include "operation/job-runner.h"
#include "operation/workdir.h"

struct error;

enum { OPERATION_DIGEST_SIZE = 17 }; /* in hexadecimal, with a NUL */

struct operation_options { /* of every command that changes a cluster */
	struct account_ask ask;
	struct job_runner runner;
	bool detach;            /* do not wait */
	bool dry;               /* only make the plan */
	bool wait;              /* for its turn, while another command or operation has the cluster */
	int64_t wait_ms;        /* at most so long; 0: for ever */
	bool ask_consent;       /* show the plan and ask, where it restarts, stops or removes something */
	bool has_person;        /* a person has typed the command, and can be asked on a terminal */
	bool discard_data;      /* data may be lost; only --discard-data says so */
	const char *save;       /* and save it in that file, see saved-plan.h; or NULL */
	const struct operation_secret *secrets; /* that the operation is given */
	size_t secret_count;
};

struct operation_context { /* release it, also where it could not be opened */
	const struct operation_options *options;
	struct account account;
	struct cluster_list clusters;
	struct cluster_record *cluster;  /* NULL: it is to be created */
	struct cluster_documents documents;
	struct workdir workdir, job_dir; /* of the cluster, and of the operation in it */
	char digest[OPERATION_DIGEST_SIZE]; /* of what the command's line names; "" where it names nothing */
	bool supersedes;                 /* the last operation failed, and its command now means something else */
	bool scratch;                    /* workdir is only of this dry run */
	int64_t id, number;              /* of the cluster, and of the operation */
	bool is_unlocked;                /* the folder is, while a question is open */
	bool has_consent;                /* who asks has seen the plan, and wants it */
	char job[JOB_ID_SIZE];
	double volume_cost;              /* of an hour, of the volumes that the operation makes */
};

/* Gives notice of a failure that does not keep the rest from being done; *worst is the code of the first such failure. */
void operation_warn(const struct operation_options *options, int *worst, const struct error *err);

/* Prepares an empty context. */
void operation_context_init(struct operation_context *context, const struct operation_options *options);

/* Opens the context of an existing cluster: finds it, locks its folder and finishes what is over. Returns 1 where an
 * operation is running on it, 0, or -1. */
int operation_context_open(struct operation_context *context, const struct operation_options *options, const char *cluster,
    struct error *err);

/* Reads the record and the documents of the cluster of that name or id, in place of those read before. */
int operation_context_find(struct operation_context *context, const char *cluster, struct error *err);

/* Gives a dry run a folder of its own, without any lock. While an operation is running, context->documents.layout becomes what
 * its job has made so far, and a person is told. Returns as operation_context_open does. */
int operation_context_try(struct operation_context *context, struct error *err);

/* Locks the folder of the cluster that was found, finishes what is over, and reads the cluster again, since under the lock
 * nobody else changes it. Returns as operation_context_open does. */
int operation_context_lock(struct operation_context *context, struct error *err);

void operation_context_release(struct operation_context *context);

#endif
