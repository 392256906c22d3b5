/* SPDX-License-Identifier: Apache-2.0
 *
 * What the plugins written in C share, coopr-plugins(7): NAME ACTION, a take record in, one result record
 * out, exit code = status. Plugins in other languages need nothing of this.
 */
#ifndef EXEC_PLUGIN_H
#define EXEC_PLUGIN_H

#include "base/error.h"
#include "exec/task.h"
#include "json/json.h"

struct outcome { /* initialise with OUTCOME_NONE */
	struct error error; /* code 0: it is done */
	char *hostname;     /* owned, or NULL */
	jv ipaddresses;     /* owned; invalid where nothing is to be said */
	jv facts;           /* the same */
};

#define OUTCOME_NONE \
	((struct outcome){.error = {0, ""}, .hostname = NULL, .ipaddresses = jv_invalid(), .facts = jv_invalid()})

struct service;

struct plugin {
	const char *name;   /* "provider/static" */
	const char *schema; /* what describe prints: a JSON Schema of its fields */
	/* Does the task, and leaves in outcome what became of it. */
	void (*act)(const struct task *task, struct outcome *outcome);
	/* Providers: prints what is there, as node-like records. NULL for an automator. */
	int (*list)(jv provider, struct error *err);
	/* Where it streams (exec/serve.h), and its schema says so: how. Else NULL. */
	const struct service *service;
};

/* The whole of a plugin's main: reads, has it done, prints. Returns the exit code. */
int plugin_main(const struct plugin *plugin, int argc, char **argv);

/* Sets outcome's error from what is wrong with the fields, all of it; EX_CONFIG. Returns -1 where there is
 * something. */
int plugin_check_fields(const struct problems *problems, struct outcome *outcome);

/* The same for the task as a whole; EX_DATAERR. */
int plugin_check_task(const struct problems *problems, struct outcome *outcome);

/* The result record (owned) that says so. */
jv plugin_result(const struct task *task, const struct outcome *outcome);
void plugin_outcome_release(struct outcome *outcome);

#endif
