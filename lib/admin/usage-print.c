/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/usage-print.h"

#include <stdio.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "cluster/clusters.h"
#include "json/json.h"
#include "model/show/list.h"

enum { DAY_MS = 24 * 60 * 60 * 1000 };

/* Adds a label as Prometheus wants it: {tenant="qa",user="ann"}. */
static void
usage_add_label(struct buffer *labels, const char *name, const char *value)
{
	buffer_printf(labels, "%s%s=\"", labels->length ? "," : "", name);
	for (; *value; value++) {
		if (*value == '\\' || *value == '"')
			buffer_byte(labels, '\\');
		buffer_text(labels, *value == '\n' ? "\\n" : (char[]){*value, '\0'});
	}
	buffer_byte(labels, '"');
}

static void
usage_print_metric(const char *name, const struct buffer *labels, double value)
{
	printf(labels->length ? "%s{%s} %.10g\n" : "%s%s %.10g\n", name, labels->length ? labels->data : "", value);
}

static void
usage_print_family(const char *name, const char *type, const char *help)
{
	printf("# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void
usage_print_metrics(const struct usage *usage, const struct usage_question *question)
{
	static const struct {
		const char *name, *type, *help;
	} families[] = {
	    {"coopr_node_hours_total", "counter", "Hours that nodes have lived."},
	    {"coopr_volume_gb_hours_total", "counter", "Hours that GiB of volumes have been there."},
	    {"coopr_cost_total", "counter", "What they have cost."},
	    {"coopr_nodes", "gauge", "Nodes that live."},
	};
	struct buffer labels = {0};

	for (size_t family = 0; family < sizeof families / sizeof *families; family++) {
		usage_print_family(families[family].name, families[family].type, families[family].help);
		for (size_t i = 0; i < usage->count; i++) {
			const struct usage_row *row = &usage->rows[i];
			const double values[] = {row->node_hours, row->volume_gb_hours, row->cost, (double)row->nodes};

			buffer_clear(&labels);
			for (int by = 0; by < USAGE_BY_COUNT; by++)
				if (question->by[by])
					usage_add_label(&labels, usage_by_name((enum usage_by)by), row->values[by] ? row->values[by] : "");
			if (question->by[USAGE_CLUSTER])
				usage_add_label(&labels, "id", row->cluster_id);
			usage_print_metric(families[family].name, &labels, values[family]);
		}
	}
	buffer_release(&labels);
}

/* Prints one gauge of each cluster; with its condition as a label where there is no number. */
static void
usage_print_gauge(const struct cluster_list *clusters, const char *name, const char *help, size_t offset)
{
	struct buffer labels = {0};
	char id[CLUSTER_ID_SIZE];

	usage_print_family(name, "gauge", help);
	for (size_t i = 0; i < clusters->count; i++) {
		const struct cluster_record *cluster = &clusters->list[i];

		buffer_clear(&labels);
		usage_add_label(&labels, "tenant", cluster->tenant);
		usage_add_label(&labels, "cluster", cluster->name);
		usage_add_label(&labels, "id", cluster_id_text(cluster->id, id));
		if (offset == 0)
			usage_add_label(&labels, "state", lifecycle_state_name(cluster->status));
		if (offset == 0)
			usage_add_label(&labels, "condition", condition_name(cluster->condition));
		usage_print_metric(name, &labels, offset ? (double)*(const int64_t *)(const void *)((const char *)cluster + offset) : 1);
	}
	buffer_release(&labels);
}

void
usage_print_conditions(const struct cluster_list *clusters)
{
	usage_print_gauge(clusters, "coopr_cluster_condition", "1, with the state and the condition of a cluster as labels.", 0);
	usage_print_gauge(clusters, "coopr_cluster_instances", "Instances of services of a cluster.",
	    offsetof(struct cluster_record, instances));
	usage_print_gauge(clusters, "coopr_cluster_ready", "Instances that were ready when somebody looked last.",
	    offsetof(struct cluster_record, ready));
}

/* Fills the cell with a time, to the minute if it is not the start of a day, else the date. */
static void
usage_fill_time(struct list_cell *cell, int64_t ms)
{
	char time[CLOCK_RFC3339_SIZE];

	clock_rfc3339(ms, time);
	list_cell_text(cell, time);
	list_cell_show(cell, STYLE_PLAIN, "%.*s%s%.*s", 10, time, ms % DAY_MS ? " " : "", ms % DAY_MS ? 5 : 0, time + 11);
}

static void
usage_fill_start(const void *row, struct list_cell *cell)
{
	const struct usage_row *usage = row;

	usage_fill_time(cell, usage->start_ms);
}

static void
usage_fill_end(const void *row, struct list_cell *cell)
{
	const struct usage_row *usage = row;

	usage_fill_time(cell, usage->end_ms);
}

static void
usage_fill_hours(const void *row, struct list_cell *cell)
{
	const struct usage_row *usage = row;

	list_cell_show(cell, STYLE_PLAIN, "%.2f", usage->node_hours);
}

static void
usage_fill_gb_hours(const void *row, struct list_cell *cell)
{
	const struct usage_row *usage = row;

	list_cell_show(cell, STYLE_PLAIN, "%.2f", usage->volume_gb_hours);
}

static void
usage_fill_cost(const void *row, struct list_cell *cell)
{
	const struct usage_row *usage = row;

	list_cell_show(cell, STYLE_PLAIN, "%.2f", usage->cost);
}

#define AT(type, member) LIST_AT(type, struct usage_row, member)
/* The column exists only if usage was asked for by that; see usage_print. */
#define BY(by) AT(TEXT, values[by]), .when = LIST_OWN << (by)

static const struct list_column columns[] = {
	{"FROM", "start", .fill = usage_fill_start},
	{"TO", "end", .fill = usage_fill_end},
	{"TENANT", "tenant", BY(USAGE_TENANT)},
	{"USER", "user", BY(USAGE_USER)},
	{"CLUSTER", "cluster", BY(USAGE_CLUSTER)},
	{"CLUSTER ID", "id", AT(TEXT, cluster_id), .when = LIST_OWN << USAGE_CLUSTER},
	{"TEMPLATE", "template", BY(USAGE_TEMPLATE)},
	{"HARDWARE", "hardwaretype", BY(USAGE_HARDWARETYPE)},
	{"NODE-HOURS", "node_hours", AT(REAL, node_hours), .fill = usage_fill_hours},
	{"GIB-HOURS", "volume_gb_hours", AT(REAL, volume_gb_hours), .fill = usage_fill_gb_hours},
	{"COST", "cost", AT(REAL, cost), .fill = usage_fill_cost},
	{"NODES", "nodes", AT(INTEGER, nodes)},
	{0}};

void
usage_print(const struct usage *usage, const struct usage_question *question, struct output *output)
{
	struct list_column asked[sizeof columns / sizeof *columns];
	const struct list list = {.kind = "usage", .rows = "usage", .columns = asked, .row_size = sizeof(struct usage_row)};
	unsigned by = 0;
	size_t count = 0;

	if (output->format == OUTPUT_OTHER) {
		usage_print_metrics(usage, question);
		return;
	}
	for (int i = 0; i < USAGE_BY_COUNT; i++)
		by |= question->by[i] ? (unsigned)LIST_OWN << i : 0;
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
		if (!columns[i].when || (columns[i].when & by)) {
			asked[count] = columns[i];
			asked[count++].when = 0;
		}
	list_print(&list, usage->rows, usage->count, output);
}

static void
usage_print_state(struct buffer *labels, const char *metric, const char *tenant, const char *label, const char *value,
    size_t count)
{
	buffer_clear(labels);
	usage_add_label(labels, "tenant", tenant);
	usage_add_label(labels, label, value);
	usage_print_metric(metric, labels, (double)count);
}

static void
usage_print_queue_metrics(const struct queue_figures *figures)
{
	struct buffer labels = {0};

	usage_print_family("coopr_queue_workers", "gauge", "Workers that serve the spool.");
	usage_print_metric("coopr_queue_workers", &labels, (double)figures->workers);
	usage_print_family("coopr_queue_jobs", "gauge", "Jobs in the spool by their status.");
	for (size_t i = 0; i < figures->count; i++)
		for (int status = 0; status <= QUEUE_CANCELLED; status++)
			usage_print_state(&labels, "coopr_queue_jobs", figures->list[i].tenant, "status",
			    queue_status_name((enum queue_status)status), figures->list[i].jobs[status]);
	usage_print_family("coopr_queue_tasks", "gauge", "Tasks of these jobs by their state.");
	for (size_t i = 0; i < figures->count; i++)
		for (int state = 0; state < STEP_STATUS_COUNT; state++)
			usage_print_state(&labels, "coopr_queue_tasks", figures->list[i].tenant, "state",
			    queue_step_name((enum step_status)state), figures->list[i].tasks[state]);
	buffer_release(&labels);
}

static void
usage_fill_jobs(const void *row, struct list_cell *cell)
{
	const struct queue_tenant *tenant = row;
	jv jobs = jv_object();
	size_t count = 0;

	for (int status = 0; status <= QUEUE_CANCELLED; status++) {
		json_set_number(&jobs, queue_status_name((enum queue_status)status), (double)tenant->jobs[status]);
		count += tenant->jobs[status];
	}
	list_cell_show(cell, STYLE_PLAIN, "%zu", count);
	buffer_clear(&cell->json);
	json_dump(jobs, &cell->json);
	jv_free(jobs);
}

static void
usage_fill_tasks(const void *row, struct list_cell *cell)
{
	const struct queue_tenant *tenant = row;
	jv tasks = jv_object();

	for (int state = 0; state < STEP_STATUS_COUNT; state++)
		json_set_number(&tasks, queue_step_name((enum step_status)state), (double)tenant->tasks[state]);
	buffer_clear(&cell->json);
	json_dump(tasks, &cell->json);
	jv_free(tasks);
}

static void
usage_fill_queued(const void *row, struct list_cell *cell)
{
	const struct queue_tenant *tenant = row;

	list_cell_show(cell, STYLE_PLAIN, "%zu", tenant->tasks[STEP_BLOCKED] + tenant->tasks[STEP_READY] +
	    tenant->tasks[STEP_DELAYED]);
}

static void
usage_fill_done(const void *row, struct list_cell *cell)
{
	const struct queue_tenant *tenant = row;

	list_cell_show(cell, STYLE_PLAIN, "%zu", tenant->tasks[STEP_DONE] + tenant->tasks[STEP_SKIPPED]);
}

/* The context is the struct queue_figures of the row: workers serve all tenants. */
static void
usage_fill_workers(const void *row, struct list_cell *cell)
{
	const struct queue_figures *figures = cell->context;

	(void)row;
	list_cell_integer(cell, (int64_t)figures->workers);
}

#undef AT
#define AT(type, member) LIST_AT(type, struct queue_tenant, member)

static const struct list_column queue_columns[] = {
	{"TENANT", "tenant", AT(TEXT, tenant)},
	{"JOBS", "jobs", .fill = usage_fill_jobs},
	{"QUEUED", NULL, .fill = usage_fill_queued},
	{"RUNNING", NULL, AT(COUNT, tasks[STEP_RUNNING])},
	{"DONE", NULL, .fill = usage_fill_done},
	{"FAILED", NULL, AT(COUNT, tasks[STEP_FAILED]), .nonzero = STYLE_BAD},
	{"WORKERS", "workers", .fill = usage_fill_workers},
	{NULL, "tasks", .fill = usage_fill_tasks},
	{0}};

static const struct list tenant_list = {.kind = "queue", .rows = "jobs", .columns = queue_columns, .row_size = sizeof(struct queue_tenant)};

void
queue_figures_print(const struct queue_figures *figures, struct output *output)
{
	output->context = figures;
	if (output->format == OUTPUT_OTHER)
		usage_print_queue_metrics(figures);
	else
		list_print(&tenant_list, figures->list, figures->count, output);
}
