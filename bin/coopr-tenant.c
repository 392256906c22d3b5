/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-tenant: the tenants of the store and their quotas. What it says is so is on disk. Exits with 0 done, 1 there is
 * no such tenant, or one already, or it has clusters, 64 misuse, 65 a malformed document, 77 it is for superadmins.
 */
#include "base/message.h"
#include "base/subcommand.h"
#include "store/account-verb.h"

#include <stddef.h>

static const struct option_spec options[] = {
	OPTION_END
};

static const struct command command = {
	"coopr-tenant", "COMMAND [OPTION]... [ARGUMENT]...",
	"Keep tenants: who has entities, clusters and a quota of their own.\n\n"
	"Commands:\n"
	"  list    list the tenants, with what they use\n"
	"  show    print a tenant's document\n"
	"  create  make a tenant\n"
	"  change  change its description or quota\n"
	"  delete  delete tenants that have no clusters\n\n"
	"Each has its own --help.", options,
	"  coopr-tenant create -n 100 qa\n"
	"  coopr-tenant list\n"};

static const struct subcommand verbs[] = {
	{"list", tenant_verb_list}, {"show", tenant_verb_show}, {"create", tenant_verb_create},
	{"change", tenant_verb_change}, {"delete", tenant_verb_delete}, {NULL, NULL},
};

int
main(int argc, char **argv)
{
	int first;

	message_program("coopr-tenant");
	first = option_parse(&command, argc, argv);
	return subcommand_run(&command, verbs, argc - first, argv + first);
}
