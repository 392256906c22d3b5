/* SPDX-License-Identifier: Apache-2.0
 *
 * limit: how many tasks may run at once, shown or changed.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/message.h"
#include "model/show/list.h"
#include "verb.h"

static const char *spool, *format, *colour, *total;
static struct option_list providers, tenants;
static struct option_change change;

static const struct option_spec options[] = {
	OPTION_LIST('P', "provider", &providers, "NAME=N",
	    "at most N tasks of the provider NAME ('*': of each); none: any number"),
	OPTION_LIST('T', "tenant", &tenants, "NAME=N", "at most N tasks of the tenant NAME ('*': of each); none: any number"),
	OPTION_STRING(0, "total", &total, "N", "at most N tasks in all; none: any number"),
	OPTION_RETIRED('t', NULL, "--total"),
	OPTION_CHANGE(&change),
	OUTPUT_OPTIONS(&format, &colour, OUTPUT_NAMES),
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
		exit(option_misuse(&command, "--%s: expected a number of tasks, or none, found '%s'", kinds[kind], number));
	if (kind != QUEUE_LIMIT_TOTAL && (length == 0 || length >= QUEUE_ID_SIZE))
		exit(option_misuse(&command, "--%s: the name is empty or too long; expected NAME=N", kinds[kind]));
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
			exit(option_misuse(&command, "--%s: expected NAME=N, found '%s'", kinds[kind], list->list[i]));
		limit_verb_add(changes, kind, list->list[i], (size_t)(equals - list->list[i]), equals + 1);
	}
}

static void
limit_verb_fill_kind(const void *row, struct list_cell *cell)
{
	const struct queue_limit *limit = row;

	list_cell_text(cell, kinds[limit->kind]);
}

static void
limit_verb_fill_name(const void *row, struct list_cell *cell)
{
	const struct queue_limit *limit = row;

	if (limit->kind == QUEUE_LIMIT_TOTAL)
		list_cell_json(cell, "null");
}

static void
limit_verb_fill_running(const void *row, struct list_cell *cell)
{
	const struct queue_limit *limit = row;

	if (limit->max >= 0 && (int64_t)limit->running >= limit->max && strcmp(limit->name, "*") != 0)
		cell->style = STYLE_WARN;
}

static void
limit_verb_fill_max(const void *row, struct list_cell *cell)
{
	const struct queue_limit *limit = row;

	if (limit->max >= 0)
		return;
	list_cell_text(cell, NULL);
	list_cell_show(cell, STYLE_PLAIN, "none");
}

/* As --provider and --tenant name them. */
static void
limit_verb_append_name(const void *row, const void *context, struct buffer *out)
{
	const struct queue_limit *limit = row;

	(void)context;
	buffer_printf(out, "%s%s%s", kinds[limit->kind], limit->name[0] ? "=" : "", limit->name);
}

#define AT(type, member) LIST_AT(type, struct queue_limit, member)

static const struct list_column columns[] = {
	{"LIMIT", "limit", .fill = limit_verb_fill_kind},
	{"NAME", "name", AT(CHARS, name), .fill = limit_verb_fill_name},
	{"RUNNING", "running", AT(COUNT, running), .fill = limit_verb_fill_running},
	{"MAX", "max", AT(INTEGER, max), .fill = limit_verb_fill_max},
	{0}};

static const struct list limits = {.kind = "limit", .columns = columns, .row_size = sizeof(struct queue_limit),
    .name = limit_verb_append_name};

static int
limit_verb_show(struct queue *queue, struct output *output)
{
	struct queue_limit *list;
	struct error err;
	size_t count;

	if (queue_limits(queue, &list, &count, &err) < 0)
		return message_error(&err);
	list_print(&limits, list, count, output);
	free(list);
	return 0;
}

static void
limit_verb_audit(const struct changes *changes)
{
	for (size_t i = 0; i < changes->count; i++) {
		const struct queue_limit *limit = &changes->list[i];
		char *number = limit->max < 0 ? memory_string("none") : memory_printf("%lld", (long long)limit->max);
		char *text = memory_printf("%s%s%s=%s", kinds[limit->kind], *limit->name ? " " : "", limit->name, number);

		verb_audit_limit(text, limit->kind == QUEUE_LIMIT_TENANT ? limit->name : NULL);
		free(text);
		free(number);
	}
}

int
verb_limit(int argc, char **argv)
{
	struct changes changes = {0};
	struct output output;
	struct queue *queue;
	struct error err;
	int code = 0;

	argv += option_parse(&command, argc, argv);
	verb_no_operands(&command, argv);
	output = output_open(format, colour);
	if (total)
		limit_verb_add(&changes, QUEUE_LIMIT_TOTAL, "", 0, total);
	limit_verb_add_named(&changes, QUEUE_LIMIT_PROVIDER, &providers);
	limit_verb_add_named(&changes, QUEUE_LIMIT_TENANT, &tenants);
	if (changes.count)
		option_only_with(&command, "while a limit is changed", (const char *const[]){"total", "provider", "tenant", "output", "color", "yes", "quiet", "spool", NULL});
	else
		option_only_with(&command, "without a limit to change", (const char *const[]){"output", "color", "spool", NULL});
	queue = verb_open(spool, changes.count ? QUEUE_WRITE : QUEUE_READ);

	limit_verb_audit(&changes);
	if (changes.count && queue_set_limits(queue, changes.list, changes.count, &err) < 0)
		code = message_error(&err);
	else if (!changes.count || format)
		code = limit_verb_show(queue, &output);

	free(changes.list);
	queue_close(queue);
	return message_end(code);
}
