/* SPDX-License-Identifier: Apache-2.0 */
#include "show/cluster-show.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/printable.h"
#include "base/table.h"
#include "catalogue/instances.h"
#include "cluster/applied.h"
#include "json/json.h"
#include "model/show/links.h"
#include "operation/target.h"
#include "queue/read.h"
#include "queue/status-print.h"
#include "show/login.h"
#include "show/observation-list.h"
#include "status/state-line.h"
#include "status/status.h"

static struct queue_task_status *
cluster_show_failed_tasks(const struct cluster_status *status, struct arena *arena, size_t *count)
{
	const struct queue_filter filter = {.statuses = 1u << STEP_FAILED, .details = true};
	struct queue_task_status *list = NULL;
	struct error ignored; /* the job was removed meanwhile: the operation's message says what is known of it */

	*count = 0;
	if (!status->has_job || queue_tasks(status->queue, status->last->job, &filter, arena, &list, count,
	    &ignored) < 0)
		*count = 0;
	return list;
}

static void __attribute__((format(printf, 4, 5)))
cluster_show_fact(struct table *table, const char *name, enum terminal_style style, const char *format, ...)
{
	va_list ap;
	char *text;

	va_start(ap, format);
	text = memory_vprintf(format, ap);
	va_end(ap);
	table_cell(table, STYLE_DIM, "%s", name);
	table_cell(table, style, "%s", text);
	free(text);
}

static void
cluster_show_time(struct table *table, const char *name, enum terminal_style style, int64_t ms)
{
	char time[CLOCK_RFC3339_SIZE], span[CLOCK_RFC3339_SIZE];
	int64_t now_ms = clock_wall_ms();

	clock_span(ms > now_ms ? ms - now_ms : now_ms - ms, span);
	cluster_show_fact(table, name, style, ms > now_ms ? "in %s (%s)" : "%s ago (%s)", span, clock_seconds(ms, time));
}

/* Appends {"cpu":8,"memory":2048} as ", cpu 8, memory 2048": the catalogue does not say in which unit. */
static void
cluster_show_add_resources(const char *json, struct buffer *text)
{
	struct error ignored; /* the store has written it */
	jv resources;

	if (!json || json_parse("resources", json, strlen(json), &resources, &ignored) < 0)
		return;
	if (jv_get_kind(resources) == JV_KIND_OBJECT) {
		jv_object_foreach(resources, name, amount) {
			if (jv_get_kind(amount) == JV_KIND_NUMBER)
				buffer_printf(text, ", %s %.10g", jv_string_value(name), jv_number_value(amount));
			jv_free(name);
			jv_free(amount);
		}
	}
	jv_free(resources);
}

/* Shows how the cluster was when somebody looked last, and how long ago that was. */
static void
cluster_show_condition(const struct cluster_record *cluster, struct table *table)
{
	char ago[CLOCK_RFC3339_SIZE];
	struct buffer text = {0};

	if (cluster->status == LIFECYCLE_TERMINATED)
		return;
	buffer_text(&text, condition_name(cluster->condition));
	if (cluster->instances)
		buffer_printf(&text, ", %" PRId64 "/%" PRId64 " ready", cluster->ready, cluster->instances);
	if (cluster->observed_ms)
		buffer_printf(&text, ", observed %s ago", clock_span(clock_wall_ms() - cluster->observed_ms, ago));
	if (cluster->condition == CONDITION_UNKNOWN)
		buffer_printf(&text, "; coopr status --probe %s looks", cluster->name);
	cluster_show_fact(table, "condition", state_line_condition_style(cluster), "%s", text.data);
	buffer_release(&text);
}

/* Shows how many nodes are recorded, as quotas count them, and how many there are once the operation has ended. */
static void
cluster_show_size(const struct cluster_status *status, struct table *table)
{
	const struct cluster_record *cluster = status->cluster;
	struct buffer text = {0};
	int64_t after = 0;

	for (size_t i = 0; i < status->layout.node_count; i++)
		after += !status->layout.nodes[i].leaves;
	buffer_printf(&text, "%" PRId64, cluster->nodes);
	if (status->under_way && after != cluster->nodes)
		buffer_printf(&text, " (%" PRId64 " after the %s)", after, status->last->action);
	if (cluster->cost > 0)
		buffer_printf(&text, ", cost %.10g an hour", cluster->cost);
	cluster_show_add_resources(cluster->resources, &text);
	cluster_show_fact(table, "nodes", STYLE_PLAIN, "%s", text.data);
	buffer_release(&text);
}

static void
cluster_show_last_operation(const struct operation *operation, struct table *table)
{
	char ago[CLOCK_RFC3339_SIZE], took[CLOCK_RFC3339_SIZE];

	clock_span(clock_wall_ms() - operation->begun_ms, ago);
	clock_duration(operation->ended_ms - operation->begun_ms, took);
	cluster_show_fact(table, "operation", operation->status == OPERATION_FAILED ? STYLE_BAD : STYLE_PLAIN,
	    "%" PRId64 " %s by %s %s ago: %s%s%s, job %s", operation->number, operation->action, operation->user, ago,
	    operation_status_name(operation->status), operation->ended_ms ? ", took " : "", operation->ended_ms ? took : "",
	    operation->job);
	if (operation->why)
		cluster_show_fact(table, "why", STYLE_PLAIN, "%s", operation->why);
}

/* Says what the operation waits for, if tasks are tried again: with what the first of them failed, such as no free machine. */
static void
cluster_show_retried(const struct cluster_status *status, struct table *table)
{
	const struct queue_filter delayed = {.statuses = 1u << STEP_DELAYED, .details = true, .brief = true};
	struct arena arena = {0};
	struct queue_task_status *tasks;
	size_t count = 0;
	struct error ignored; /* then nothing is told */

	if (!status->has_job || status->job.delayed == 0)
		return;
	if (queue_tasks(status->queue, status->job.id, &delayed, &arena, &tasks, &count, &ignored) == 0 && count > 0) {
		const char *why = tasks->message ? tasks->message : tasks->reason;
		struct buffer text = {0};

		buffer_printf(&text, "%s%s%s on %s", tasks->action, *tasks->service ? " " : "", tasks->service, tasks->node);
		if (count > 1)
			buffer_printf(&text, ", and %zu more", count - 1);
		if (why) {
			buffer_text(&text, ": ");
			printable_line(why, &text);
		}
		cluster_show_fact(table, "retrying", STYLE_BAD, "%s", text.data);
		buffer_release(&text);
	}
	arena_release(&arena);
}

/* Adds the numbers of instances that are asked for, beside what the template says. */
static void
cluster_show_instances(struct cluster_status *status, struct table *table)
{
	struct cluster_documents documents = {0};
	struct instances instances = {0};
	struct problems problems = {0};
	struct arena arena = {0};
	struct buffer text = {0};
	struct error ignored; /* then none is told */
	jv request = jv_invalid();

	if (clusters_documents(&status->account, status->cluster->id, &documents, &ignored) == 0 &&
	    cluster_documents_request(&documents, status->cluster->name, &request, &ignored) == 0) {
		struct place root = place_root(request, &problems), cluster = place_member(&root, "cluster"),
		    asked = place_member(&cluster, "instances");

		request_parse_instances(&asked, &arena, &instances);
	}
	for (size_t i = 0; i < instances.count; i++) {
		buffer_printf(&text, "%s%s=", i ? " " : "", instances.list[i].service);
		instances_print_range(instances.list[i].min, instances.list[i].max, &text);
	}
	if (text.length)
		cluster_show_fact(table, "instances", STYLE_PLAIN, "%s", text.data);
	jv_free(request);
	buffer_release(&text);
	arena_release(&arena);
	problems_release(&problems);
	cluster_documents_release(&documents);
}

/* Returns the folder of the cluster's files, the caller's to free; NULL where it is told nobody: only a superadmin has a use for paths
 * of the installation's machine. */
static char *
cluster_show_folder(const struct cluster_status *status)
{
	return status->account.role == ACCOUNT_SUPERADMIN ? status_folder(status) : NULL;
}

static void
cluster_show_print_facts(struct cluster_status *status, FILE *out, bool colour)
{
	static const char *const columns[] = {"", "", NULL};
	const struct state_line line = status_state_line(status);
	const struct cluster_record *cluster = status->cluster;
	struct error ignored; /* then no files are named that the cluster follows */
	char *folder = cluster_show_folder(status), *origin = applied_origin(&status->account, cluster->id, &ignored);
	struct table table = {0};
	struct buffer state = {0};

	if (line.operation)
		state_line_progress(&line, &state);
	else if (cluster->message)
		buffer_text(&state, cluster->message);
	table_columns(&table, columns);
	cluster_show_fact(&table, "cluster", STYLE_BOLD, "%s (%s)", cluster->name, status->id);
	cluster_show_fact(&table, "state", state_line_style(cluster), "%s%s%s", lifecycle_state_name(cluster->status),
	    line.operation || cluster->message ? ": " : "", buffer_string(&state));
	cluster_show_condition(cluster, &table);
	cluster_show_fact(&table, "owner", STYLE_PLAIN, "%s%s%s, tenant %s", cluster->owner, cluster->group ? ", group " : "",
	    cluster->group ? cluster->group : "", cluster->tenant);
	cluster_show_fact(&table, "template", STYLE_PLAIN, "%s, provider %s", cluster->template ? cluster->template : "none",
	    cluster->provider ? cluster->provider : "none");
	cluster_show_time(&table, "made", STYLE_PLAIN, cluster->created_ms);
	if (cluster->expires_ms)
		cluster_show_time(&table, "expires", STYLE_WARN, cluster->expires_ms);
	if (origin)
		cluster_show_fact(&table, "follows", STYLE_PLAIN, "%s", origin);
	cluster_show_size(status, &table);
	cluster_show_instances(status, &table);
	if (status->last)
		cluster_show_last_operation(status->last, &table);
	cluster_show_retried(status, &table);
	if (folder)
		cluster_show_fact(&table, "files", STYLE_PLAIN, "%s", folder);
	table_print(&table, out, colour, false);
	table_release(&table);
	buffer_release(&state);
	free(origin);
	free(folder);
}

struct node_row {
	int64_t number;
	const char *host, *address, *state, *hardware, *image, *zone, *providerid, *services;
};

static void
cluster_show_fill_state(const void *row, struct list_cell *cell)
{
	const struct node_row *node = row;

	cell->style = strcmp(node->state, "up") == 0 ? STYLE_PLAIN : STYLE_WARN;
}

#define AT(type, member) LIST_AT(type, struct node_row, member)

/* As records nodes are those of coopr-layout(5). */
static const struct list_column node_columns[] = {
	{"NODE", NULL, AT(INTEGER, number)},
	{"HOST", NULL, AT(TEXT, host), .style = STYLE_BOLD},
	{"ADDRESS", NULL, AT(TEXT, address)},
	{"STATE", NULL, AT(TEXT, state), .fill = cluster_show_fill_state},
	{"HARDWARE", NULL, AT(TEXT, hardware)},
	{"IMAGE", NULL, AT(TEXT, image), .when = LIST_WIDE},
	{"ZONE", NULL, AT(TEXT, zone), .when = LIST_WIDE},
	{"PROVIDER'S ID", NULL, AT(TEXT, providerid), .when = LIST_WIDE},
	{"SERVICES", NULL, AT(TEXT, services)},
	{0}};

/* As operands have it; the context is the cluster's name. */
static void
cluster_show_append_name(const void *row, const void *context, struct buffer *out)
{
	const struct node_row *node = row;

	buffer_printf(out, "%s/%" PRId64, (const char *)context, node->number);
}

static const struct list node_list = {.columns = node_columns, .row_size = sizeof(struct node_row),
    .name = cluster_show_append_name};

/* Fills the row of a node; strings in the arena. */
static int
cluster_show_fill_row(const struct node *node, const struct observations *seen, struct node_row *row, struct arena *arena,
    struct error *err)
{
	struct machine machine;

	if (login_machine(node, arena, &machine, err) < 0)
		return -1;
	*row = (struct node_row){.number = node->nodenum, .host = node->hostname ? node->hostname : node->id,
	    .address = machine.address, .state = observation_list_machine(seen, node, observation_fresh_ms()),
	    .hardware = node->hardwaretype, .image = node->imagetype, .zone = node->zone, .providerid = machine.providerid,
	    .services = observation_list_services(seen, node, arena)};
	return 0;
}

static int
cluster_show_print_nodes(const struct layout *layout, const struct observations *seen, struct output *output, struct error *err)
{
	struct node_row *rows = memory_zeroed(layout->node_count, sizeof *rows);
	struct arena arena = {0};
	int result = 0;

	for (size_t i = 0; i < layout->node_count && result == 0; i++)
		result = cluster_show_fill_row(&layout->nodes[i], seen, &rows[i], &arena, err);
	output->context = layout->cluster.name;
	if (result == 0)
		list_print(&node_list, rows, layout->node_count, output);
	output->context = NULL;
	arena_release(&arena);
	free(rows);
	return result;
}

/* Appends how to continue after an operation that failed. One that was complete after it, and the creation, cannot be rolled
 * back. */
static void
cluster_show_append_remedies(const struct cluster_status *status, struct buffer *text)
{
	const struct operation *last = status->last;
	const char *name = status->cluster->name;

	buffer_printf(text, "\nAll output: coopr log %s. After fixing the cause: coopr retry %s.", name, name);
	if (last && status->cluster->status == LIFECYCLE_INCOMPLETE && operation_is_of_creation(last))
		buffer_printf(text, " To remove it: coopr delete %s", name);
	else if (last && last->status != OPERATION_COMPLETE)
		buffer_printf(text, " To go back: coopr rollback %s", name);
	buffer_byte(text, '\n');
}

/* Prints the failed tasks, and how to continue after them. */
static void
cluster_show_print_failures(const struct cluster_status *status, FILE *out)
{
	struct arena arena = {0};
	struct buffer text = {0};
	size_t count;
	const struct queue_task_status *tasks = cluster_show_failed_tasks(status, &arena, &count);
	enum lifecycle_status life = status->cluster->status;

	for (size_t i = 0; i < count; i++) {
		const struct queue_task_status *task = &tasks[i];
		const char *message = task->message ? task->message : task->reason;

		buffer_printf(&text, "\nfailed: %s%s%s on %s, attempt %" PRId64 ", exit code %" PRId64 "%s", task->action,
		    *task->service ? " " : "", task->service, task->node, task->attempt, task->code, message && *message ? ": " : "");
		printable_line(message ? message : "", &text);
		buffer_byte(&text, '\n');
		status_say_first(task, &text);
		if (task->output)
			printable_lines("  | ", task->output, &text);
	}
	if (life == LIFECYCLE_INCOMPLETE || life == LIFECYCLE_INCONSISTENT)
		cluster_show_append_remedies(status, &text);
	fputs(buffer_string(&text), out);
	buffer_release(&text);
	arena_release(&arena);
}

/* Names the first node that one can log in to. */
static void
cluster_show_print_login(const struct cluster_status *status, FILE *out)
{
	for (size_t i = 0; i < status->layout.node_count; i++) {
		const struct node *node = &status->layout.nodes[i];
		struct arena arena = {0};
		struct machine machine;
		struct error ignored;
		bool can = login_machine(node, &arena, &machine, &ignored) == 0 && machine.address && machine.host_keys.count;

		arena_release(&arena);
		if (can) {
			fprintf(out, "\nLog in: coopr ssh %s/%" PRId64 "\n", status->cluster->name, node->nodenum);
			return;
		}
	}
}

static void
cluster_show_records(struct cluster_status *status, const struct observations *seen, struct output *output)
{
	struct state_line line = status_state_line(status);
	char *folder = cluster_show_folder(status);
	const struct queue_task_status *tasks;
	struct arena arena = {0};
	struct buffer text = {0};
	size_t count;

	line.folder = folder;
	list_record(&state_line_clusters, &line, NULL, &text);
	buffer_byte(&text, '\n');
	if (status->last) {
		list_record(&state_line_operations, status->last, NULL, &text);
		buffer_byte(&text, '\n');
	}
	tasks = cluster_show_failed_tasks(status, &arena, &count);
	for (size_t i = 0; i < count; i++) {
		struct queue_task_status task = tasks[i];

		task.log = folder ? task.log : NULL;
		list_record(&status_task_list, &task, NULL, &text);
		buffer_byte(&text, '\n');
	}
	arena_release(&arena);
	for (size_t i = 0; i < status->layout.node_count; i++)
		node_print(&status->layout.nodes[i], &text);
	observation_list_records(seen, &text);
	links_records(&status->layout, &text);
	output_lines(output, &text);
	buffer_release(&text);
	free(folder);
}

/* Returns whether machines of the cluster may be replaced: nothing is in progress, and it is not being deleted. */
static bool
cluster_show_may_replace(const struct cluster_status *status)
{
	enum lifecycle_status life = status->cluster->status;

	return life == LIFECYCLE_ACTIVE || life == LIFECYCLE_INCONSISTENT ||
	    (life == LIFECYCLE_INCOMPLETE && status->last && operation_is_of_creation(status->last));
}

/* Prints the cluster for a person. */
static int
cluster_show_text(struct cluster_status *status, const struct observations *seen, struct output *output, struct error *err)
{
	FILE *out = output->stream;

	cluster_show_print_facts(status, out, output->colour);
	if (status->layout.node_count) {
		fputc('\n', out);
		if (cluster_show_print_nodes(&status->layout, seen, output, err) < 0)
			return -1;
		links_print(&status->layout, out, output->colour);
	}
	observation_list_print_faults(seen, cluster_show_may_replace(status) ? status->cluster->name : NULL, out);
	cluster_show_print_failures(status, out);
	cluster_show_print_login(status, out);
	return 0;
}

int
cluster_show_print(struct cluster_status *status, struct output *output, struct error *err)
{
	const struct state_line line = status_state_line(status);
	struct observations seen = {0};
	int result = status_layout(status, err);

	if (result == 0)
		result = observations_read(status->account.store, status->cluster->id, &seen, err);
	if (result == 0 && output_is_records(output))
		cluster_show_records(status, &seen, output);
	else if (result == 0 && output->format == OUTPUT_NAME)
		list_print(&state_line_clusters, &line, 1, output);
	else if (result == 0)
		result = cluster_show_text(status, &seen, output, err);
	observations_release(&seen);
	return result;
}

int
cluster_show_part(struct cluster_status *status, const struct target *target, struct output *output, struct error *err)
{
	struct layout *layout = &status->layout;
	struct observations seen = {0};
	struct buffer text = {0};
	int result = 0;

	if (status_layout(status, err) < 0 || target_narrow(target, layout, err) < 0 ||
	    observations_read(status->account.store, status->cluster->id, &seen, err) < 0)
		return -1;
	if (output_is_records(output)) {
		for (size_t i = 0; i < layout->node_count; i++)
			node_print(&layout->nodes[i], &text);
		links_records(layout, &text);
		output_lines(output, &text);
	} else if ((result = cluster_show_print_nodes(layout, &seen, output, err)) == 0 && output->format != OUTPUT_NAME) {
		links_print(layout, output->stream, output->colour);
		cluster_show_print_login(status, output->stream);
	}
	observations_release(&seen);
	buffer_release(&text);
	return result;
}
