/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-rename: gives a cluster another name; its id and the names of its hosts stay. Exits with 0; 1 where there is no such
 * cluster, or the name is taken; 64 on misuse; 75 while something is done to it.
 */
#include <string.h>

#include "base/error.h"
#include "base/message.h"
#include "operation/busy-error.h"
#include "operation/front.h"
#include "operation/workdir.h"

static struct front front = {.jobs = FRONT_JOBS};

static const struct option_spec options[] = {
	FRONT_TURN(&front),
	FRONT_PLACES(&front),
	OPTION_END
};

static const struct command command = {
	"coopr-rename", "[OPTION]... CLUSTER NAME", "Give a cluster another name.", options,
	"  coopr-rename shop store\n"};

/* Writes the layout with the new name to the cluster's folder. */
static int
rename_layout(struct operation_context *context, struct error *err)
{
	const char *layout;

	if (operation_context_find(context, context->workdir.id, err) < 0)
		return -1;
	layout = context->documents.layout;
	return layout && *layout ? workdir_write(&context->workdir, "cluster.ndjson", layout, strlen(layout), err) : 0;
}

/* Finishes what is over on the cluster that has the name: a deletion gives it up. */
static void
rename_settle(const struct operation_options *how, const char *name)
{
	struct operation_context other;
	struct error ignored; /* then the name is free, or it is said to be taken */

	operation_context_open(&other, how, name, &ignored);
	operation_context_release(&other);
}

static int
rename_once(const struct operation_options *how, const char *cluster, const char *name, struct error *err)
{
	struct operation_context context;
	int result = operation_context_open(&context, how, cluster, err) < 0 ||
	    clusters_rename(&context.account, context.id, name, err) < 0 ? -1 : rename_layout(&context, err);

	operation_context_release(&context);
	return result;
}

int
main(int argc, char **argv)
{
	char **operands = argv + option_parse(&command, argc, argv);
	struct operation_options how = front_options(&command, &front);
	struct busy_wait wait = {0};
	struct error err;

	if (!operands[0] || !operands[1] || operands[2])
		return option_misuse(&command, operands[2] ? "expected one cluster" : "missing argument %s", operands[0] ? "NAME" : "CLUSTER");
	rename_settle(&how, operands[1]);
	while (rename_once(&how, operands[0], operands[1], &err) < 0)
		if (!busy_error_wait(&wait, &how, &err))
			return message_error(&err);
	return message_end(0);
}
