/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-stop: stop services, and all that need them, on a cluster. Exits with 0 once all is done; 1 where it cannot be, or a task
 * failed; 64 on misuse; 75 while something else is done to it; 128 + signal when interrupted.
 */
#include <stdlib.h>

#include "operation/front.h"
#include "operation/prepare.h"

static struct front front = {.jobs = FRONT_JOBS};
static struct option_list nodes;

static const struct option_spec options[] = {
	OPTION_LIST('n', "node", &nodes, "NODE", "only on this node (number, id or host name); may be repeated"),
	FRONT_OPTIONS(&front),
	OPTION_END
};

static const struct command command = {
	"coopr-stop", "[OPTION]... CLUSTER [SERVICE]...", "Stop services, and all that need them.", options,
	"  coopr-stop blog\n"
	"  coopr-stop blog apache\n"};

int
main(int argc, char **argv)
{
	struct action_parameters parameters = {.action = "stop"};
	struct operation_request order = {.action = "stop", .prepare = prepare_action, .parameters = &parameters};
	char **operands = argv + option_parse(&command, argc, argv);

	order.cluster = front_first(&command, operands);
	parameters.services = front_rest(operands);
	parameters.nodes = (struct string_list){nodes.list, nodes.count};
	return front_operate(&command, &front, &order, operands);
}
