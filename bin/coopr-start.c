/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-start, coopr-stop, coopr-restart: start or stop services on a cluster, with those they need or those that need them;
 * the name that the program is called by says which. Exits with 0 once all is done; 1 where it cannot be, or a task failed;
 * 64 on misuse; 75 while something else is done to the cluster; 128 + signal when interrupted.
 */
#include <string.h>

#include "operation/front.h"
#include "operation/target.h"
#include "prepare/prepare.h"
#include "prepare/service-action.h"

static struct front front = {.jobs = FRONT_JOBS};
static struct target_options chosen;
static const char *max_unavailable;

#define NODES \
	TARGET_NODES(&chosen), \
	OPTION_LIST('s', "service", &chosen.services, "SERVICE", "only this service; may be repeated"), \
	OPTION_RETIRED('n', NULL, "-N")

static const struct option_spec options[] = {NODES, FRONT_OPTIONS(&front), OPTION_END};

static const struct option_spec restart_options[] = {
	NODES,
	OPTION_STRING(0, "max-unavailable", &max_unavailable, "N|N%", "how many nodes of a service may be down at a time"),
	FRONT_OPTIONS(&front),
	OPTION_END
};

/* The operation, and the cluster action that it plans, is the part of the name behind "coopr-". */
static const struct command commands[] = {
	{"coopr-start", "[OPTION]... CLUSTER[/NODE|/@SERVICE][/SERVICE] [SERVICE]...", "Start services, and the services that they need.", options,
		"  coopr-start blog\n"
		"  coopr-start blog apache\n"
		"  coopr-start blog/1002\n"},
	{"coopr-stop", "[OPTION]... CLUSTER[/NODE|/@SERVICE][/SERVICE] [SERVICE]...", "Stop services, and the services that need them.", options,
		"  coopr-stop blog\n"
		"  coopr-stop blog apache\n"},
	{"coopr-restart", "[OPTION]... CLUSTER[/NODE|/@SERVICE][/SERVICE] [SERVICE]...", "Stop and start services.", restart_options,
		"  coopr-restart blog\n"
		"  coopr-restart blog -N 1002 -s apache\n"
		"  coopr-restart blog apache\n"},
	{0}};

int
main(int argc, char **argv)
{
	const struct command *command = option_command(commands, argv[0]);
	char **operands = argv + option_parse(command, argc, argv);
	struct action_parameters parameters = {.action = command->name + strlen("coopr-"), .max_unavailable = max_unavailable};

	return service_action(command, &front, &chosen, &parameters, operands);
}
