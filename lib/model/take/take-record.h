/* SPDX-License-Identifier: Apache-2.0
 *
 * A take record, coopr-queue(1): what coopr-exec and the plugins need to do one task. It is the task record of
 * the plan and, beside its members, those below.
 */
#ifndef MODEL_TAKE_TAKE_RECORD_H
#define MODEL_TAKE_TAKE_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "model/plan.h"

struct arena;
struct buffer;
struct document;
struct error;

struct take_places { /* in a record that was printed: where the null stands that is the value of a member, 0: nowhere */
	size_t log, nodes;
};

struct take_record {
	const char *job;
	const char *task;    /* its id */
	int64_t attempt;
	enum action action;  /* what is to be done: the task's own, or one that undoes it */
	const char *worker;  /* or who took it by hand; NULL: nobody, it is of no queue */
	const char *cluster; /* text of setting_print */
	const char *machine; /* text: the node's record */
	const char *nodes;   /* path of the file of all nodes */
	const char *log;     /* path; NULL: none */
	const char *token;   /* the same for each attempt at one and the same thing */
	struct take_places *places; /* filled in where log and nodes are not known yet; NULL: nobody asks */
	jv source;           /* the task, where it is printed from a value; take_record_print sets it */
};

extern const struct document take_record_table;

/* Appends the record, with a newline, from the task's line of the plan. step gets what
 * a queue_task tells (id, node, service, type, timeout_s, expect_s) and the action, its strings in the arena. */
int take_record_print(const struct take_record *record, const char *task, size_t length, struct arena *arena,
    struct step *step, struct buffer *out, struct error *err);

/* The step of a task's line, strings in the arena. */
int take_record_step(const char *task, size_t length, struct arena *arena, struct step *step, struct error *err);

#endif
