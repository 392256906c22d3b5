/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-replace: nodes of a cluster are replaced by new ones. Exits with 0 once all is done; 1 where it cannot be, or a task
 * failed; 64 on misuse; 75 while something else is done to it; 128 + signal when interrupted.
 */
#include <stdlib.h>

#include "operation/front.h"
#include "operation/prepare.h"

static struct front front = {.jobs = FRONT_JOBS};
static const char *max_unavailable;
static bool dead;

static const struct option_spec options[] = {
	OPTION_FLAG(0, "dead", &dead, "the machines do not answer: nothing is done on them any more"),
	OPTION_STRING(0, "max-unavailable", &max_unavailable, "N|N%", "how many nodes of a service may be down at a time"),
	FRONT_OPTIONS(&front),
	OPTION_END
};

static const struct command command = {
	"coopr-replace", "[OPTION]... CLUSTER NODE...", "Replace nodes of a cluster by new ones.", options,
	"  coopr-replace --dead shop 1001\n"};

int
main(int argc, char **argv)
{
	struct amend_parameters parameters = {.amendment.config = jv_invalid()};
	struct operation_request request = {.action = "replace", .prepare = prepare_amend, .parameters = &parameters};
	char **operands = argv + option_parse(&command, argc, argv);

	request.cluster = front_first(&command, operands);
	parameters.amendment.replace = front_rest(operands);
	if (parameters.amendment.replace.count == 0)
		return option_misuse(&command, "missing argument NODE");
	if (dead)
		parameters.dead = parameters.amendment.replace;
	parameters.max_unavailable = max_unavailable;
	return front_operate(&command, &front, &request, operands);
}
