/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-status: says in a line how a cluster stands; with --probe also which of its machines do not answer, and which
 * services do not run. Exits with 0 where it is active and healthy; 1 where it is anything else, or there is no such cluster;
 * 64 on misuse; 75 where nobody has looked for a while, or it did not come to rest within the time given.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/message.h"
#include "base/table.h"
#include "operation/front.h"
#include "operation/target.h"
#include "probe/drift.h"
#include "show/watch.h"
#include "status/status.h"
#include "status/state-line.h"

static struct status_options places;
enum { AT_ONCE = 32, READY_SIZE = 48 };

static struct target_options chosen;
static bool wait_for_it, watches, quiet, probe;
static long timeout_s = -1, at_once = AT_ONCE;

static const struct option_spec options[] = {
	OPTION_FLAG(0, "wait", &wait_for_it, "first wait until no operation on it is in progress"),
	OPTION_FLAG('w', "watch", &watches, "show it again whenever it changes"),
	OPTION_NUMBER(0, "timeout", &timeout_s, "SECONDS", "with --wait: wait at most this long (exit code 75)"),
	OPTION_RETIRED('t', NULL, "--timeout"),
	OPTION_FLAG(0, "probe", &probe, "ask machines whether they answer, and services whether they run"),
	OPTION_NUMBER('j', "jobs", &at_once, "N", "ask at most N machines in parallel (default: 32)"),
	OPTION_LIST('N', "node", &chosen.nodes, "NODE", "with --probe: ask only this node; may be repeated"),
	OPTION_LIST('s', "service", &chosen.services, "SERVICE", "with --probe: ask only nodes with this service; may be repeated"),
	OPTION_FLAG('q', "quiet", &quiet, "print nothing"),
	STATUS_PLACES(&places),
	STATUS_FORMATS(&places, OUTPUT_LIST),
	OPTION_END
};

static const struct command command = {
	"coopr-status", "[OPTION]... CLUSTER[/NODE|/@SERVICE]", "Show the state of a cluster. Exit code 0: it is healthy; 1: it is not; 75: unknown.", options,
	"  coopr-status shop\n"
	"  coopr-status --probe shop\n"
	"  coopr-status --probe shop/1000\n"
	"  coopr-status -q --wait shop && echo ready\n"};

static void
status_print_line(const struct state_line *line, const struct output *output)
{
	static const char *const columns[] = {"", "", "", "", "", NULL};
	char ready[READY_SIZE] = "-";
	struct table table = {0};
	struct buffer text = {0};

	state_line_progress(line, &text);
	if (text.length == 0 && line->cluster.message)
		buffer_text(&text, line->cluster.message);
	if (line->cluster.instances && line->cluster.status != LIFECYCLE_TERMINATED)
		snprintf(ready, sizeof ready, "%" PRId64 "/%" PRId64, line->cluster.ready, line->cluster.instances);
	table_columns(&table, columns);
	table_cell(&table, STYLE_BOLD, "%s", line->cluster.name);
	table_cell(&table, state_line_style(&line->cluster), "%s", lifecycle_state_name(line->cluster.status));
	table_cell(&table, state_line_condition_style(&line->cluster), "%s",
	    line->cluster.status == LIFECYCLE_TERMINATED ? "-" : condition_name(line->cluster.condition));
	table_cell(&table, STYLE_PLAIN, "%s", ready);
	table_cell(&table, STYLE_PLAIN, "%s", buffer_string(&text));
	table_print(&table, output->stream, output->colour, false);
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
		status_print_line(&line, output);
	drift_print(drift, output);
}

/* Exits with 64 where options exclude each other. */
static void
status_check(const struct target *target)
{
	if (at_once < 1)
		exit(option_misuse(&command, "--jobs: expected a number from 1 on"));
	if (watches && (wait_for_it || timeout_s >= 0 || quiet || probe))
		exit(option_misuse(&command, "-w watches; to wait until no operation is running, use --wait"));
	option_excludes(&command, "output", "quiet");
	if (!probe && at_once != AT_ONCE)
		exit(option_misuse(&command, "--jobs: has no effect without --probe"));
	if (!target_is_whole(target) && !probe)
		exit(option_misuse(&command, "a node has no status of its own; to ask it, use --probe"));
}

static int
status_show(struct cluster_status *status, const struct target *target, struct output *output, struct drift_list *drift,
    struct error *err)
{
	if ((wait_for_it || timeout_s >= 0) && status_wait(status, timeout_s < 0 ? -1 : (int64_t)timeout_s * 1000, err) < 0)
		return -1;
	if (probe && (status_layout(status, err) < 0 || (!target_is_whole(target) && target_narrow(target, &status->layout, err) < 0) ||
	    status_probe(status, (size_t)at_once, drift, err) < 0))
		return -1;
	if (!quiet)
		command_status_print(status, drift, output);
	return 0;
}

static int
status_print_again(void *context, struct output *output, struct error *err)
{
	const struct drift_list none = {0};
	struct cluster_status *status = context;

	if (status_again(status, err) < 0)
		return -1;
	command_status_print(status, &none, output);
	return 0;
}

/* Returns the exit code for what is known of the cluster; where only a part of it was asked, for that part. */
static int
status_code(const struct cluster_record *cluster, const struct target *target, const struct drift_list *drift)
{
	if (cluster->status != LIFECYCLE_ACTIVE || drift->count > 0)
		return EX_NO;
	if (!target_is_whole(target))
		return 0;
	return cluster->condition == CONDITION_HEALTHY ? 0 : cluster->condition == CONDITION_UNKNOWN ? EX_TEMPFAIL : EX_NO;
}

int
main(int argc, char **argv)
{
	const char *operand = front_cluster(&command, argv + option_parse(&command, argc, argv));
	struct output output = output_open(places.format, places.colour);
	struct drift_list drift = {0};
	struct cluster_status status;
	const struct watch watch = {.options = &places, .output = &output, .print = status_print_again, .context = &status};
	struct target target;
	struct error err;
	int result, code;

	target_operand_nodes(&command, operand, &chosen, &target);
	status_check(&target);
	result = status_open(&status, &places, target.cluster, &err);
	if (result == 0)
		result = watches ? watch_print(&watch, &err) : status_show(&status, &target, &output, &drift, &err);
	code = result < 0 ? message_error(&err) : status_code(status.cluster, &target, &drift);
	drift_release(&drift);
	status_release(&status);
	target_release(&target);
	return message_end(code);
}
