/* SPDX-License-Identifier: Apache-2.0
 *
 * What automators over ssh share: a task is one round trip to its node, alone or as one of many over connections that are kept. An
 * automator says what goes there; how it gets there, is ended, and what comes back is known here.
 */
#ifndef AUTOMATOR_AUTOMATOR_H
#define AUTOMATOR_AUTOMATOR_H

#include <stdbool.h>

#include "base/memory.h"
#include "base/process.h"
#include "model/take/task.h"
#include "ssh/bundle.h"

struct error;
struct remote_answer;
struct outcome;

struct automator_work { /* what is to be done on the node for one task */
	const char *name, *args; /* for messages: "web.sh", "start" */
	struct bundle bundle;
	struct arguments words;  /* the arguments of the program that the bundle starts */
	const char *user;        /* whom it runs as; NULL: the user who logs in, or becomes root for it */
	bool become_root;        /* first, through sudo */
	bool ends_descendants;   /* what leaves the process group ends with it, when the task is cancelled */
	const char *complaint;   /* begins the lines that give the reason of a failure; NULL: the last line does */
};

struct automator {
	const char *name;   /* "automator/shell" */
	const char *schema; /* what describe prints; it says "stream" and "status" */
	/* Fills the work. Returns -1 with the reason. Where it is NULL or says so, bootstrap only checks the node. */
	int (*prepare)(const struct task *task, struct arena *arena, struct automator_work *work, struct error *err);
	bool has_bootstrap; /* prepare also knows bootstrap */
	/* Changes what the answer means, whatever the status is, or NULL. */
	void (*take_answer)(const struct task *task, const struct remote_answer *answer, struct outcome *outcome);
};

/* Chooses whom a program runs as: user, or root (NULL). No sudo is needed to run it as the user who logs in. */
void automator_choose_user(const struct task *task, const char *user, struct automator_work *work);

/* Adds a file of share/coopr/shell to what goes to the node. */
int automator_add_file(const char *name, enum bundle_kind kind, struct bundle *bundle, struct error *err);

/* Does all of an automator's main. Returns the exit code. */
int automator_main(const struct automator *automator, int argc, char **argv);

#endif
