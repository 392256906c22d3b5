/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tasks of an operation have printed, on the nodes that one asks for.
 */
#ifndef SHOW_TRANSCRIPT_H
#define SHOW_TRANSCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "queue/read.h"

struct error;
struct operation;
struct cluster_status;
struct target;

struct transcript { /* release it */
	const struct target *target;
	const char *action;       /* only of that one; NULL: of all */
	bool colour, plain;       /* plain: bytes as they are, else what a terminal may get */
	struct cluster_status *status;

	struct arena arena;
	char *job;
	struct transcript_task {
		const struct queue_task_status *task;
		const char *node;     /* what a person calls it */
	} *list;                  /* what was asked for, in the order of the plan */
	size_t count;
};

/* Finds the tasks: of the operation of that number; 0: of the last, or, where it had nothing to do there, of the last one that had.
 * EX_NO where there are none. */
int transcript_open(struct transcript *transcript, struct cluster_status *status, int64_t number, struct error *err);

/* Prints what the newest attempt at each has said: how many have said something, or -1. */
int transcript_print(struct transcript *transcript, struct error *err);

/* The same, and goes on with what is said from then on until the job is over, the node and the task before each line: 0, or EX_NO where the
 * job is not complete; -1. */
int transcript_follow(struct transcript *transcript, struct error *err);

void transcript_release(struct transcript *transcript);

/* Prints a line (length bytes, without its newline) behind prefix. */
void transcript_line(const struct transcript *transcript, const char *prefix, const char *line, size_t length);

#endif
