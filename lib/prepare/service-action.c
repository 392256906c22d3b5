/* SPDX-License-Identifier: Apache-2.0 */
#include "prepare/service-action.h"

#include "operation/front.h"
#include "operation/target.h"
#include "prepare/prepare.h"

/* The operands name services, so CLUSTER/@SERVICE is the service wherever it is. With a service behind it, it is the nodes that
 * have it. */
static void
service_action_choose(struct target *target, const struct string_list *operands, struct action_parameters *parameters)
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
service_action(const struct command *command, const struct front *front, const struct target_options *chosen,
    struct action_parameters *parameters, char **operands)
{
	struct operation_request request = {.action = parameters->action, .prepare = prepare_action, .parameters = parameters};
	struct string_list rest;
	struct target target;
	int code;

	target_operand(command, front_first(command, operands), chosen, &target);
	rest = front_rest(operands);
	service_action_choose(&target, &rest, parameters);
	request.cluster = target.cluster;
	code = front_operate(command, front, &request, operands);
	target_release(&target);
	return code;
}
