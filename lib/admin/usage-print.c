/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/usage-print.h"

#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/terminal.h"
#include "json/record.h"

/* As Prometheus wants its labels: {tenant="qa",user="ann"}. */
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
usage_print_usage_metrics(const struct usage *usage, const struct usage_question *question)
{
	static const struct {
		const char *name, *type, *help;
	} families[] = {
	    {"coopr_node_hours_total", "counter", "Hours that nodes have lived."},
	    {"coopr_cost_total", "counter", "What they have cost."},
	    {"coopr_nodes", "gauge", "Nodes that live."},
	};
	struct buffer labels = {0};

	for (size_t family = 0; family < sizeof families / sizeof *families; family++) {
		usage_print_family(families[family].name, families[family].type, families[family].help);
		for (size_t i = 0; i < usage->count; i++) {
			const struct usage_row *row = &usage->rows[i];
			const double values[] = {row->node_hours, row->cost, (double)row->nodes};

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

static jv
usage_record(const struct usage_row *row, const struct usage_question *question)
{
	char time[CLOCK_RFC3339_SIZE];
	jv record = jv_object();

	json_set_string(&record, "kind", "usage");
	json_set_string(&record, "start", clock_rfc3339(row->start_ms, time));
	json_set_string(&record, "end", clock_rfc3339(row->end_ms, time));
	for (int by = 0; by < USAGE_BY_COUNT; by++)
		if (question->by[by])
			json_set_string(&record, usage_by_name((enum usage_by)by), row->values[by]);
	if (question->by[USAGE_CLUSTER])
		json_set_string(&record, "id", row->cluster_id);
	json_set_number(&record, "node_hours", row->node_hours);
	json_set_number(&record, "cost", row->cost);
	json_set_number(&record, "nodes", (double)row->nodes);
	return record;
}

static void
usage_print_usage_records(const struct usage *usage, const struct usage_question *question)
{
	for (size_t i = 0; i < usage->count; i++) {
		jv record = usage_record(&usage->rows[i], question);

		record_write(record, stdout);
		jv_free(record);
	}
}

/* As short as it can be: minutes where periods are shorter than a day or begin within one. */
static void
usage_add_time(struct table *table, int64_t ms)
{
	char time[CLOCK_RFC3339_SIZE];

	clock_rfc3339(ms, time);
	table_cell(table, STYLE_PLAIN, "%.*s%s%.*s", 10, time, ms % 86400000 ? " " : "", ms % 86400000 ? 5 : 0, time + 11);
}

static void
usage_print_usage_table(const struct usage *usage, const struct usage_question *question, bool colour)
{
	static const char *const headings[] = {"TENANT", "USER", "CLUSTER", "TEMPLATE", "HARDWARE"};
	const char *columns[USAGE_BY_COUNT + 7];
	struct table table = {0};
	size_t count = 0;

	columns[count++] = "FROM";
	columns[count++] = "TO";
	for (int by = 0; by < USAGE_BY_COUNT; by++)
		if (question->by[by])
			columns[count++] = headings[by];
	memcpy(&columns[count], (const char *[]){"NODE-HOURS", "COST", "NODES", NULL}, 4 * sizeof *columns);
	table_columns(&table, columns);
	for (size_t i = 0; i < usage->count; i++) {
		const struct usage_row *row = &usage->rows[i];

		usage_add_time(&table, row->start_ms);
		usage_add_time(&table, row->end_ms);
		for (int by = 0; by < USAGE_BY_COUNT; by++)
			if (question->by[by])
				table_cell(&table, STYLE_PLAIN, "%s", row->values[by] ? row->values[by] : "-");
		table_cell(&table, STYLE_PLAIN, "%.2f", row->node_hours);
		table_cell(&table, STYLE_PLAIN, "%.2f", row->cost);
		table_cell(&table, STYLE_PLAIN, "%lld", (long long)row->nodes);
	}
	table_print(&table, stdout, colour, true);
	table_release(&table);
}

void
usage_print(const struct usage *usage, const struct usage_question *question, enum usage_format format, bool colour)
{
	if (format == USAGE_PROMETHEUS)
		usage_print_usage_metrics(usage, question);
	else if (format == USAGE_RECORDS)
		usage_print_usage_records(usage, question);
	else
		usage_print_usage_table(usage, question, colour);
}

/* The tasks of a tenant by their states. */
struct state_count {
	const char *state;
	size_t count;
};

enum { TASK_STATES = 7 };

static void
usage_count_tasks(const struct queue_tenant *tenant, struct state_count states[TASK_STATES])
{
	const struct state_count counts[TASK_STATES] = {{"blocked", tenant->blocked}, {"ready", tenant->ready},
	    {"delayed", tenant->delayed}, {"running", tenant->running}, {"done", tenant->done}, {"failed", tenant->failed},
	    {"skipped", tenant->skipped}};

	memcpy(states, counts, sizeof counts);
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
	struct state_count states[TASK_STATES];
	struct buffer labels = {0};

	usage_print_family("coopr_queue_workers", "gauge", "Workers that serve the spool.");
	usage_print_metric("coopr_queue_workers", &labels, (double)figures->workers);
	usage_print_family("coopr_queue_jobs", "gauge", "Jobs in the spool by their status.");
	for (size_t i = 0; i < figures->count; i++)
		for (int status = 0; status <= QUEUE_CANCELLED; status++)
			usage_print_state(&labels, "coopr_queue_jobs", figures->list[i].tenant, "status",
			    queue_status_name((enum queue_status)status), figures->list[i].jobs[status]);
	usage_print_family("coopr_queue_tasks", "gauge", "Tasks of these jobs by their state.");
	for (size_t i = 0; i < figures->count; i++) {
		usage_count_tasks(&figures->list[i], states);
		for (size_t j = 0; j < TASK_STATES; j++)
			usage_print_state(&labels, "coopr_queue_tasks", figures->list[i].tenant, "state", states[j].state,
			    states[j].count);
	}
	buffer_release(&labels);
}

static void
usage_print_queue_record(const struct queue_figures *figures, const struct queue_tenant *tenant)
{
	struct state_count states[TASK_STATES];
	jv record = jv_object(), jobs = jv_object(), tasks = jv_object();

	usage_count_tasks(tenant, states);
	for (int status = 0; status <= QUEUE_CANCELLED; status++)
		json_set_number(&jobs, queue_status_name((enum queue_status)status), (double)tenant->jobs[status]);
	for (size_t i = 0; i < TASK_STATES; i++)
		json_set_number(&tasks, states[i].state, (double)states[i].count);
	json_set_string(&record, "kind", "queue");
	json_set_string(&record, "tenant", tenant->tenant);
	json_set(&record, "jobs", jobs);
	json_set(&record, "tasks", tasks);
	json_set_number(&record, "workers", (double)figures->workers);
	record_write(record, stdout);
	jv_free(record);
}

static void
usage_print_queue_table(const struct queue_figures *figures, bool colour)
{
	static const char *const columns[] = {"TENANT", "JOBS", "QUEUED", "RUNNING", "DONE", "FAILED", "WORKERS", NULL};
	struct table table = {0};

	table_columns(&table, columns);
	for (size_t i = 0; i < figures->count; i++) {
		const struct queue_tenant *tenant = &figures->list[i];
		size_t jobs = 0;

		for (int status = 0; status <= QUEUE_CANCELLED; status++)
			jobs += tenant->jobs[status];
		table_cell(&table, STYLE_PLAIN, "%s", tenant->tenant);
		table_cell(&table, STYLE_PLAIN, "%zu", jobs);
		table_cell(&table, STYLE_PLAIN, "%zu", tenant->blocked + tenant->ready + tenant->delayed);
		table_cell(&table, STYLE_PLAIN, "%zu", tenant->running);
		table_cell(&table, STYLE_PLAIN, "%zu", tenant->done + tenant->skipped);
		table_cell(&table, tenant->failed ? STYLE_BAD : STYLE_PLAIN, "%zu", tenant->failed);
		table_cell(&table, STYLE_PLAIN, "%zu", figures->workers);
	}
	table_print(&table, stdout, colour, true);
	table_release(&table);
}

void
queue_figures_print(const struct queue_figures *figures, enum usage_format format, bool colour)
{
	if (format == USAGE_PROMETHEUS)
		usage_print_queue_metrics(figures);
	else if (format == USAGE_RECORDS)
		for (size_t i = 0; i < figures->count; i++)
			usage_print_queue_record(figures, &figures->list[i]);
	else
		usage_print_queue_table(figures, colour);
}
