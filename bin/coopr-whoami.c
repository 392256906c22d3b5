/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-whoami: tells who asks, and what they are in which tenant. Exits with 0 done, 1 there is no such tenant, 64 misuse, 66 there is no
 * store.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/accounts.h"
#include "account/tenants.h"
#include "base/error.h"
#include "base/message.h"
#include "json/json.h"
#include "model/show/list.h"

static struct account_ask asked;
static const char *format, *colour;

static const struct option_spec options[] = {
	OUTPUT_OPTIONS(&format, &colour, OUTPUT_LIST),
	OPTION_STRING('T', "tenant", &asked.tenant, "TENANT", "in that tenant (default: $COOPR_TENANT, else default)"),
	OPTION_STRING(0, "as", &asked.user, "USER", "with this user's rights: for admins (default: $COOPR_USER)"),
	OPTION_STRING(0, "store", &asked.store, "FILE", "the store (default: $COOPR_STORE)"),
	OPTION_END
};

static const struct command command = {
	"coopr-whoami", "[OPTION]...", "Tell who asks, and what they are in which tenant.", options,
	"  coopr-whoami\n"
	"  coopr-whoami -o json | jq -r .role\n"};

struct whoami_row {
	const char *user, *tenant, *role;
};

static const struct list_column columns[] = {
	{"USER", "user", LIST_AT(TEXT, struct whoami_row, user)},
	{"TENANT", "tenant", LIST_AT(TEXT, struct whoami_row, tenant)},
	{"ROLE", "role", LIST_AT(TEXT, struct whoami_row, role)},
	{0}};

static const struct list rows = {.kind = "whoami", .rows = "tenants", .columns = columns, .row_size = sizeof(struct whoami_row)};

/* Returns what the account is in a tenant that it sees. */
static const char *
whoami_role(struct account *account, const char *tenant)
{
	enum account_role role = ACCOUNT_USER;
	struct error ignored; /* then it is what everybody is */

	if (strcmp(tenant, account->tenant) == 0 || account->role == ACCOUNT_SUPERADMIN)
		return account_role_name(account->role);
	rights_in_tenant(account->store, tenant, account->user, &role, NULL, &ignored);
	return account_role_name(account->limit.is_set && role > account->limit.role ? account->limit.role : role);
}

/* Prints one record, with the tenants inside. */
static void
whoami_print_record(struct account *account, const struct tenant_list *tenants, struct output *output)
{
	jv record = jv_object(), list = jv_array();

	for (size_t i = 0; i < tenants->count; i++) {
		jv one = jv_object();

		json_set_string(&one, "name", tenants->list[i].name);
		json_set_string(&one, "role", whoami_role(account, tenants->list[i].name));
		list = jv_array_append(list, one);
	}
	json_set_string(&record, "kind", "whoami");
	json_set_string(&record, "user", account->user);
	json_set_string(&record, "tenant", account->tenant);
	json_set_string(&record, "role", account_role_name(account->role));
	json_set(&record, "tenants", list);
	output_value(output, record);
	jv_free(record);
}

static void
whoami_print(struct account *account, const struct tenant_list *tenants)
{
	struct output output = output_open(format, colour);
	struct whoami_row *list = memory_zeroed(tenants->count + 1, sizeof *list);

	for (size_t i = 0; i < tenants->count; i++)
		list[i] = (struct whoami_row){account->user, tenants->list[i].name, whoami_role(account, tenants->list[i].name)};
	if (output_is_records(&output))
		whoami_print_record(account, tenants, &output);
	else
		list_print(&rows, list, tenants->count, &output);
	free(list);
}

int
main(int argc, char **argv)
{
	struct tenant_list tenants = {0};
	struct account account;
	struct error err;
	int code = 0;

	argv += option_parse(&command, argc, argv);
	if (*argv)
		return option_misuse(&command, "unexpected argument '%s'", *argv);

	if (account_open(&account, &asked, STORE_READ, &err) < 0 || tenants_list(&account, NULL, &tenants, &err) < 0)
		code = message_error(&err);
	else
		whoami_print(&account, &tenants);

	tenant_list_release(&tenants);
	account_release(&account);
	return message_end(code);
}
