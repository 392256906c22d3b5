/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-shrink: a cluster gives machines up; what stands on the others stays where it is. Exits with 0 once all is done; 1
 * where it cannot be, or a task failed; 64 on misuse; 75 while something else is done to it; 128 + signal when interrupted.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "operation/front.h"
#include "prepare/prepare.h"

static struct front front = {.jobs = FRONT_JOBS};
static const char *machines;
static struct option_list nodes;
static bool allow_moves, force;

static const struct option_spec options[] = {
	OPTION_STRING('n', "machines", &machines, "N|-N", "the number of machines, or how many fewer (default: -1)"),
	OPTION_LIST('N', "node", &nodes, "NODE", "remove this node (number, id or host name); may be repeated"),
	OPTION_FLAG(0, "force", &force, "also with fewer machines than the template needs"),
	OPTION_FLAG(0, "allow-moves", &allow_moves, "services may move to other machines; as few as possible do"),
	FRONT_OPTIONS(&front),
	OPTION_END
};

static const struct command command = {
	"coopr-shrink", "[OPTION]... CLUSTER", "Remove machines from a cluster.", options,
	"  coopr-shrink shop\n"
	"  coopr-shrink -n 3 --dry-run shop\n"};

int
main(int argc, char **argv)
{
	struct amend_parameters parameters = {.amendment.config = jv_invalid()};
	struct operation_request request = {.action = "shrink", .prepare = prepare_amend, .parameters = &parameters};
	char **operands = argv + option_parse(&command, argc, argv), fewer[32];

	request.cluster = front_cluster(&command, operands);
	if (machines && *machines == '+')
		return option_misuse(&command, "'%s' is more machines; use coopr expand", machines);
	snprintf(fewer, sizeof fewer, "-%zu", nodes.count ? nodes.count : 1);
	parameters.amendment.machines = machines ? machines : fewer;
	parameters.amendment.replace = (struct string_list){nodes.list, nodes.count};
	parameters.allow_moves = allow_moves;
	parameters.amendment.insists = force;
	parameters.amendment.direction = -1;
	return front_operate(&command, &front, &request, operands);
}
