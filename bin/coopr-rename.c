/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-rename: gives a cluster another name; its id and the names of its hosts stay. Exits with 0; 1 where there is no such
 * cluster, or the name is taken; 64 on misuse; 75 while something is done to it.
 */
#include "base/error.h"
#include "base/message.h"
#include "operation/front.h"

static struct front front = {.jobs = FRONT_JOBS};

static const struct option_spec options[] = {
	FRONT_PLACES(&front),
	OPTION_END
};

static const struct command command = {
	"coopr-rename", "[OPTION]... CLUSTER NAME", "Give a cluster another name.", options,
	"  coopr-rename shop store\n"};

int
main(int argc, char **argv)
{
	char **operands = argv + option_parse(&command, argc, argv);
	struct operation_options how = front_options(&command, &front);
	struct operation_context context;
	struct error err;
	int code = 0;

	if (!operands[0] || !operands[1] || operands[2])
		return option_misuse(&command, operands[2] ? "one cluster at a time" : "missing argument %s", operands[0] ? "NAME" : "CLUSTER");
	if (operation_context_open(&context, &how, operands[0], &err) < 0 ||
	    clusters_rename(&context.account, context.id, operands[1], &err) < 0)
		code = message_error(&err);
	operation_context_release(&context);
	return message_end(code);
}
