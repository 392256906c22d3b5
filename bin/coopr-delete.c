/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-delete: deletes a cluster, wholly or half made, with all its machines. What is under way on it is cancelled
 * first. Interrupted in any way, the same command resumes it. Exits with 0 once nothing of it is left; 1 where there is
 * no such cluster, the answer was no, or a task failed; 64 on misuse; 75 while another coopr works on it; 128 + signal
 * when interrupted; else as the stage that failed.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/plural.h"
#include "cluster/archives.h"
#include "cluster/volumes.h"
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

/* Tells of the archives that the cluster leaves. */
static int
delete_tell_archives(struct operation_context *context, struct error *err)
{
	struct archive_list list = {0};
	int result = archives_list(&context->account, context->cluster->id, &list, err);
	char *text;

	if (result == 0 && list.count) {
		text = memory_printf("%s: %zu archive%s of its services stay%s as long as the cluster's definitions say; coopr backup --list %s "
		    "lists them", context->cluster->name, list.count, plural(list.count, "", "s"), plural(list.count, "s", ""),
		    context->workdir.id);
		context->options->runner.notice(text);
		free(text);
	}
	archive_list_release(&list);
	return result;
}

/* Tells of the volumes and snapshots that it leaves, which take room, and cost, until somebody deletes them. */
static int
delete_tell_volumes(struct operation_context *context, struct error *err)
{
	struct volume_list list = {0};
	int result = volumes_list(&context->account, context->workdir.id, false, &list, err);
	int64_t size_gb = 0;
	double cost = 0;
	size_t count = 0;
	char *text, *price;

	for (size_t i = 0; i < list.count; i++)
		if (volume_stays(&list.list[i])) {
			count++;
			size_gb += list.list[i].size_gb;
			cost += list.list[i].cost;
		}
	if (result == 0 && count) {
		price = cost > 0 ? memory_printf(", cost %g an hour", cost) : memory_string("");
		text = memory_printf("%s: %zu volume%s or snapshot%s of it stay%s, %" PRId64 " GiB%s, until somebody deletes %s; coopr volume list %s "
		    "lists %s", context->cluster->name, count, plural(count, "", "s"), plural(count, "", "s"), plural(count, "s", ""), size_gb, price,
		    plural(count, "it", "them"), context->workdir.id, plural(count, "it", "them"));
		context->options->runner.notice(text);
		free(price);
		free(text);
	}
	volume_list_release(&list);
	return result;
}

/* Tells what stays, and makes the plan. */
static int
delete_prepare(struct operation_context *context, const void *parameters, struct error *err)
{
	return delete_tell_archives(context, err) < 0 || delete_tell_volumes(context, err) < 0 ? -1 : prepare_action(context, parameters, err);
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
