/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-retry: an operation that failed, or was given up, goes on: what is not done of it is tried again; where only one before
 * the last has failed, services are configured and started anew. Exits with 0 once all is done; 1 where there is no such
 * operation, or a task failed; 64 on misuse; 75 while something else is done to the cluster; 128 + signal when interrupted.
 */
#include "operation/front.h"
#include "prepare/prepare.h"

static struct front front = {.jobs = FRONT_JOBS};

static const struct option_spec options[] = {
	FRONT_SECRETS(&front),
	FRONT_WORK(&front),
	FRONT_PLACES(&front),
	FRONT_ANSWER(&front),
	OPTION_END
};

static const struct command command = {
	"coopr-retry", "[OPTION]... CLUSTER", "Continue an operation that failed.", options,
	"  coopr-retry shop\n"};

int
main(int argc, char **argv)
{
	const struct action_parameters parameters = {.action = "configure-with-restart"};
	struct operation_request anew = {.action = "repair", .verb = "retry", .prepare = prepare_action, .parameters = &parameters};
	char **operands = argv + option_parse(&command, argc, argv);

	anew.cluster = front_cluster(&command, operands);
	return front_retry(&command, &front, &anew, operands);
}
