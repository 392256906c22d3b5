/* SPDX-License-Identifier: Apache-2.0
 *
 * What the plugins written in C share, coopr-plugins(7): NAME ACTION, a take record in, one result record
 * out, exit code = status. Plugins in other languages need nothing of this.
 */
#ifndef EXEC_PLUGIN_H
#define EXEC_PLUGIN_H

#include "confine/confine.h"
#include "exec/task-outcome.h"
#include "model/take/task.h"

struct error;
struct service;

struct plugin {
	const char *name;   /* "provider/static" */
	const char *schema; /* what describe prints: a JSON Schema of its fields */
	/* Does the task, and leaves in outcome what became of it. */
	void (*act)(const struct task *task, struct outcome *outcome);
	/* Providers: prints what is there, as node-like records. NULL for an automator. */
	int (*list)(jv provider, struct error *err);
	/* The service behind a plugin that streams (exec/serve.h) and whose schema says so; NULL for any other. */
	const struct service *service;
	unsigned wants; /* of enum confine_want */
	const char *const *state; /* its folders in the state folder, up to NULL; or NULL */
	/* Providers whose schema says "test" or "flavors": prints records "check" of all that can be tried without making anything, and fails
	 * with the first that is not well; prints records "flavor". Else NULL. */
	int (*test)(jv provider, struct error *err);
	int (*flavors)(jv provider, struct error *err);
	/* Providers with volumes: prints these and their snapshots, as list does machines. Else NULL. */
	int (*volumes)(jv provider, struct error *err);
};

/* Does all of a plugin's main: reads, has it done, prints. Returns the exit code. */
int plugin_main(const struct plugin *plugin, int argc, char **argv);

#endif
