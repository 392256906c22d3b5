/* SPDX-License-Identifier: Apache-2.0
 *
 * list and show: what tenants there are. tenant-change-verb.c makes and changes them.
 */
#include "account-verb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/tenants.h"
#include "base/error.h"
#include "base/message.h"
#include "base/terminal.h"
#include "json/record.h"
#include "verb.h"

static struct store_verb_where where;
static struct store_verb_output output;

static const struct option_spec list_options[] = {
	STORE_VERB_OUTPUT(&output),
	STORE_VERB_WHERE(&where),
	OPTION_END
};

static const struct command list_command = {
	"coopr-tenant list", "[OPTION]...", "List the tenants that one may see.", list_options,
	"  coopr-tenant list\n"};

static const struct option_spec show_options[] = {
	STORE_VERB_WHERE(&where),
	OPTION_END
};

static const struct command show_command = {
	"coopr-tenant show", "[OPTION]... NAME", "Print a tenant's document.", show_options,
	"  coopr-tenant show default\n"};

/* Owned; exits where the store is damaged. */
static jv
tenant_verb_document_of(const struct tenant_record *tenant)
{
	struct error err;
	jv document;

	if (json_parse(tenant->name, tenant->document, strlen(tenant->document), &document, &err) < 0)
		exit(message_error(&err));
	json_set_string(&document, "name", tenant->name);
	return document;
}

static void
tenant_verb_print_record(const struct tenant_record *tenant)
{
	jv record = tenant_verb_document_of(tenant);

	json_set_string(&record, "kind", "tenant");
	record_write(record, stdout);
	jv_free(record);
}

static void
tenant_verb_limit_cell(struct table *table, int64_t use, int64_t limit)
{
	if (limit < 0)
		table_cell(table, STYLE_PLAIN, "%lld", (long long)use);
	else
		table_cell(table, use >= limit ? STYLE_WARN : STYLE_PLAIN, "%lld of %lld", (long long)use, (long long)limit);
}

static void
tenant_verb_print_table(const struct tenant_list *list)
{
	static const char *const columns[] = {"TENANT", "CLUSTERS", "NODES", "COST/H", "DESCRIPTION", NULL};
	struct table table = {0};

	table_columns(&table, columns);
	for (size_t i = 0; i < list->count; i++) {
		const struct tenant_record *tenant = &list->list[i];
		jv document = tenant_verb_document_of(tenant);
		char *description = json_get_string(document, "description");

		table_cell(&table, STYLE_PLAIN, "%s", tenant->name);
		tenant_verb_limit_cell(&table, tenant->use.clusters, tenant->limit.clusters);
		tenant_verb_limit_cell(&table, tenant->use.nodes, tenant->limit.nodes);
		table_cell(&table, STYLE_PLAIN, "%.6g", tenant->use.cost);
		table_cell(&table, STYLE_PLAIN, "%s", description ? description : "-");
		free(description);
		jv_free(document);
	}
	table_print(&table, stdout, terminal_colour(output.colour, stdout), true);
	table_release(&table);
}

static void
tenant_verb_print_list(const struct tenant_list *list, const char *format)
{
	if (strcmp(format, "table") == 0) {
		tenant_verb_print_table(list);
		return;
	}
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(format, "name") == 0)
			puts(list->list[i].name);
		else
			tenant_verb_print_record(&list->list[i]);
}

int
tenant_verb_list(int argc, char **argv)
{
	struct tenant_list list = {0};
	struct account account;
	struct error err;
	const char *format;
	int code = 0;

	argv += option_parse(&list_command, argc, argv);
	store_verb_operands(&list_command, argv, 0, 0, "no operand");
	format = store_verb_format(&list_command, &output);
	store_verb_account(&account, &where, STORE_CREATE, ACCOUNT_USER, "");

	if (tenants_list(&account, NULL, &list, &err) < 0)
		code = message_error(&err);
	else
		tenant_verb_print_list(&list, format);

	tenant_list_release(&list);
	account_release(&account);
	return message_end(code);
}

static void
tenant_verb_print_document(const struct tenant_record *tenant)
{
	struct buffer text = {0};
	jv document = tenant_verb_document_of(tenant);

	json_dump_pretty(document, &text);
	fwrite(text.data, 1, text.length, stdout);
	buffer_release(&text);
	jv_free(document);
}

int
tenant_verb_show(int argc, char **argv)
{
	struct tenant_list list = {0};
	struct account account;
	struct error err;
	int code = 0;

	argv += option_parse(&show_command, argc, argv);
	store_verb_operands(&show_command, argv, 1, 1, "a tenant");
	store_verb_account(&account, &where, STORE_CREATE, ACCOUNT_USER, "");

	if (tenants_list(&account, argv[0], &list, &err) < 0)
		code = message_error(&err);
	else
		tenant_verb_print_document(&list.list[0]);

	tenant_list_release(&list);
	account_release(&account);
	return message_end(code);
}
