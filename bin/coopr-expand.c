/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-expand: a cluster gets more machines; what stands on the others stays where it is. Exits with 0 once all is done; 1
 * where it cannot be, or a task failed; 64 on misuse; 75 while something else is done to it; 128 + signal when interrupted.
 */
#include <stdlib.h>

#include "operation/front.h"
#include "prepare/prepare.h"

static struct front front = {.jobs = FRONT_JOBS};
static const char *machines = "+1";
static bool allow_moves;

static const struct option_spec options[] = {
	OPTION_STRING('n', "machines", &machines, "N|+N", "the number of machines, or how many more (default: +1)"),
	OPTION_FLAG(0, "allow-moves", &allow_moves, "services may move to other machines; as few as possible do"),
	FRONT_SECRETS(&front),
	FRONT_OPTIONS(&front),
	OPTION_END
};

static const struct command command = {
	"coopr-expand", "[OPTION]... CLUSTER", "Add machines to a cluster.", options,
	"  coopr-expand shop\n"
	"  coopr-expand -n 6 --dry-run shop\n"};

int
main(int argc, char **argv)
{
	struct amend_parameters parameters = {.amendment.config = jv_invalid()};
	struct operation_request request = {.action = "expand", .prepare = prepare_amend, .parameters = &parameters};
	char **operands = argv + option_parse(&command, argc, argv);

	request.cluster = front_cluster(&command, operands);
	if (*machines == '-')
		return option_misuse(&command, "'%s' is fewer machines; use coopr shrink", machines);
	parameters.amendment.machines = machines;
	parameters.allow_moves = allow_moves;
	parameters.amendment.direction = 1;
	return front_operate(&command, &front, &request, operands);
}
