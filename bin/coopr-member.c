/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-member: who belongs to a tenant, in which role and groups. Exits with 0 done, 1 there is no such tenant or
 * member, 64 misuse, 77 it is for the tenant's admins.
 */
#include "base/subcommand.h"
#include "store/account-verb.h"

static const struct option_spec options[] = {
	OPTION_END
};

static const struct subcommand subcommands[] = {
	{"list", member_verb_list, "list the members, their roles and groups"},
	{"set", member_verb_set, "make a user a member, or give them another role and other groups"},
	{"delete", member_verb_delete, "remove users from the members"},
	{"history", member_verb_history, "list the changes of the tenant and its members"},
	{0}};

static const struct command command = {
	"coopr-member", "COMMAND [OPTION]... [ARGUMENT]...",
	"Manage the members of a tenant, their roles and groups.", options,
	"  coopr-member set -g dev bob\n"
	"  coopr-member list\n"};

int
main(int argc, char **argv)
{
	return subcommand_main(&command, subcommands, argc, argv);
}
