/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-replace: nodes of a cluster are replaced by new ones. Exits with 0 once all is done; 1 where it cannot be, or a task
 * failed; 64 on misuse; 75 while something else is done to it; 128 + signal when interrupted.
 */
#include <stdlib.h>

#include "operation/front.h"
#include "prepare/prepare.h"
#include "operation/target.h"

static struct front front = {.jobs = FRONT_JOBS};
static const char *max_unavailable;
static struct target_options chosen;
static bool dead;

static const struct option_spec options[] = {
	OPTION_LIST('N', "node", &chosen.nodes, "NODE", "this node (number, id or host name); may be repeated"),
	OPTION_LIST('s', "service", &chosen.services, "SERVICE", "the nodes with this service; may be repeated"),
	OPTION_FLAG(0, "dead", &dead, "the machines do not answer: only delete them"),
	OPTION_STRING(0, "max-unavailable", &max_unavailable, "N|N%", "how many nodes of a service may be down at a time"),
	FRONT_OPTIONS(&front),
	OPTION_END
};

static const struct command command = {
	"coopr-replace", "[OPTION]... CLUSTER[/NODE|/@SERVICE] [NODE]...", "Replace nodes of a cluster by new ones.", options,
	"  coopr-replace shop/1001\n"
	"  coopr-replace --dead shop -N 1001 -N 1002\n"};

/* Returns the names of the nodes: "1001" or "@nginx". */
static struct string_list
replace_choose(struct target *target, const struct string_list *operands)
{
	size_t room = target->nodes.count + target->services.count + operands->count + 1;
	struct string_list names = {.list = arena_alloc(&target->arena, room, sizeof *names.list)};

	for (size_t i = 0; i < target->nodes.count; i++)
		names.list[names.count++] = target->nodes.list[i];
	for (size_t i = 0; i < operands->count; i++)
		names.list[names.count++] = operands->list[i];
	if (names.count && target->services.count)
		exit(option_misuse(&command, "expected nodes or a service, found both"));
	for (size_t i = 0; i < target->services.count; i++)
		names.list[names.count++] = arena_printf(&target->arena, "@%s", target->services.list[i]);
	if (names.count == 0)
		exit(option_misuse(&command, "missing argument NODE"));
	return names;
}

int
main(int argc, char **argv)
{
	struct amend_parameters parameters = {.amendment.config = jv_invalid()};
	struct operation_request request = {.action = "replace", .prepare = prepare_amend, .parameters = &parameters};
	char **operands = argv + option_parse(&command, argc, argv);
	struct string_list rest;
	struct target target;
	int code;

	target_operand_nodes(&command, front_first(&command, operands), &chosen, &target);
	rest = front_rest(operands);
	request.cluster = target.cluster;
	parameters.amendment.replace = replace_choose(&target, &rest);
	if (dead)
		parameters.dead = parameters.amendment.replace;
	parameters.max_unavailable = max_unavailable;
	code = front_operate(&command, &front, &request, operands);
	target_release(&target);
	return code;
}
