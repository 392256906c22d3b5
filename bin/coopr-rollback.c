/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-rollback: a cluster is brought back to what it was at one of its revisions, after a change that failed, or one that is
 * complete and was a mistake. Exits with 0 once all is done;
 * 1 where it cannot be, or a task failed; 64 on misuse; 75 while something else is done to it; 128 + signal when interrupted.
 */
#include "operation/front.h"
#include "prepare/prepare.h"

static struct front front = {.jobs = FRONT_JOBS};
static long to = -1;

static const struct option_spec options[] = {
	OPTION_NUMBER(0, "to", &to, "N", "to that revision, see coopr history"),
	FRONT_OPTIONS(&front),
	OPTION_END
};

static const struct command command = {
	"coopr-rollback", "[OPTION]... CLUSTER", "Bring a cluster back to one of its revisions.", options,
	"  coopr-rollback --dry-run shop\n"
	"  coopr-rollback shop\n"
	"  coopr-rollback --to 1 shop\n"};

int
main(int argc, char **argv)
{
	struct rollback_parameters parameters = {0};
	struct operation_request request = {.action = "rollback", .prepare = prepare_rollback, .parameters = &parameters};
	char **operands = argv + option_parse(&command, argc, argv);

	request.cluster = front_cluster(&command, operands);
	if (to == 0)
		return option_misuse(&command, "--to: revisions begin with 1");
	parameters.to = to < 0 ? 0 : to;
	return front_operate(&command, &front, &request, operands);
}
