/* SPDX-License-Identifier: Apache-2.0
 *
 * limit: how many tasks may run at once, shown or changed.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/message.h"
#include "base/terminal.h"
#include "history/status-print.h"
#include "json/dump.h"
#include "verb.h"

static const char *spool, *format, *colour, *total;
static struct option_list providers, tenants;

static const struct option_spec options[] = {
	OPTION_LIST('P', "provider", &providers, "NAME=N",
	    "at most N tasks of the provider NAME ('*': of each); none: any number"),
	OPTION_LIST('T', "tenant", &tenants, "NAME=N", "at most N tasks of the tenant NAME ('*': of each); none: any number"),
	OPTION_STRING('t', "total", &total, "N", "at most N tasks in all; none: any number"),
	OPTION_STRING('o', "output", &format, "table|json|name", "output format (default: table on a terminal, else json)"),
	OPTION_STRING(0, "color", &colour, "auto|always|never", "when to colour (default: auto, on a terminal)"),
	VERB_SPOOL(&spool),
	OPTION_END
};

static const struct command command = {
	"coopr-queue limit", "[OPTION]...",
	"Show how many tasks may run at once, and how many do; or change that.", options,
	"  coopr-queue limit\n"
	"  coopr-queue limit --total 200 --tenant '*=50' --tenant qa=10 --provider cloud-a=20\n"
	"  coopr-queue limit --tenant qa=none\n"};

static const char *const kinds[] = {"total", "provider", "tenant"};

struct changes {
	struct queue_limit *list;
	size_t count, capacity;
};

static void
limit_verb_add(struct changes *changes, enum queue_limit_kind kind, const char *name, size_t length, const char *number)
{
	struct queue_limit *limit;
	char *end;
	long max = strtol(number, &end, 10);
	bool none = strcmp(number, "none") == 0;

	if (!none && (end == number || *end || number[0] == '-' || max < 0 || max > INT_MAX))
		exit(option_misuse(&command, "--%s: '%s' is no number of tasks, and not 'none'", kinds[kind], number));
	if (kind != QUEUE_LIMIT_TOTAL && (length == 0 || length >= QUEUE_ID_SIZE))
		exit(option_misuse(&command, "--%s: of whom? it is NAME=N", kinds[kind]));
	ARRAY_ROOM(changes->list, changes->count, changes->capacity);
	limit = &changes->list[changes->count++];
	*limit = (struct queue_limit){.kind = kind, .max = none ? QUEUE_UNLIMITED : max};
	memcpy(limit->name, name, length);
}

static void
limit_verb_add_named(struct changes *changes, enum queue_limit_kind kind, const struct option_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		const char *equals = strrchr(list->list[i], '=');

		if (!equals)
			exit(option_misuse(&command, "--%s: '%s' is not NAME=N", kinds[kind], list->list[i]));
		limit_verb_add(changes, kind, list->list[i], (size_t)(equals - list->list[i]), equals + 1);
	}
}

static int
limit_verb_change(struct queue *queue, const struct changes *changes)
{
	struct error err;

	return queue_set_limits(queue, changes->list, changes->count, &err) < 0 ? message_error(&err) : 0;
}

static void
limit_verb_print_table(const struct queue_limit *list, size_t count)
{
	static const char *const columns[] = {"LIMIT", "NAME", "RUNNING", "MAX", NULL};
	struct table table = {0};

	table_columns(&table, columns);
	for (size_t i = 0; i < count; i++) {
		bool full = list[i].max >= 0 && (int64_t)list[i].running >= list[i].max && strcmp(list[i].name, "*") != 0;

		table_cell(&table, STYLE_PLAIN, "%s", kinds[list[i].kind]);
		table_cell(&table, STYLE_PLAIN, "%s", list[i].name);
		table_cell(&table, full ? STYLE_WARN : STYLE_PLAIN, "%zu", list[i].running);
		if (list[i].max < 0)
			table_cell(&table, STYLE_PLAIN, "none");
		else
			table_cell(&table, STYLE_PLAIN, "%jd", (intmax_t)list[i].max);
	}
	table_print(&table, stdout, terminal_colour(colour, stdout), true);
	table_release(&table);
}

static void
limit_verb_print_record(const struct queue_limit *limit)
{
	struct buffer line = {0};

	buffer_printf(&line, "{\"kind\":\"limit\",\"limit\":\"%s\",\"max\":", kinds[limit->kind]);
	if (limit->max < 0)
		buffer_text(&line, "null");
	else
		buffer_printf(&line, "%jd", (intmax_t)limit->max);
	buffer_text(&line, ",\"name\":");
	if (limit->kind == QUEUE_LIMIT_TOTAL)
		buffer_text(&line, "null");
	else
		json_quote(limit->name, &line);
	buffer_printf(&line, ",\"running\":%zu}\n", limit->running);
	fwrite(line.data, 1, line.length, stdout);
	buffer_release(&line);
}

static int
limit_verb_show(struct queue *queue, enum status_format wanted)
{
	struct queue_limit *list;
	struct error err;
	size_t count;

	if (queue_limits(queue, &list, &count, &err) < 0)
		return message_error(&err);
	if (wanted == STATUS_TABLE)
		limit_verb_print_table(list, count);
	for (size_t i = 0; wanted != STATUS_TABLE && i < count; i++)
		if (wanted == STATUS_JSON)
			limit_verb_print_record(&list[i]);
		else
			printf("%s%s%s\n", kinds[list[i].kind], list[i].name[0] ? "=" : "", list[i].name);
	free(list);
	return 0;
}

int
verb_limit(int argc, char **argv)
{
	struct changes changes = {0};
	enum status_format wanted;
	struct queue *queue;
	int code;

	argv += option_parse(&command, argc, argv);
	wanted = status_format(&command, format, argv[0]);
	if (total)
		limit_verb_add(&changes, QUEUE_LIMIT_TOTAL, "", 0, total);
	limit_verb_add_named(&changes, QUEUE_LIMIT_PROVIDER, &providers);
	limit_verb_add_named(&changes, QUEUE_LIMIT_TENANT, &tenants);
	queue = verb_open(spool, changes.count ? QUEUE_WRITE : QUEUE_READ);

	code = changes.count ? limit_verb_change(queue, &changes) : limit_verb_show(queue, wanted);

	free(changes.list);
	queue_close(queue);
	return message_end(code);
}
