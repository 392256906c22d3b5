/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-restart: stop and start services, on a cluster. Exits with 0 once all is done; 1 where it cannot be, or a task
 * failed; 64 on misuse; 75 while something else is done to it; 128 + signal when interrupted.
 */
#include <stdlib.h>

#include "operation/front.h"
#include "operation/prepare.h"

static struct front front = {.jobs = FRONT_JOBS};
static struct option_list nodes;
static const char *max_unavailable;

static const struct option_spec options[] = {
	OPTION_LIST('n', "node", &nodes, "NODE", "only on this node (number, id or host name); may be repeated"),
	OPTION_STRING(0, "max-unavailable", &max_unavailable, "N|N%", "a service is down on so many nodes at a time"),
	FRONT_OPTIONS(&front),
	OPTION_END
};

static const struct command command = {
	"coopr-restart", "[OPTION]... CLUSTER [SERVICE]...", "Stop and start services.", options,
	"  coopr-restart blog\n"
	"  coopr-restart blog apache\n"};

int
main(int argc, char **argv)
{
	struct action_parameters parameters = {.action = "restart"};
	struct operation_request order = {.action = "restart", .prepare = prepare_action, .parameters = &parameters};
	char **operands = argv + option_parse(&command, argc, argv);

	order.cluster = front_first(&command, operands);
	parameters.services = front_rest(operands);
	parameters.nodes = (struct string_list){nodes.list, nodes.count};
	parameters.max_unavailable = max_unavailable;
	return front_operate(&command, &front, &order, operands);
}
