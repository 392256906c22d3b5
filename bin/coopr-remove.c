/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-remove: a cluster gives services up; the others stay where they are. Exits with 0 once all is done; 1 where it cannot
 * be, or a task failed; 64 on misuse; 75 while something else is done to it; 128 + signal when interrupted.
 */
#include <stdlib.h>

#include "operation/front.h"
#include "operation/prepare.h"

static struct front front = {.jobs = FRONT_JOBS};
static const char *machines;
static bool allow_moves;

static const struct option_spec options[] = {
	OPTION_STRING('n', "machines", &machines, "N|+N|-N", "to so many machines, or by so many (default: as many as there are)"),
	OPTION_FLAG(0, "allow-moves", &allow_moves, "other services may move to other machines, as few as can be"),
	FRONT_OPTIONS(&front),
	OPTION_END
};

static const struct command command = {
	"coopr-remove", "[OPTION]... CLUSTER SERVICE...", "Take services down.", options,
	"  coopr-remove blog memcached\n"
	"  coopr-remove --dry-run blog memcached\n"};

int
main(int argc, char **argv)
{
	struct amend_parameters parameters = {.amendment.config = jv_invalid()};
	struct operation_request order = {.action = "remove", .prepare = prepare_amend, .parameters = &parameters};
	char **operands = argv + option_parse(&command, argc, argv);

	order.cluster = operands[0];
	parameters.amendment.remove = front_services(&command, operands);
	parameters.amendment.machines = machines;
	parameters.allow_moves = allow_moves;
	return front_operate(&command, &front, &order, operands);
}
