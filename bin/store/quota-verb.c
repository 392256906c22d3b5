/* SPDX-License-Identifier: Apache-2.0 */
#include "account-verb.h"

#include <stdio.h>
#include <string.h>

#include "account/tenants.h"
#include "base/error.h"
#include "base/message.h"
#include "base/terminal.h"
#include "json/record.h"
#include "verb.h"

static struct store_verb_where where;
static struct store_verb_output output;

static const struct option_spec options[] = {
	STORE_VERB_OUTPUT(&output),
	STORE_VERB_WHERE(&where),
	OPTION_END
};

static const struct command command = {
	"coopr-quota", "[OPTION]...", "Show what a tenant uses, and what it may use.", options,
	"  coopr-quota\n"
	"  coopr-quota -T default -o json\n"};

/* Calls row for each line: limit -1 where there is none. */
static void
quota_verb_each(const struct tenant_record *tenant, void (*row)(const char *what, double use, double limit, void *data),
    void *data)
{
	const struct quota *use = &tenant->use, *limit = &tenant->limit;

	row("clusters", (double)use->clusters, (double)limit->clusters, data);
	row("nodes", (double)use->nodes, (double)limit->nodes, data);
	row("cost", use->cost, limit->cost, data);
	for (size_t i = 0; i < use->resources.count; i++) {
		const char *name = use->resources.list[i].resource;

		row(name, use->resources.list[i].value, quota_limit(limit, name), data);
	}
	for (size_t i = 0; i < limit->resources.count; i++)
		if (!quota_lists(use, limit->resources.list[i].resource))
			row(limit->resources.list[i].resource, 0, limit->resources.list[i].value, data);
}

static void
quota_verb_table_row(const char *what, double use, double limit, void *data)
{
	struct table *table = data;
	enum terminal_style style = limit < 0 ? STYLE_PLAIN : use >= limit ? STYLE_BAD : use >= 0.8 * limit ? STYLE_WARN
	    : STYLE_GOOD;

	table_cell(table, STYLE_PLAIN, "%s", strcmp(what, "cost") == 0 ? "cost an hour" : what);
	table_cell(table, style, "%.15g", use);
	if (limit < 0)
		table_cell(table, STYLE_DIM, "any");
	else
		table_cell(table, STYLE_PLAIN, "%.15g", limit);
}

static void
quota_verb_record_row(const char *what, double use, double limit, void *data)
{
	jv *record = data, row = jv_object();

	json_set_number(&row, "use", use);
	json_set(&row, "limit", limit < 0 ? jv_null() : jv_number(limit));
	json_set(record, what, row);
}

static void
quota_verb_print_table(const struct tenant_record *tenant)
{
	static const char *const columns[] = {"WHAT", "IN USE", "LIMIT", NULL};
	struct table table = {0};

	table_columns(&table, columns);
	quota_verb_each(tenant, quota_verb_table_row, &table);
	table_print(&table, stdout, terminal_colour(output.colour, stdout), true);
	table_release(&table);
}

static void
quota_verb_print_record(const struct tenant_record *tenant)
{
	jv record = jv_object(), amounts = jv_object();

	quota_verb_each(tenant, quota_verb_record_row, &amounts);
	json_set_string(&record, "kind", "quota");
	json_set_string(&record, "tenant", tenant->name);
	json_set(&record, "amounts", amounts);
	record_write(record, stdout);
	jv_free(record);
}

int
quota_verb(int argc, char **argv)
{
	struct tenant_list list = {0};
	struct account account;
	struct error err;
	const char *format;
	int code = 0;

	argv += option_parse(&command, argc, argv);
	store_verb_operands(&command, argv, 0, 0, "no operand");
	format = store_verb_format(&command, &output);
	if (strcmp(format, "name") == 0)
		return option_misuse(&command, "a quota has no names to print: table or json");
	store_verb_account(&account, &where, STORE_CREATE, ACCOUNT_USER, "");

	if (tenants_list(&account, account.tenant, &list, &err) < 0)
		code = message_error(&err);
	else if (strcmp(format, "table") == 0)
		quota_verb_print_table(&list.list[0]);
	else
		quota_verb_print_record(&list.list[0]);

	tenant_list_release(&list);
	account_release(&account);
	return message_end(code);
}
