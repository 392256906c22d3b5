/* SPDX-License-Identifier: Apache-2.0
 *
 * Creating a cluster: coopr-request | coopr-solve | coopr-plan | coopr-queue put, coopr-work and coopr-queue wait, each with
 * its file in the cluster's folder. Killed at any instant and called again with the same wish, it goes on.
 */
#ifndef CLUSTER_CREATE_H
#define CLUSTER_CREATE_H

#include "base/process.h"
#include "cluster/drive.h"
#include "cluster/pace.h"

struct error;

struct create {
	const char *name;
	const struct arguments *request; /* what coopr-request is to be told, beside --name and --id */
	struct drive drive;
};

struct made {
	char *layout; /* path of the layout with the facts of its nodes; the caller frees it */
	struct pace pace;
};

/* Makes the cluster. EX_NO where it exists already, cannot be, or failed; else the code of the stage that failed. */
int create_cluster(const struct create *create, struct made *made, struct error *err);

/* Only asks what would be made: a descriptor from which the plan can be read, which begins with the job and the layout.
 * Keeps nothing. -1 with a reason. */
int create_preview(const struct create *create, struct error *err);

#endif
