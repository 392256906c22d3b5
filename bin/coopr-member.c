/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-member: who belongs to a tenant, in which role and groups. Exits with 0 done, 1 there is no such tenant or
 * member, 64 misuse, 77 it is for the tenant's admins.
 */
#include "base/message.h"
#include "base/subcommand.h"
#include "store/account-verb.h"

#include <stddef.h>

static const struct option_spec options[] = {
	OPTION_END
};

static const struct command command = {
	"coopr-member", "COMMAND [OPTION]... [ARGUMENT]...",
	"Say who belongs to a tenant, who are its admins, and who is in which group.\n\n"
	"Commands:\n"
	"  list     list the members, their roles and groups\n"
	"  set      make a user a member, or give them another role and other groups\n"
	"  delete   make users members no more\n"
	"  history  list what was done to the tenant and its members\n\n"
	"Each has its own --help.", options,
	"  coopr-member set -g dev bob\n"
	"  coopr-member list\n"};

static const struct subcommand verbs[] = {
	{"list", member_verb_list}, {"set", member_verb_set}, {"delete", member_verb_delete},
	{"history", member_verb_history}, {NULL, NULL},
};

int
main(int argc, char **argv)
{
	int first;

	message_program("coopr-member");
	first = option_parse(&command, argc, argv);
	return subcommand_run(&command, verbs, argc - first, argv + first);
}
