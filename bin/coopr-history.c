/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-history: lists the operations on a cluster, the newest first, or says what one of them has changed, or which tasks it had. Exits with 0; 1 where
 * there is no such cluster or operation, or it has changed nothing; 64 on misuse.
 */
#include "base/error.h"
#include "base/message.h"
#include "operation/front.h"
#include "show/cluster-history.h"

static struct status_options places;
static long difference = -1, plan = -1, limit;

static const struct option_spec options[] = {
	OPTION_NUMBER('d', "diff", &difference, "N", "show what operation N has changed: + - ~"),
	OPTION_NUMBER(0, "plan", &plan, "N", "list the tasks of operation N, as records"),
	OPTION_NUMBER('l', "limit", &limit, "N", "list at most N"),
	STATUS_PLACES(&places),
	STATUS_FORMATS(&places, OUTPUT_LIST),
	OPTION_END
};

static const struct command command = {
	"coopr-history", "[OPTION]... CLUSTER", "List the operations on a cluster.", options,
	"  coopr-history shop\n"
	"  coopr-history -d 1 shop\n"};

static int
history_act(const char *cluster, struct output *output)
{
	struct cluster_status status;
	struct error err;
	int result = status_open(&status, &places, cluster, &err);

	if (result == 0 && plan >= 0) {
		if ((result = cluster_history_tasks(&status, plan, output, &err)) == 0)
			result = error_set(&err, EX_NO, "%s: operation %ld had no plan", status.cluster->name, plan);
	} else if (result == 0 && difference < 0)
		result = cluster_history_print(&status, limit, output, &err);
	else if (result == 0 && (result = cluster_history_changes(&status, difference, output, &err)) == 0)
		result = error_set(&err, EX_NO, "%s: operation %ld did not change the layout", status.cluster->name,
		    difference);
	status_release(&status);
	return result < 0 ? message_error(&err) : 0;
}

int
main(int argc, char **argv)
{
	const char *cluster = front_cluster(&command, argv + option_parse(&command, argc, argv));
	struct output output = output_open(places.format, places.colour);

	option_excludes(&command, "limit", "diff");
	option_excludes(&command, "plan", "diff");
	option_excludes(&command, "plan", "limit");
	if (plan >= 0 && !output_is_records(&output))
		output.format = OUTPUT_JSON;
	return message_end(history_act(cluster, &output));
}
