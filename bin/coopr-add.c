/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-add, coopr-remove: a cluster gets services, or loses some; the others stay where they are. The name that the
 * program is called by says which. Exits with 0 once all is done; 1 where it cannot be, or a task failed; 64 on misuse; 75
 * while something else is done to the cluster; 128 + signal when interrupted.
 */
#include <string.h>

#include "operation/front.h"
#include "prepare/prepare.h"

static struct front front = {.jobs = FRONT_JOBS};
static const char *machines;
static bool allow_moves;

static const struct option_spec options[] = {
	OPTION_STRING('n', "machines", &machines, "N|+N|-N", "the number of machines, or a change of it (default: +0)"),
	OPTION_FLAG(0, "allow-moves", &allow_moves, "other services may move to other machines; as few as possible do"),
	FRONT_SECRETS(&front),
	FRONT_OPTIONS(&front),
	OPTION_END
};

/* The operation is the part of the name behind "coopr-". */
static const struct command commands[] = {
	{"coopr-add", "[OPTION]... CLUSTER SERVICE...", "Set up more services on a cluster.", options,
		"  coopr-add blog memcached\n"
		"  coopr-add --dry-run blog memcached\n"},
	{"coopr-remove", "[OPTION]... CLUSTER SERVICE...", "Take services down.", options,
		"  coopr-remove blog memcached\n"
		"  coopr-remove --dry-run blog memcached\n"},
	{0}};

int
main(int argc, char **argv)
{
	const struct command *command = option_command(commands, argv[0]);
	char **operands = argv + option_parse(command, argc, argv);
	struct amend_parameters parameters = {.amendment = {.config = jv_invalid(), .machines = machines},
		.allow_moves = allow_moves};
	struct operation_request request = {.cluster = operands[0], .action = command->name + strlen("coopr-"),
		.prepare = prepare_amend, .parameters = &parameters};
	struct string_list services = front_services(command, operands);

	if (command == &commands[0])
		parameters.amendment.add = services;
	else
		parameters.amendment.remove = services;
	return front_operate(command, &front, &request, operands);
}
