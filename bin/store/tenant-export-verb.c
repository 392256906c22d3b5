/* SPDX-License-Identifier: Apache-2.0
 *
 * export and import: a tenant as a stream of records, out of one installation and into another.
 */
#include "account-verb.h"

#include "account/guest.h"
#include "base/error.h"
#include "base/message.h"
#include "base/plural.h"
#include "json/record.h"
#include "tenant/export.h"
#include "verb.h"

static const char *why;
static struct option_change change;
static bool trusted;

static const struct option_spec export_options[] = {
	STORE_VERB_STORE,
	STORE_VERB_BY,
	OPTION_END
};

static const struct command export_command = {
	"coopr-tenant export", "[OPTION]... NAME", "Print all that there is of a tenant, but values of secrets, as records.", export_options,
	"  coopr-tenant export qa >qa.ndjson\n"};

static const struct option_spec import_options[] = {
	OPTION_FLAG(0, "trusted", &trusted, "what the installation had written is the installation's here, too"),
	OPTION_CHANGE(&change),
	OPTION_STRING('m', "message", &why, "TEXT", "the reason, for the history"),
	STORE_VERB_STORE,
	STORE_VERB_BY,
	OPTION_END
};

static const struct command import_command = {
	"coopr-tenant import", "[OPTION]... FILE", "Make a tenant of an export: its document, members, entities, resources and limit.",
	import_options,
	"  coopr-tenant import qa.ndjson\n"};

int
tenant_verb_export(int argc, char **argv)
{
	struct account account;
	struct error err;
	int code = 0;

	argv += option_parse(&export_command, argc, argv);
	store_verb_operands(&export_command, argv, 1, 1, "a tenant");
	store_verb_given.tenant = argv[0];
	store_verb_account(&account, STORE_WRITE, ACCOUNT_ADMIN, "exporting a tenant");

	if (export_tenant(&account, &err) < 0)
		code = message_error(&err);

	account_release(&account);
	return message_end(code);
}

static void
tenant_export_verb_tell(const struct import_result *result)
{
	message("tenant %s: %zu %s of entities, %zu of resources, %zu %s", result->tenant, result->revisions,
	    plural(result->revisions, "version", "versions"), result->resources, result->members,
	    plural(result->members, "member", "members"));
	if (result->tenants)
		message("%zu %s written by the installation, and %s the tenant's here: --trusted", result->tenants,
		    plural(result->tenants, "version was", "versions were"), plural(result->tenants, "is", "are"));
	if (result->lacks_addresses)
		message("it had addresses for machines of its own, which it has not here: --trusted, or coopr-tenant change --addresses RANGE,... %s",
		    result->tenant);
	for (size_t i = 0; i < result->secrets.count; i++)
		message("its secret %s has to be set: coopr secret set -T %s %s", result->secrets.list[i], result->tenant, result->secrets.list[i]);
}

int
tenant_verb_import(int argc, char **argv)
{
	struct import_result result = {0};
	struct record_reader reader;
	struct account account;
	struct error err;
	int code = 0;

	argv += option_parse(&import_command, argc, argv);
	store_verb_operands(&import_command, argv, 1, 1, "a file");
	if (guest_refuse_file(argv[0], &err) < 0 || record_reader_open(&reader, argv[0], &err) < 0)
		return message_error(&err);
	store_verb_account(&account, STORE_CREATE, ACCOUNT_SUPERADMIN, "tenants and their quotas");
	store_set_why(account.store, why);

	if (import_tenant(&account, &reader, trusted, &result, &err) < 0)
		code = message_error(&err);
	else if (!change.quiet)
		tenant_export_verb_tell(&result);

	import_result_release(&result);
	record_reader_release(&reader);
	account_release(&account);
	return message_end(code);
}
