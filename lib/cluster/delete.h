/* SPDX-License-Identifier: Apache-2.0
 *
 * Deleting a cluster that the front has made, wholly or by half: coopr-queue show JOB --layout | coopr-plan -a delete |
 * coopr-queue put, coopr-work and coopr-queue wait. Killed at any instant and called again, it goes on.
 */
#ifndef CLUSTER_DELETE_H
#define CLUSTER_DELETE_H

#include "cluster/drive.h"

struct error;

/* Whether there is such a cluster, and nobody is at work on it: 0, or -1 with what delete_cluster would say. */
int delete_check(const char *name, struct error *err);

/* Deletes it with all its machines, and forgets it. EX_NO where there is none of that name, or the job failed; else the
 * code of the stage that failed. */
int delete_cluster(const char *name, const struct drive *drive, struct error *err);

#endif
