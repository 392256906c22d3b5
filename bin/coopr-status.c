/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-status: says in a line how a cluster stands; with --probe also which of its machines do not answer, and which
 * services do not run. Exits with 0 where it is active, and all of that is well; 1 where it is anything else, or there
 * is no such cluster; 64 on misuse; 75 where it did not come to rest within the time given.
 */
#include <stdio.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/message.h"
#include "base/table.h"
#include "operation/front.h"
#include "probe/drift.h"
#include "status/status.h"
#include "status/state-line.h"

static struct status_options places;
static bool wait_for_it, quiet, probe;
static long timeout_s = -1, at_once = 32;

static const struct option_spec options[] = {
	OPTION_FLAG(0, "wait", &wait_for_it, "first wait until no operation is running on it"),
	OPTION_RETIRED('w', NULL, "--wait"),
	OPTION_NUMBER(0, "timeout", &timeout_s, "SECONDS", "wait at most so long (exit code 75)"),
	OPTION_RETIRED('t', NULL, "--timeout"),
	OPTION_FLAG(0, "probe", &probe, "ask machines whether they answer, and services whether they run"),
	OPTION_NUMBER('j', "jobs", &at_once, "N", "ask so many in parallel (default: 32)"),
	OPTION_FLAG('q', "quiet", &quiet, "print nothing"),
	STATUS_PLACES(&places),
	STATUS_FORMATS(&places, OUTPUT_LIST),
	OPTION_END
};

static const struct command command = {
	"coopr-status", "[OPTION]... CLUSTER", "Show the state of a cluster. Exit code 0: it is active; 1: it is not.", options,
	"  coopr-status shop\n"
	"  coopr-status --probe shop\n"
	"  coopr-status -q --wait shop && echo ready\n"};

static void
status_print_line(const struct state_line *line, bool colour)
{
	static const char *const columns[] = {"", "", "", NULL};
	struct table table = {0};
	struct buffer text = {0};

	state_line_progress(line, &text);
	if (text.length == 0 && line->cluster.message)
		buffer_text(&text, line->cluster.message);
	table_columns(&table, columns);
	table_cell(&table, STYLE_BOLD, "%s", line->cluster.name);
	table_cell(&table, state_line_style(&line->cluster), "%s", lifecycle_status_name(line->cluster.status));
	table_cell(&table, STYLE_PLAIN, "%s", buffer_string(&text));
	table_print(&table, stdout, colour, false);
	table_release(&table);
	buffer_release(&text);
}

static void
command_status_print(const struct cluster_status *status, const struct drift_list *drift, struct output *output)
{
	const struct state_line line = status_state_line(status);

	if (output_is_records(output))
		list_print(&state_line_clusters, &line, 1, output);
	else
		status_print_line(&line, output->colour);
	drift_print(drift, output);
}

int
main(int argc, char **argv)
{
	const char *cluster = front_cluster(&command, argv + option_parse(&command, argc, argv));
	struct output output = output_open(places.format, places.colour);
	struct drift_list drift = {0};
	struct cluster_status status;
	struct error err;
	int result, code;

	if (at_once < 1)
		return option_misuse(&command, "--jobs: expected a number from 1 on");
	result = status_open(&status, &places, cluster, &err);
	if (result == 0 && (wait_for_it || timeout_s >= 0))
		result = status_wait(&status, timeout_s < 0 ? -1 : (int64_t)timeout_s * 1000, &err);
	if (result == 0 && probe)
		result = status_layout(&status, &err);
	if (result == 0 && probe)
		result = status_probe(&status, (size_t)at_once, &drift, &err);
	if (result == 0 && !quiet)
		command_status_print(&status, &drift, &output);
	code = result < 0 ? message_error(&err) : status.cluster->status == LIFECYCLE_ACTIVE && drift.count == 0 ? 0 : EX_NO;
	drift_release(&drift);
	status_release(&status);
	return message_end(code);
}
