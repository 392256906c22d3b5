/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-start, coopr-stop, coopr-restart: start or stop services on a cluster, with those they need or those that need them;
 * the name that the program is called by says which. Exits with 0 once all is done; 1 where it cannot be, or a task failed;
 * 64 on misuse; 75 while something else is done to the cluster; 128 + signal when interrupted.
 */
#include <string.h>

#include "operation/front.h"
#include "prepare/prepare.h"
#include "operation/target.h"

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

/* The operands name services, so CLUSTER/@SERVICE is the service wherever it is. With a service behind it, it is the nodes that
 * have it. */
static void
start_choose(struct target *target, const struct string_list *operands, struct action_parameters *parameters)
{
	size_t room = target->nodes.count + target->services.count + operands->count + 1;
	struct string_list nodes = {.list = arena_alloc(&target->arena, room, sizeof *nodes.list)};
	struct string_list services = {.list = arena_alloc(&target->arena, room, sizeof *services.list)};

	for (size_t i = 0; i < target->nodes.count; i++)
		nodes.list[nodes.count++] = target->nodes.list[i];
	for (size_t i = 0; i < target->services.count; i++) {
		if (target->service)
			nodes.list[nodes.count++] = arena_printf(&target->arena, "@%s", target->services.list[i]);
		else
			services.list[services.count++] = target->services.list[i];
	}
	if (target->service)
		services.list[services.count++] = target->service;
	for (size_t i = 0; i < operands->count; i++)
		services.list[services.count++] = operands->list[i];
	parameters->nodes = nodes;
	parameters->services = services;
}

int
main(int argc, char **argv)
{
	const struct command *command = option_command(commands, argv[0]);
	const char *action = command->name + strlen("coopr-");
	char **operands = argv + option_parse(command, argc, argv);
	struct action_parameters parameters = {.action = action, .max_unavailable = max_unavailable};
	struct operation_request request = {.action = action, .prepare = prepare_action, .parameters = &parameters};
	struct string_list rest;
	struct target target;
	int code;

	target_operand(command, front_first(command, operands), &chosen, &target);
	rest = front_rest(operands);
	start_choose(&target, &rest, &parameters);
	request.cluster = target.cluster;
	code = front_operate(command, &front, &request, operands);
	target_release(&target);
	return code;
}
