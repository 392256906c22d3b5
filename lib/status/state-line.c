/* SPDX-License-Identifier: Apache-2.0 */
#include "status/state-line.h"

#include <inttypes.h>

#include "base/clock.h"
#include "cluster/operations.h"
#include "queue/queue.h"
#include "queue/status-print.h"

enum { DAY_MS = 24 * 60 * 60 * 1000 };

enum terminal_style
state_line_style(const struct cluster_record *cluster)
{
	switch (cluster->status) {
	case LIFECYCLE_ACTIVE:
		return STYLE_GOOD;
	case LIFECYCLE_PENDING:
		return STYLE_WARN;
	case LIFECYCLE_TERMINATED:
		return STYLE_DIM;
	default:
		return STYLE_BAD;
	}
}

void
state_line_progress(const struct state_line *line, struct buffer *out)
{
	const struct queue_job *job = line->job;

	if (!line->operation)
		return;
	buffer_text(out, line->operation->action);
	if (!job)
		return;
	buffer_printf(out, " %zu/%zu", job->done + job->skipped, job->tasks);
	if (job->status != QUEUE_RUNNING)
		buffer_printf(out, ", %s", queue_status_name(job->status));
	else if (job->failed)
		buffer_printf(out, ", %zu failed", job->failed);
	if (line->idle)
		buffer_printf(out, ", no worker runs it; coopr retry %s resumes it", line->cluster.name);
}

static void
state_line_fill_id(const void *row, struct list_cell *cell)
{
	const struct state_line *line = row;
	char id[CLUSTER_ID_SIZE];

	list_cell_text(cell, cluster_id_text(line->cluster.id, id));
}

static void
state_line_fill_status(const void *row, struct list_cell *cell)
{
	const struct state_line *line = row;

	list_cell_text(cell, lifecycle_status_name(line->cluster.status));
}

static void
state_line_fill_state(const void *row, struct list_cell *cell)
{
	const struct state_line *line = row;

	list_cell_text(cell, lifecycle_state_name(line->cluster.status));
	cell->style = state_line_style(&line->cluster);
}

enum terminal_style
state_line_condition_style(const struct cluster_record *cluster)
{
	static const enum terminal_style styles[] = {STYLE_WARN, STYLE_GOOD, STYLE_BAD, STYLE_BAD, STYLE_WARN};

	return cluster->status == LIFECYCLE_TERMINATED ? STYLE_DIM : styles[cluster->condition];
}

/* A cluster that is gone is neither well nor not. */
static void
state_line_fill_condition(const void *row, struct list_cell *cell)
{
	const struct state_line *line = row;

	list_cell_text(cell, line->cluster.status == LIFECYCLE_TERMINATED ? NULL : condition_name(line->cluster.condition));
	cell->style = state_line_condition_style(&line->cluster);
}

static void
state_line_fill_ready(const void *row, struct list_cell *cell)
{
	const struct state_line *line = row;
	const struct cluster_record *cluster = &line->cluster;

	list_cell_integer(cell, cluster->ready);
	if (cluster->instances == 0 || cluster->status == LIFECYCLE_TERMINATED)
		list_cell_show(cell, STYLE_PLAIN, "-");
	else
		list_cell_show(cell, cluster->ready < cluster->instances ? STYLE_BAD : STYLE_PLAIN, "%" PRId64 "/%" PRId64, cluster->ready,
		    cluster->instances);
}

static void
state_line_fill_under_way(const void *row, struct list_cell *cell)
{
	const struct state_line *line = row;

	if (!line->operation)
		return;
	buffer_clear(&cell->text);
	state_line_progress(line, &cell->text);
	buffer_clear(&cell->json);
	list_record(&state_line_operations, line->operation, line->job, &cell->json);
}

/* A lease that has ended, but was not yet acted on, ends "now". */
static void
state_line_fill_expires(const void *row, struct list_cell *cell)
{
	const struct state_line *line = row;
	int64_t left_ms = line->cluster.expires_ms - clock_wall_ms();
	char span[CLOCK_RFC3339_SIZE];

	if (!line->cluster.expires_ms)
		return;
	if (line->cluster.status == LIFECYCLE_TERMINATED)
		list_cell_show(cell, STYLE_PLAIN, "-");
	else if (left_ms <= 0)
		list_cell_show(cell, STYLE_BAD, "now");
	else
		list_cell_show(cell, left_ms < DAY_MS ? STYLE_WARN : STYLE_PLAIN, "in %s", clock_span(left_ms, span));
}

static void
state_line_fill_resources(const void *row, struct list_cell *cell)
{
	const struct state_line *line = row;

	list_cell_json(cell, line->cluster.resources ? line->cluster.resources : "{}");
}

#define AT(type, member) LIST_AT(type, struct state_line, member)

static const struct list_column cluster_columns[] = {
	{"TENANT", "tenant", AT(TEXT, cluster.tenant), .when = LIST_WIDE | STATE_LINE_TENANT},
	{"NAME", "name", AT(TEXT, cluster.name), .style = STYLE_BOLD},
	{"ID", "id", .fill = state_line_fill_id},
	{"STATE", "state", .fill = state_line_fill_state},
	{"CONDITION", "condition", .fill = state_line_fill_condition},
	{"READY", "ready", .fill = state_line_fill_ready},
	{"OBSERVED", "observed", AT(AGE, cluster.observed_ms)},
	{NULL, "instances", AT(INTEGER, cluster.instances)},
	{NULL, "status", .fill = state_line_fill_status},
	{"UNDER WAY", "underway", .fill = state_line_fill_under_way, .when = LIST_FILLED},
	{"NODES", "nodes", AT(INTEGER, cluster.nodes)},
	{"COST", "cost", AT(REAL, cluster.cost)},
	{"TEMPLATE", "template", AT(TEXT, cluster.template)},
	{"OWNER", "owner", AT(TEXT, cluster.owner)},
	{"GROUP", "group", AT(TEXT, cluster.group), .when = LIST_WIDE},
	{"PROVIDER", "provider", AT(TEXT, cluster.provider), .when = LIST_WIDE},
	{"AGE", "created", AT(AGE, cluster.created_ms)},
	{"EXPIRES", "expires", AT(TIME, cluster.expires_ms), .fill = state_line_fill_expires,
	    .when = LIST_WIDE | LIST_FILLED},
	{"MESSAGE", "message", AT(TEXT, cluster.message), .when = LIST_WIDE},
	{NULL, "changed", AT(TIME, cluster.changed_ms)},
	{NULL, "folder", AT(TEXT, folder), .when = LIST_SPARSE},
	{NULL, "resources", .fill = state_line_fill_resources},
	{0}};

/* Commands find terminated clusters, and those of other tenants, only by their ids. */
static void
state_line_append_name(const void *row, const void *context, struct buffer *out)
{
	const struct state_line *line = row;
	char id[CLUSTER_ID_SIZE];

	buffer_text(out, context || line->cluster.status == LIFECYCLE_TERMINATED ? cluster_id_text(line->cluster.id, id) :
	    line->cluster.name);
}

const struct list state_line_clusters = {.kind = "clusterstatus", .rows = "clusters", .columns = cluster_columns,
    .row_size = sizeof(struct state_line), .name = state_line_append_name};

static void
operation_line_fill_cluster(const void *row, struct list_cell *cell)
{
	const struct operation *operation = row;
	char id[CLUSTER_ID_SIZE];

	list_cell_text(cell, cluster_id_text(operation->cluster, id));
}

static void
operation_line_fill_begun(const void *row, struct list_cell *cell)
{
	const struct operation *operation = row;
	char time[CLOCK_RFC3339_SIZE];

	list_cell_show(cell, STYLE_PLAIN, "%s", clock_seconds(operation->begun_ms, time));
}

static void
operation_line_fill_status(const void *row, struct list_cell *cell)
{
	const struct operation *operation = row;

	list_cell_text(cell, operation_status_name(operation->status));
	cell->style = operation->status == OPERATION_COMPLETE ? STYLE_GOOD :
	    operation->status < OPERATION_COMPLETE ? STYLE_WARN : STYLE_BAD;
}

static void
operation_line_fill_took(const void *row, struct list_cell *cell)
{
	const struct operation *operation = row;
	int64_t end_ms = operation->ended_ms ? operation->ended_ms : clock_wall_ms();
	char took[CLOCK_RFC3339_SIZE];

	if (operation->job)
		list_cell_show(cell, STYLE_PLAIN, "%s", clock_duration(end_ms - operation->begun_ms, took));
}

static void
operation_line_fill_job_status(const void *row, struct list_cell *cell)
{
	const struct queue_job *job = cell->context;

	(void)row;
	list_cell_text(cell, job ? queue_status_name(job->status) : NULL);
}

static void
operation_line_fill_tasks(const void *row, struct list_cell *cell)
{
	(void)row;
	if (!cell->context)
		return;
	buffer_clear(&cell->json);
	status_print_counts(cell->context, &cell->json);
}

static void
operation_line_fill_revision(const void *row, struct list_cell *cell)
{
	const struct operation *operation = row;

	if (operation->is_revision)
		list_cell_integer(cell, operation->number);
}

#undef AT
#define AT(type, member) LIST_AT(type, struct operation, member)

static const struct list_column operation_columns[] = {
	{"NUMBER", "number", AT(INTEGER, number)},
	{"TIME", "begun", AT(TIME, begun_ms), .fill = operation_line_fill_begun},
	{"USER", "by", AT(TEXT, user)},
	{"ACTION", "action", AT(TEXT, action), .style = STYLE_BOLD},
	{"STATUS", "status", .fill = operation_line_fill_status},
	{"REVISION", "revision", .fill = operation_line_fill_revision, .when = LIST_FILLED | LIST_SPARSE},
	{"TOOK", NULL, .fill = operation_line_fill_took, .when = LIST_FILLED},
	{"MESSAGE", "why", AT(TEXT, why), .when = LIST_FILLED},
	{"DETAILS", "message", AT(TEXT, message), .when = LIST_FILLED},
	{NULL, "cluster", .fill = operation_line_fill_cluster},
	{NULL, "ended", AT(TIME, ended_ms)},
	{NULL, "job", AT(TEXT, job)},
	{NULL, "jobstatus", .fill = operation_line_fill_job_status, .when = LIST_SPARSE},
	{NULL, "tasks", .fill = operation_line_fill_tasks, .when = LIST_SPARSE},
	{0}};

const struct list state_line_operations = {.kind = "operation", .rows = "operations", .columns = operation_columns,
    .row_size = sizeof(struct operation)};
