/* SPDX-License-Identifier: Apache-2.0 */
#include "account-verb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/tenants.h"
#include "base/error.h"
#include "base/message.h"
#include "json/record.h"
#include "queue/queue.h"
#include "verb.h"

static const struct option_spec options[] = {
	OUTPUT_OPTIONS(&store_verb_given.format, &store_verb_given.colour, OUTPUT_LIST),
	STORE_VERB_WHERE,
	OPTION_END
};

static const struct command command = {
	"coopr-quota", "[OPTION]...", "Show what a tenant uses, and what it may use.", options,
	"  coopr-quota\n"
	"  coopr-quota -T default -o json\n"};

struct quota_row {
	const char *what;
	double use, limit; /* limit -1: there is none */
};

struct quota_rows {
	struct quota_row *list;
	size_t count, capacity;
};

static void
quota_verb_add(struct quota_rows *rows, const char *what, double use, double limit)
{
	ARRAY_ROOM(rows->list, rows->count, rows->capacity);
	rows->list[rows->count++] = (struct quota_row){what, use, limit};
}

/* Fills rows, whose list the caller frees: first what every tenant has, then its resources, used ones first. */
static void
quota_verb_fill(const struct tenant_record *tenant, struct quota_rows *rows)
{
	const struct quota *use = &tenant->use, *limit = &tenant->limit;

	quota_verb_add(rows, "clusters", (double)use->clusters, (double)limit->clusters);
	quota_verb_add(rows, "nodes", (double)use->nodes, (double)limit->nodes);
	quota_verb_add(rows, "cost", use->cost, limit->cost);
	if (use->archives || limit->archives >= 0)
		quota_verb_add(rows, "archives", (double)use->archives, (double)limit->archives);
	if (use->uploads || limit->uploads >= 0)
		quota_verb_add(rows, "uploads", (double)use->uploads, (double)limit->uploads);
	if (use->volumes || limit->volumes >= 0)
		quota_verb_add(rows, "volumes", (double)use->volumes, (double)limit->volumes);
	for (size_t i = 0; i < use->resources.count; i++) {
		const char *name = use->resources.list[i].resource;

		quota_verb_add(rows, name, use->resources.list[i].value, quota_limit(limit, name));
	}
	for (size_t i = 0; i < limit->resources.count; i++)
		if (!quota_lists(use, limit->resources.list[i].resource))
			quota_verb_add(rows, limit->resources.list[i].resource, 0, limit->resources.list[i].value);
}

/* Adds how many tasks of the tenant run, where its tasks have a limit or some run; what the installation has said of its queue. */
static void
quota_verb_add_tasks(struct quota_rows *rows, const char *tenant)
{
	struct error ignored; /* nothing was ever put into a queue, or it cannot be read: coopr doctor tells of that */
	struct queue *queue = queue_open(NULL, QUEUE_READ, &ignored);
	struct queue_limit *limits = NULL;
	int64_t max = QUEUE_UNLIMITED;
	size_t count = 0, running = 0;
	bool has_own = false;

	if (!queue || queue_limits(queue, &limits, &count, &ignored) < 0)
		count = 0;
	for (size_t i = 0; i < count; i++) {
		bool own = limits[i].kind == QUEUE_LIMIT_TENANT && strcmp(limits[i].name, tenant) == 0;

		if (own || (limits[i].kind == QUEUE_LIMIT_TENANT && !has_own && strcmp(limits[i].name, "*") == 0))
			max = limits[i].max;
		if (own)
			running = limits[i].running;
		has_own |= own;
	}
	if (running || max != QUEUE_UNLIMITED)
		quota_verb_add(rows, "tasks", (double)running, (double)max);
	free(limits);
	queue_close(queue);
}

static void
quota_verb_fill_what(const void *row, struct list_cell *cell)
{
	const struct quota_row *line = row;

	if (strcmp(line->what, "cost") == 0)
		list_cell_text(cell, "cost an hour");
	if (strcmp(line->what, "archives") == 0)
		list_cell_text(cell, "bytes of archives");
	if (strcmp(line->what, "tasks") == 0)
		list_cell_text(cell, "tasks in parallel");
	if (strcmp(line->what, "uploads") == 0)
		list_cell_text(cell, "bytes of uploads");
	if (strcmp(line->what, "volumes") == 0)
		list_cell_text(cell, "GiB of volumes");
}

static void
quota_verb_fill_use(const void *row, struct list_cell *cell)
{
	const struct quota_row *line = row;
	enum terminal_style style = line->limit < 0 ? STYLE_PLAIN : line->use >= line->limit ? STYLE_BAD :
	    line->use >= 0.8 * line->limit ? STYLE_WARN : STYLE_GOOD;

	list_cell_show(cell, style, "%.15g", line->use);
}

static void
quota_verb_fill_limit(const void *row, struct list_cell *cell)
{
	const struct quota_row *line = row;

	if (line->limit < 0)
		list_cell_show(cell, STYLE_DIM, "any");
	else
		list_cell_show(cell, STYLE_PLAIN, "%.15g", line->limit);
}

static const struct list_column columns[] = {
	{"RESOURCE", NULL, LIST_AT(TEXT, struct quota_row, what), .fill = quota_verb_fill_what},
	{"IN USE", NULL, .fill = quota_verb_fill_use},
	{"LIMIT", NULL, .fill = quota_verb_fill_limit},
	{0}};

static const struct list quotas = {.columns = columns, .row_size = sizeof(struct quota_row)};

/* Prints one record, which has all rows as the members of "amounts". */
static void
quota_verb_print_record(const struct tenant_record *tenant, const struct quota_rows *rows, struct output *output)
{
	jv record = jv_object(), amounts = jv_object();

	for (size_t i = 0; i < rows->count; i++) {
		const struct quota_row *row = &rows->list[i];
		jv amount = jv_object();

		json_set_number(&amount, "use", row->use);
		json_set(&amount, "limit", row->limit < 0 ? jv_null() : jv_number(row->limit));
		json_set(&amounts, row->what, amount);
	}
	json_set_string(&record, "kind", "quota");
	json_set_string(&record, "tenant", tenant->name);
	json_set(&record, "amounts", amounts);
	output_value(output, record);
	jv_free(record);
}

int
quota_verb(int argc, char **argv)
{
	struct tenant_list list = {0};
	struct quota_rows rows = {0};
	struct output chosen;
	struct account account;
	struct error err;
	int code = 0;

	argv += option_parse(&command, argc, argv);
	store_verb_operands(&command, argv, 0, 0, "no operand");
	chosen = store_verb_output();
	store_verb_account(&account, STORE_READ, ACCOUNT_READER, "");

	if (tenants_list(&account, account.tenant, &list, &err) < 0 || tenants_measure(&account, &list, &err) < 0) {
		code = message_error(&err);
	} else {
		quota_verb_fill(&list.list[0], &rows);
		quota_verb_add_tasks(&rows, list.list[0].name);
		if (output_is_records(&chosen))
			quota_verb_print_record(&list.list[0], &rows, &chosen);
		else
			list_print(&quotas, rows.list, rows.count, &chosen);
	}

	free(rows.list);
	tenant_list_release(&list);
	account_release(&account);
	return message_end(code);
}
