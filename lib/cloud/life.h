/* SPDX-License-Identifier: Apache-2.0
 *
 * The life of a machine over any cloud: create, confirm and delete of coopr-plugins(7). A machine is never made twice and never forgotten:
 * what is asked for is on disk before it is asked for, an answer that was lost is found out by the machine's tags, of machines made twice
 * the oldest stays, and nothing is deleted but what bears the tags of this installation.
 */
#ifndef CLOUD_LIFE_H
#define CLOUD_LIFE_H

#include "base/error.h"
#include "cloud/cloud.h"

struct attempt_log;
struct outcome;
struct task;

struct life { /* of one task */
	struct cloud *cloud;
	const struct task *task;
	const struct stop *stop;
	struct attempt_log *log; /* NULL: standard error */
	struct outcome *outcome;
	struct arena arena;      /* released by the caller */
	struct error error;      /* of what was tried last; the outcome has it only where the task fails */
};

/* Does the task, and leaves in outcome what became of it. */
void life_act(struct life *life);

/* Prints a record for each machine of this installation that the provider has. */
int life_list(struct cloud *cloud, const struct stop *stop, struct error *err);

#endif
