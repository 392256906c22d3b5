/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-delete: deletes a cluster, wholly or half made, with all its machines. What is under way on it is cancelled
 * first. Interrupted in any way, the same command resumes it. Exits with 0 once nothing of it is left; 1 where there is
 * no such cluster, the answer was no, or a task failed; 64 on misuse; 75 while another coopr works on it; 128 + signal
 * when interrupted; else as the stage that failed.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "base/plural.h"
#include "cluster/archives.h"
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

/* Tells of the archives that the cluster leaves, and makes the plan. */
static int
delete_prepare(struct operation_context *context, const void *parameters, struct error *err)
{
	struct archive_list list = {0};
	char *text;

	if (archives_list(&context->account, context->cluster->id, &list, err) < 0) {
		archive_list_release(&list);
		return -1;
	}
	if (list.count) {
		text = memory_printf("%s: %zu archive%s of its services stay%s as long as the cluster's definitions say; coopr backup --list %s "
		    "lists them", context->cluster->name, list.count, plural(list.count, "", "s"), plural(list.count, "s", ""),
		    context->workdir.id);
		context->options->runner.notice(text);
		free(text);
	}
	archive_list_release(&list);
	return prepare_action(context, parameters, err);
}

int
main(int argc, char **argv)
{
	struct action_parameters parameters = {.action = "delete"};
	struct operation_request request = {.action = "delete", .prepare = delete_prepare, .parameters = &parameters, .preempts = true,
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
