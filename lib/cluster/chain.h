/* SPDX-License-Identifier: Apache-2.0
 *
 * What creating and deleting a cluster have in common: a plan in the cluster's folder becomes a job of the queue, once,
 * and the job is seen through.
 */
#ifndef CLUSTER_CHAIN_H
#define CLUSTER_CHAIN_H

#include "cluster/drive.h"

struct error;
struct folder;

struct chain {
	const char *prefix; /* of its members in the folder: "" or "delete-" */
	const char *action; /* of its job: "cluster_create" */
	struct drive drive;
};

/* The id of the job, which the caller frees: from the member job; or else from the queue, where it was put before
 * we were killed. *job is NULL where it was not put yet. */
int chain_find_job(const struct chain *chain, const struct folder *folder, char **job, struct error *err);

/* Puts the plan; *job is its id, which the caller frees. */
int chain_put(const struct chain *chain, const struct folder *folder, char **job, struct error *err);

/* Lets a job that an earlier run has put go on: where it failed or was cancelled, it is retried. */
int chain_resume(const struct chain *chain, const char *job, struct error *err);

/* Sees the job through. Where it fails, coopr-queue show says on stderr which tasks did. */
int chain_follow(const struct chain *chain, const struct folder *folder, const char *job, struct error *err);

/* Keeps what coopr-queue show prints with an option, as "--layout", as a member of the folder. */
int chain_keep(const struct chain *chain, const struct folder *folder, const char *job, const char *option,
    const char *member, struct error *err);

#endif
