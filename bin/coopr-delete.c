/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-delete: deletes a cluster, wholly or half made, with all its machines. What is under way on it is cancelled
 * first. Interrupted in any way, the same command resumes it. Exits with 0 once nothing of it is left; 1 where there is
 * no such cluster, the answer was no, or a task failed; 64 on misuse; 75 while another coopr works on it; 128 + signal
 * when interrupted; else as the stage that failed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/message.h"
#include "operation/find-cluster.h"
#include "operation/front.h"
#include "operation/prepare.h"

static struct front front = {.jobs = FRONT_JOBS};
static bool yes, graceful;

static const struct option_spec options[] = {
	OPTION_FLAG('y', "yes", &yes, "do not ask"),
	OPTION_FLAG(0, "graceful", &graceful, "stop and remove its services first"),
	FRONT_OPTIONS(&front),
	OPTION_END
};

static const struct command command = {
	"coopr-delete", "[OPTION]... CLUSTER", "Delete a cluster with all its machines.", options,
	"  coopr-delete shop\n"
	"  coopr-delete -y shop\n"};

/* Exits where that is what the user wants. */
static void
delete_ask(const char *name)
{
	char answer[16];

	if (!isatty(STDIN_FILENO))
		exit(option_misuse(&command, "%s: not a terminal; use -y to confirm", name));
	fprintf(stderr, "Delete %s with all its machines and what is on them? [y/N] ", name);
	if (!fgets(answer, sizeof answer, stdin) || (answer[0] != 'y' && answer[0] != 'Y')) {
		message("%s: not deleted", name);
		exit(EX_NO);
	}
}

int
main(int argc, char **argv)
{
	struct action_parameters parameters = {.action = "delete"};
	struct operation_request request = {.action = "delete", .prepare = prepare_action, .parameters = &parameters, .preempts = true};
	char **operands = argv + option_parse(&command, argc, argv);
	struct operation_options how = front_options(&command, &front);
	struct error err;

	request.cluster = front_cluster(&command, operands);
	if (find_cluster_check(&how.ask, request.cluster, &err) < 0)
		return message_error(&err);
	if (!yes && !front_is_dry(&front))
		delete_ask(request.cluster);
	parameters.graceful = graceful;
	return front_operate(&command, &front, &request, operands);
}
