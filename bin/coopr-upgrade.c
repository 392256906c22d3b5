/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-upgrade: a cluster is brought to what its template, its services and the types are today; services are stopped,
 * installed, configured and started where their definition has changed. Exits with 0 once all is done; 1 where it cannot be, or a
 * task failed; 64 on misuse; 75 while something else is done to it; 128 + signal when interrupted.
 */
#include <stdlib.h>

#include "base/message.h"
#include "operation/front.h"
#include "prepare/prepare.h"

static struct front front = {.jobs = FRONT_JOBS};
static const char *template, *catalogue, *max_unavailable;
static bool allow_moves, force;

static const struct option_spec options[] = {
	OPTION_STRING('t', "template", &template, "TEMPLATE", "the template from now on (default: its present one)"),
	OPTION_STRING('C', "catalogue", &catalogue, "DIR", "take entities from here (default: as before)"),
	OPTION_FLAG(0, "force", &force, "also with fewer machines than the template needs"),
	OPTION_FLAG(0, "allow-moves", &allow_moves, "services may move to other machines; as few as possible do"),
	OPTION_STRING(0, "max-unavailable", &max_unavailable, "N|N%", "how many nodes of a service may be down at a time"),
	FRONT_SECRETS(&front),
	FRONT_OPTIONS(&front),
	OPTION_END
};

static const struct command command = {
	"coopr-upgrade", "[OPTION]... CLUSTER", "Bring a cluster up to date with its template and services.", options,
	"  coopr-upgrade --dry-run shop\n"
	"  coopr-upgrade --max-unavailable 25% shop\n"};

int
main(int argc, char **argv)
{
	struct arguments arguments = {0};
	struct make_parameters parameters = {.request = &arguments};
	struct operation_request request = {.action = "upgrade", .prepare = prepare_upgrade,
	    .describe = prepare_describe_upgrade, .parameters = &parameters};
	char **operands = argv + option_parse(&command, argc, argv);
	int code;

	request.cluster = front_cluster(&command, operands);
	if (template)
		arguments_printf(&arguments, "--template=%s", template);
	if (catalogue)
		arguments_printf(&arguments, "--catalogue=%s", catalogue);
	if (force)
		arguments_push(&arguments, "--force");
	parameters.max_unavailable = max_unavailable;
	parameters.allow_moves = allow_moves;
	code = front_operate(&command, &front, &request, operands);
	arguments_release(&arguments);
	return code;
}
