/* SPDX-License-Identifier: Apache-2.0
 *
 * What the sandbox needs of a take record: which machine it is about, and what that is to be.
 */
#ifndef SANDBOX_TASK_H
#define SANDBOX_TASK_H

#include <stdint.h>

#include "json/place.h"
#include "sandbox/record.h"
#include "sandbox/volume.h"

struct error;

struct sandbox_task { /* strings live in wanted.arena */
	struct machine wanted;    /* for create: all of it; else what the record happens to say */
	const char *providerid; /* of the machine made before, or NULL */
	const char *nodes;      /* for create: the file of the job's node records, or NULL */
	int64_t timeout_s;
	struct sandbox_volume *volumes; /* that the task is about; only what the record says of them */
	size_t volume_count;
};

enum { TASK_TIMEOUT_S = 60 }; /* where the record has none */

/* Reads a take record to create a machine: all members are required that it takes. */
void sandbox_task_parse_create(const struct place *place, struct sandbox_task *task);

/* Reads a take record, or a record of "list", about a machine that there is or was: by its providerid or the id of its node. */
void sandbox_task_parse(const struct place *place, struct sandbox_task *task);

/* Reads a take record about one volume, which is of no machine. */
void sandbox_task_parse_volume(const struct place *place, struct sandbox_task *task);

/* Has wanted hide the directories where this installation keeps its state. */
int sandbox_task_mask(struct sandbox_task *task, struct error *err);

void sandbox_task_release(struct sandbox_task *task);

#endif
