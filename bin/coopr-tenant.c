/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-tenant: the tenants of the store and their quotas. What it says is so is on disk. Exits with 0 done, 1 there is
 * no such tenant, or one already, or it has clusters, 64 misuse, 65 a malformed document, 77 it is for superadmins.
 */
#include "base/subcommand.h"
#include "store/account-verb.h"

static const struct option_spec options[] = {
	OPTION_END
};

static const struct subcommand subcommands[] = {
	{"list", tenant_verb_list, "list the tenants, with what they use"},
	{"show", tenant_verb_show, "print a tenant's document"},
	{"create", tenant_verb_create, "make a tenant"},
	{"change", tenant_verb_change, "change its description or quota"},
	{"delete", tenant_verb_delete, "delete tenants that have no clusters"},
	{"export", tenant_verb_export, "print all that there is of a tenant, as records"},
	{"import", tenant_verb_import, "make a tenant of an export"},
	{0}};

static const struct command command = {
	"coopr-tenant", "COMMAND [OPTION]... [ARGUMENT]...",
	"Manage tenants, each with its own entities, clusters and quota.", options,
	"  coopr-tenant create --nodes 100 qa\n"
	"  coopr-tenant list\n"};

int
main(int argc, char **argv)
{
	return subcommand_main(&command, subcommands, argc, argv);
}
