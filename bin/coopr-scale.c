/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-scale: a cluster has so many instances of a service from now on; machines come and leave as that needs. Exits with 0 once
 * all is done; 1 where it cannot be, or a task failed; 64 on misuse; 75 while something else is done to it; 128 + signal when
 * interrupted.
 */
#include <string.h>

#include "operation/front.h"
#include "prepare/prepare.h"

static struct front front = {.jobs = FRONT_JOBS};
static const char *max_unavailable;
static bool allow_moves, force;

static const struct option_spec options[] = {
	OPTION_FLAG(0, "force", &force, "also with fewer machines than the template needs"),
	OPTION_FLAG(0, "allow-moves", &allow_moves, "other services may move to other machines; as few as possible do"),
	OPTION_STRING(0, "max-unavailable", &max_unavailable, "N|N%", "how many nodes of a service may be down at a time"),
	FRONT_OPTIONS(&front),
	OPTION_END
};

static const struct command command = {
	"coopr-scale", "[OPTION]... CLUSTER SERVICE=N|+N|-N...", "Set the number of instances of services.", options,
	"  coopr-scale --dry-run shop apache=3\n"
	"  coopr-scale shop apache=+1 memcached=2\n"
	"  coopr-scale shop apache=auto     as the template says\n"};

int
main(int argc, char **argv)
{
	struct amend_parameters parameters = {.amendment.config = jv_invalid(), .amendment.open = true};
	struct operation_request request = {.action = "scale", .prepare = prepare_amend, .parameters = &parameters};
	char **operands = argv + option_parse(&command, argc, argv);

	request.cluster = front_first(&command, operands);
	parameters.amendment.instances = front_rest(operands);
	if (parameters.amendment.instances.count == 0)
		return option_misuse(&command, "missing argument SERVICE=N");
	for (size_t i = 0; i < parameters.amendment.instances.count; i++)
		if (!strchr(parameters.amendment.instances.list[i], '='))
			return option_misuse(&command, "expected SERVICE=N, found '%s'", parameters.amendment.instances.list[i]);
	parameters.allow_moves = allow_moves;
	parameters.amendment.insists = force;
	parameters.max_unavailable = max_unavailable;
	return front_operate(&command, &front, &request, operands);
}
