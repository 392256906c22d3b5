/* SPDX-License-Identifier: Apache-2.0
 *
 * Questions to the automators about one cluster: whether a node answers, and whether a service on it runs. Each is a take
 * record with the action status, coopr-plugins(7), that does not come from a queue.
 */
#ifndef PROBE_QUESTION_H
#define PROBE_QUESTION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "model/take/setting.h"

struct buffer;
struct error;
struct layout;
struct names;
struct node;
struct running_task;

struct questions { /* release it, also where it could not be made */
	const struct layout *layout;
	struct arena arena;
	struct setting setting;     /* of the machines that there are */
	jv waiting;                 /* what of the configuration waits for others, as "unexpanded" has it; invalid: nothing does */
	const char *nodes;          /* path of the file of its nodes */
	struct string_list counted; /* services whose instances the configuration asks for */
	struct macro_instance *instances; /* of each of them on each node */
};

/* Prepares all questions about the nodes of the layout, which is borrowed. */
int questions_init(struct questions *questions, const struct layout *layout, struct error *err);
void questions_release(struct questions *questions);

/* Returns whether the status of the service reads something of the configuration that waits for a machine which is still to be made: then a
 * "no" may be said of that. */
bool questions_wait(const struct questions *questions, const char *service);

/* Appends what a task on the node with that number is told of the cluster, as setting_print does. */
int questions_print_cluster(const struct questions *questions, size_t node, struct buffer *out, struct error *err);

struct login_files;

struct question {
	const char *job, *id;  /* what it is called: id is unique in job, job among all who ask */
	size_t node;           /* in the layout */
	const char *service;   /* NULL: about the node itself, */
	const char *type;      /* ... which this automator is asked */
	int64_t timeout_s;     /* at most; less where the service says so */
};

/* Returns the task that asks the question, with what it logs in with, or NULL with a reason in err. */
struct running_task *question_task(const struct questions *questions, const struct question *question, struct login_files *logins,
    struct error *err);

#endif
