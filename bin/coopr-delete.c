/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-delete: deletes a cluster, wholly or half made, with all its machines. What is under way on it is cancelled
 * first. Interrupted in any way, the same command resumes it. Exits with 0 once nothing of it is left; 1 where there is
 * no such cluster, the answer was no, or a task failed; 64 on misuse; 75 while another coopr works on it; 128 + signal
 * when interrupted; else as the stage that failed.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "operation/front.h"
#include "prepare/prepare.h"

static struct front front = {.jobs = FRONT_JOBS};
static bool graceful;

static const struct option_spec options[] = {
	OPTION_FLAG(0, "graceful", &graceful, "stop and remove its services first"),
	FRONT_OPTIONS(&front),
	OPTION_END
};

static const struct command command = {
	"coopr-delete", "[OPTION]... CLUSTER", "Delete a cluster with all its machines.", options,
	"  coopr-delete shop\n"
	"  coopr-delete -y shop\n"};

int
main(int argc, char **argv)
{
	struct action_parameters parameters = {.action = "delete"};
	struct operation_request request = {.action = "delete", .prepare = prepare_action, .parameters = &parameters, .preempts = true,
		.consent = {.refused = "not deleted"}};
	char **operands = argv + option_parse(&command, argc, argv);
	char *question;
	int code;

	request.cluster = front_cluster(&command, operands);
	parameters.graceful = graceful;
	request.consent.question = question = memory_printf("Delete %s with all its machines and what is on them?", request.cluster);
	code = front_operate(&command, &front, &request, operands);
	free(question);
	return code;
}
