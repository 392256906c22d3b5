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
#include "json/record.h"
#include "verb.h"

static const struct command list_command = {
	"coopr-tenant list", "[OPTION]...", "List the tenants that one may see.", store_verb_list_options,
	"  coopr-tenant list\n"};

static const struct option_spec show_options[] = {
	OUTPUT_DOCUMENT(&store_verb_given.format),
	STORE_VERB_WHERE,
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
tenant_verb_fill_limit(struct list_cell *cell, int64_t use, int64_t limit)
{
	if (limit < 0)
		list_cell_show(cell, STYLE_PLAIN, "%lld", (long long)use);
	else
		list_cell_show(cell, use >= limit ? STYLE_WARN : STYLE_PLAIN, "%lld of %lld", (long long)use, (long long)limit);
}

static void
tenant_verb_fill_clusters(const void *row, struct list_cell *cell)
{
	const struct tenant_record *tenant = row;

	tenant_verb_fill_limit(cell, tenant->use.clusters, tenant->limit.clusters);
}

static void
tenant_verb_fill_nodes(const void *row, struct list_cell *cell)
{
	const struct tenant_record *tenant = row;

	tenant_verb_fill_limit(cell, tenant->use.nodes, tenant->limit.nodes);
}

static void
tenant_verb_fill_cost(const void *row, struct list_cell *cell)
{
	const struct tenant_record *tenant = row;

	list_cell_show(cell, STYLE_PLAIN, "%.6g", tenant->use.cost);
}

static void
tenant_verb_fill_description(const void *row, struct list_cell *cell)
{
	jv document = tenant_verb_document_of(row);
	char *description = json_get_string(document, "description");

	list_cell_text(cell, description);
	free(description);
	jv_free(document);
}

/* As a record a tenant is its document. */
static const struct list_column columns[] = {
	{"TENANT", NULL, LIST_AT(TEXT, struct tenant_record, name)},
	{"CLUSTERS", NULL, .fill = tenant_verb_fill_clusters},
	{"NODES", NULL, .fill = tenant_verb_fill_nodes},
	{"COST/H", NULL, .fill = tenant_verb_fill_cost},
	{"DESCRIPTION", NULL, .fill = tenant_verb_fill_description},
	{0}};

static const struct list tenants = {.columns = columns, .row_size = sizeof(struct tenant_record)};

int
tenant_verb_list(int argc, char **argv)
{
	struct tenant_list list = {0};
	struct account account;
	struct error err;
	struct output chosen;
	int code = 0;

	argv += option_parse(&list_command, argc, argv);
	store_verb_operands(&list_command, argv, 0, 0, "no operand");
	chosen = store_verb_output();
	store_verb_account(&account, STORE_READ, ACCOUNT_READER, "");

	if (tenants_list(&account, NULL, &list, &err) < 0 || (!output_is_records(&chosen) && tenants_measure(&account, &list, &err) < 0))
		code = message_error(&err);
	else if (!output_is_records(&chosen))
		list_print(&tenants, list.list, list.count, &chosen);
	else
		for (size_t i = 0; i < list.count; i++) {
			jv record = tenant_verb_document_of(&list.list[i]);

			json_set_string(&record, "kind", "tenant");
			output_value(&chosen, record);
			jv_free(record);
		}

	tenant_list_release(&list);
	account_release(&account);
	return message_end(code);
}

static void
tenant_verb_print_document(const struct tenant_record *tenant)
{
	struct output output = store_verb_output();
	jv document = tenant_verb_document_of(tenant);

	output_document(&output, document);
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
	store_verb_account(&account, STORE_READ, ACCOUNT_READER, "");

	if (tenants_list(&account, argv[0], &list, &err) < 0)
		code = message_error(&err);
	else
		tenant_verb_print_document(&list.list[0]);

	tenant_list_release(&list);
	account_release(&account);
	return message_end(code);
}
