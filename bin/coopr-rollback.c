/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-rollback: after an operation that failed, a cluster is brought back to what it was before. Exits with 0 once all is done;
 * 1 where it cannot be, or a task failed; 64 on misuse; 75 while something else is done to it; 128 + signal when interrupted.
 */
#include "operation/front.h"
#include "operation/prepare.h"

static struct front front = {.jobs = FRONT_JOBS};

static const struct option_spec options[] = {
	FRONT_OPTIONS(&front),
	OPTION_END
};

static const struct command command = {
	"coopr-rollback", "[OPTION]... CLUSTER", "Undo an operation that failed.", options,
	"  coopr-rollback --dry-run shop\n"
	"  coopr-rollback shop\n"};

int
main(int argc, char **argv)
{
	struct operation_request request = {.action = "rollback", .prepare = prepare_rollback};
	char **operands = argv + option_parse(&command, argc, argv);

	request.cluster = front_cluster(&command, operands);
	return front_operate(&command, &front, &request, operands);
}
