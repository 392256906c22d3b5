/* SPDX-License-Identifier: Apache-2.0 */
#include "verb.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/message.h"
#include "base/terminal.h"
#include "json/record.h"
#include "model/show/sheet.h"

void
store_verb_account(struct account *account, const struct store_verb_where *where, enum store_mode mode,
    enum account_role role, const char *what)
{
	const struct account_ask ask = {.store = where->store, .tenant = where->tenant, .user = where->by};
	struct error err;
	int result = account_open(account, &ask, mode, &err);

	if (result == 0)
		result = account_need(account, role, what, &err);
	if (result == 0)
		return;
	account_release(account);
	exit(message_error(&err));
}

void
store_verb_open(struct store **store, const struct store_verb_where *where, enum store_mode mode,
    enum account_role role)
{
	struct account account;

	store_verb_account(&account, where, mode, role, role == ACCOUNT_SUPERADMIN ? "the store as a whole" :
	    "changing entities and secrets");
	*store = account.store;
	account.store = NULL;
	account_release(&account);
}

enum entity_kind
store_verb_kind(const struct command *command, const char *operand)
{
	const char *names[ENTITY_KIND_COUNT + 1] = {NULL}, *near;
	enum entity_kind kind = entity_kind_of(operand);

	if (kind != ENTITY_NONE)
		return kind;
	for (int i = 0; i < ENTITY_KIND_COUNT; i++)
		names[i] = entity_kind_name((enum entity_kind)i);
	near = option_suggest(operand, names);
	exit(near ? option_misuse(command, "'%s' is no kind; did you mean '%s'?", operand, near)
	          : option_misuse(command, "'%s' is no kind: provider, hardwaretype, imagetype, service, clustertemplate or "
	            "partialtemplate", operand));
}

size_t
store_verb_operands(const struct command *command, char *const *operands, size_t min, size_t max, const char *wanted)
{
	size_t count = 0;

	while (operands[count])
		count++;
	if (count < min)
		exit(option_misuse(command, "expected %s", wanted));
	if (count > max)
		exit(option_misuse(command, "expected %s, found also '%s'", wanted, operands[max]));
	return count;
}

/* Owned. */
static jv
verb_revision_record(const struct revision *revision)
{
	jv record = jv_object();

	json_set_string(&record, "kind", "revision");
	json_set_string(&record, "entity", entity_kind_name(revision->kind));
	json_set_string(&record, "name", revision->name);
	json_set_number(&record, "version", (double)revision->version);
	json_set_string(&record, "at", revision->at);
	json_set_string(&record, "by", revision->by);
	json_set_string(&record, "why", revision->why);
	json_set(&record, "deleted", revision->text ? jv_false() : jv_true());
	return record;
}

static void
verb_print_table(const struct revisions *list, const char *colour)
{
	static const char *const columns[] = {"KIND", "NAME", "VERSION", "AT", "BY", "WHY", NULL};
	struct table table = {0};

	table_columns(&table, columns);
	for (size_t i = 0; i < list->count; i++) {
		const struct revision *revision = &list->list[i];
		enum terminal_style style = revision->text ? STYLE_PLAIN : STYLE_DIM;

		table_cell(&table, style, "%s", entity_kind_name(revision->kind));
		table_cell(&table, style, "%s", revision->name);
		table_cell(&table, style, "%lld%s", (long long)revision->version, revision->text ? "" : " (deleted)");
		table_cell(&table, style, "%s", revision->at);
		table_cell(&table, style, "%s", revision->by);
		table_cell(&table, style, "%s", revision->why ? revision->why : "-");
	}
	table_print(&table, stdout, terminal_colour(colour, stdout), true);
	table_release(&table);
}

const char *
store_verb_format(const struct command *command, const struct store_verb_output *output)
{
	static const char *const formats[] = {"table", "json", "name"};

	if (!output->format)
		return isatty(STDOUT_FILENO) ? "table" : "json";
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		if (strcmp(output->format, formats[i]) == 0)
			return output->format;
	exit(option_misuse(command, "unknown format '%s': table, json or name", output->format));
}

static void
verb_print_record(const struct revision *revision)
{
	jv record = verb_revision_record(revision);

	record_write(record, stdout);
	jv_free(record);
}

void
store_verb_print(const struct command *command, const struct revisions *list, const struct store_verb_output *output)
{
	const char *format = store_verb_format(command, output);

	if (strcmp(format, "table") == 0) {
		verb_print_table(list, output->colour);
		return;
	}
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(format, "name") == 0)
			printf("%s/%s\n", entity_kind_folder(list->list[i].kind), list->list[i].name);
		else
			verb_print_record(&list->list[i]);
}
