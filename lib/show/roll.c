/* SPDX-License-Identifier: Apache-2.0 */
#include "show/roll.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/terminal.h"
#include "status/standing.h"

struct writer {
	const struct roll *roll;
	struct operation_list *open; /* by the number of their clusters */
	struct queue *queue;
	int64_t now_ms;
	bool has_open, has_expiry;   /* columns that are not empty */
	struct table table;
	struct buffer text;
};

static int
roll_by_cluster(const void *a, const void *b)
{
	const struct operation *left = a, *right = b;

	return left->cluster < right->cluster ? -1 : left->cluster > right->cluster;
}

/* What is under way on the cluster: job is for what the queue knows of it. */
static struct standing
roll_standing_of(struct writer *writer, const struct cluster_record *cluster, struct queue_job *job)
{
	const struct operation key = {.cluster = cluster->id};
	struct standing standing = {.cluster = cluster};
	struct error unknown;

	if (cluster->status == LIFE_PENDING && writer->open->count)
		standing.operation = bsearch(&key, writer->open->list, writer->open->count, sizeof key, roll_by_cluster);
	if (standing.operation && writer->queue && queue_look(writer->queue, standing.operation->job, job, &unknown) == 0)
		standing.job = job;
	return standing;
}

static void
roll_name_columns(struct writer *writer)
{
	const char *names[16];
	bool wide = writer->roll->format == OUTPUT_WIDE;
	size_t count = 0;

	if (wide || writer->roll->filter.everywhere)
		names[count++] = "TENANT";
	names[count++] = "NAME";
	names[count++] = "ID";
	names[count++] = "STATUS";
	if (writer->has_open)
		names[count++] = "UNDER WAY";
	names[count++] = "NODES";
	names[count++] = "COST";
	names[count++] = "TEMPLATE";
	names[count++] = "OWNER";
	if (wide)
		names[count++] = "GROUP";
	if (wide)
		names[count++] = "PROVIDER";
	names[count++] = "AGE";
	if (wide || writer->has_expiry)
		names[count++] = "EXPIRES";
	if (wide)
		names[count++] = "MESSAGE";
	names[count] = NULL;
	table_columns(&writer->table, names);
}

static void
roll_cell(struct writer *writer, const char *text)
{
	table_cell(&writer->table, STYLE_PLAIN, "%s", text ? text : "-");
}

/* A lease that has ended and was not yet acted on is "now". */
static void
roll_expiry_cell(struct writer *writer, const struct cluster_record *cluster)
{
	int64_t left_ms = cluster->expires_ms - writer->now_ms;
	char span[STANDING_SPAN_SIZE];

	if (!cluster->expires_ms || cluster->status == LIFE_TERMINATED)
		roll_cell(writer, NULL);
	else if (left_ms <= 0)
		table_cell(&writer->table, STYLE_BAD, "now");
	else
		table_cell(&writer->table, left_ms < 86400000 ? STYLE_WARN : STYLE_PLAIN, "in %s", standing_span(left_ms, span));
}

static void
roll_add_row(struct writer *writer, const struct standing *standing)
{
	const struct cluster_record *cluster = standing->cluster;
	bool wide = writer->roll->format == OUTPUT_WIDE;
	char id[CLUSTER_ID_SIZE], span[STANDING_SPAN_SIZE];

	if (wide || writer->roll->filter.everywhere)
		roll_cell(writer, cluster->tenant);
	table_cell(&writer->table, STYLE_BOLD, "%s", cluster->name);
	roll_cell(writer, cluster_id_text(cluster->id, id));
	table_cell(&writer->table, standing_style(cluster), "%s", life_status_name(cluster->status));
	buffer_clear(&writer->text);
	standing_progress(standing, &writer->text);
	if (writer->has_open)
		roll_cell(writer, writer->text.length ? writer->text.data : NULL);
	table_cell(&writer->table, STYLE_PLAIN, "%" PRId64, cluster->nodes);
	table_cell(&writer->table, STYLE_PLAIN, "%.10g", cluster->cost);
	roll_cell(writer, cluster->template);
	roll_cell(writer, cluster->owner);
	if (wide)
		roll_cell(writer, cluster->group);
	if (wide)
		roll_cell(writer, cluster->provider);
	roll_cell(writer, standing_span(writer->now_ms - cluster->created_ms, span));
	if (wide || writer->has_expiry)
		roll_expiry_cell(writer, cluster);
	if (wide)
		roll_cell(writer, cluster->message);
}

/* What a command finds the cluster by. */
static void
roll_print_name(const struct writer *writer, const struct cluster_record *cluster, FILE *out)
{
	char id[CLUSTER_ID_SIZE];
	bool by_id = writer->roll->filter.everywhere || cluster->status == LIFE_TERMINATED;

	fprintf(out, "%s\n", by_id ? cluster_id_text(cluster->id, id) : cluster->name);
}

static void
roll_write_cluster(struct writer *writer, const struct cluster_record *cluster, FILE *out)
{
	struct queue_job job;
	struct standing standing;

	if (writer->roll->format == OUTPUT_NAME) {
		roll_print_name(writer, cluster, out);
		return;
	}
	standing = roll_standing_of(writer, cluster, &job);
	if (writer->roll->format != OUTPUT_JSON) {
		roll_add_row(writer, &standing);
		return;
	}
	buffer_clear(&writer->text);
	standing_print(&standing, &writer->text);
	fwrite(writer->text.data, 1, writer->text.length, out);
}

static void
roll_write_all(struct writer *writer, const struct cluster_list *list, size_t count, FILE *out)
{
	bool as_table = writer->roll->format == OUTPUT_TABLE || writer->roll->format == OUTPUT_WIDE;

	for (size_t i = 0; i < count; i++) {
		writer->has_open = writer->has_open || list->list[i].status == LIFE_PENDING;
		writer->has_expiry = writer->has_expiry || list->list[i].expires_ms;
	}
	if (as_table)
		roll_name_columns(writer);
	for (size_t i = 0; i < count; i++)
		roll_write_cluster(writer, &list->list[i], out);
	if (as_table)
		table_print(&writer->table, out, writer->roll->colour, true);
	table_release(&writer->table);
	buffer_release(&writer->text);
}

/* Writes what was found; where it is more than wanted, the last is left out, and 1. */
static int
roll_write_page(const struct roll *roll, struct account *account, struct queue *queue, struct cluster_list *list,
    char **last,
    FILE *out, struct error *err)
{
	struct operation_list open = {0};
	struct writer writer = {.roll = roll, .open = &open, .queue = queue, .now_ms = clock_wall_ms()};
	size_t limit = roll->filter.limit ? (size_t)roll->filter.limit : SIZE_MAX;
	size_t count = list->count > limit ? limit : list->count;
	char id[CLUSTER_ID_SIZE];

	if (operations_open(account, &open, err) < 0) {
		operation_list_release(&open);
		return -1;
	}
	if (open.count)
		qsort(open.list, open.count, sizeof *open.list, roll_by_cluster);
	roll_write_all(&writer, list, count, out);
	operation_list_release(&open);
	*last = count < list->count ? memory_string(cluster_id_text(list->list[count - 1].id, id)) : NULL;
	return count < list->count;
}

/* An id that one may not see would tell where its name stands among others. */
static int
roll_check_after(struct account *account, const char *after, struct error *err)
{
	int64_t id = after ? cluster_id_of(after) : 0;
	struct cluster_list list = {0};
	int result = id ? clusters_find_id(account, id, &list, err) : 0;

	cluster_list_release(&list);
	return result;
}

int
roll_print(const struct status_options *options, const struct roll *roll, char **last, FILE *out, struct error *err)
{
	struct cluster_filter filter = roll->filter;
	struct cluster_list list = {0};
	struct account account = {0};
	struct queue *queue = NULL;
	int result = status_account(&account, options, err);

	*last = NULL;
	filter.limit += filter.limit > 0; /* one more, to tell whether there are more */
	if (result > 0 && (result = roll_check_after(&account, filter.after, err)) == 0 &&
	    (result = clusters_list(&account, &filter, &list, err)) == 0) {
		queue = status_queue(options);
		result = roll_write_page(roll, &account, queue, &list, last, out, err);
	}
	queue_close(queue);
	cluster_list_release(&list);
	account_release(&account);
	return result;
}
