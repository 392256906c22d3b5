/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-clone: makes a cluster like another one: of the same entities, as they were when that was made, with the same
 * services, configuration and number of machines. Interrupted in any way, the same command resumes it. Exits with 0 once
 * all is made; 1 where there is no such cluster, the new one exists already, cannot be, or a task failed; 64 on misuse;
 * 75 while another coopr works on it; 128 + signal when interrupted; else as the stage that failed.
 */
#include "operation/front.h"
#include "prepare/prepare.h"

static struct front front = {.jobs = FRONT_JOBS};
static const char *owner, *group, *lease;

static const struct option_spec options[] = {
	OPTION_STRING(0, "owner", &owner, "USER", "the owner (default: you)"),
	OPTION_STRING(0, "group", &group, "GROUP", "a group whose members may act on it, too"),
	OPTION_STRING(0, "lease", &lease, "TIME", "delete it after that time, as 12h or 2d (default: the template's)"),
	FRONT_OPTIONS(&front),
	OPTION_END
};

static const struct command command = {
	"coopr-clone", "[OPTION]... CLUSTER NAME", "Create a cluster like another one.", options,
	"  coopr-clone shop shop-test\n"
	"  coopr-clone --dry-run shop shop-test\n"};

int
main(int argc, char **argv)
{
	struct operation_request request = {.action = "create", .verb = "clone", .prepare = prepare_clone,
	    .describe = prepare_describe_clone};
	char **operands = argv + option_parse(&command, argc, argv);

	if (!operands[0] || !operands[1] || operands[2])
		return option_misuse(&command, operands[1] ? "expected one cluster" : "missing argument %s", operands[0] ? "NAME" : "CLUSTER");
	request.cluster = operands[1];
	request.parameters = operands[0];
	request.owner = owner;
	request.group = group;
	request.lease_ms = lease ? front_duration(&command, "--lease", lease) : -1;
	return front_operate(&command, &front, &request, operands);
}
