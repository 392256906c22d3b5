/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints the output of the tasks of an operation on the nodes of a target. Hides where logs are, and how they grow.
 */
#ifndef SHOW_TRANSCRIPT_H
#define SHOW_TRANSCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "queue/read.h"

struct buffer;
struct error;
struct operation;
struct cluster_status;
struct target;

struct transcript { /* release it */
	const struct target *target;
	const char *action;       /* only of that one; NULL: of all */
	bool colour, plain;       /* plain: unchanged bytes, else those that a terminal may get */
	struct cluster_status *status;

	struct arena arena;
	char *job;
	struct transcript_task {
		const struct queue_task_status *task;
		const char *node;     /* what a person calls it */
	} *list;                  /* what was asked for, in the order of the plan */
	size_t count;
};

/* Finds the tasks of operation number; if that is 0, of the last operation that had any on the target. Fails with EX_NO if there
 * are none. */
int transcript_open(struct transcript *transcript, struct cluster_status *status, int64_t number, struct error *err);

/* Prints the output of the newest attempt at each. Returns the number of tasks that have printed something, or -1. */
int transcript_print(struct transcript *transcript, struct error *err);

/* Does the same, and continues until the job is over, with node and task before each line. Returns 0, EX_NO if the job is not
 * complete, or -1. */
int transcript_follow(struct transcript *transcript, struct error *err);

void transcript_release(struct transcript *transcript);

/* Prints the complete lines of text, each behind prefix, and if over the rest too; removes them from text. */
void transcript_print_lines(const struct transcript *transcript, const char *prefix, struct buffer *text, bool over);

#endif
