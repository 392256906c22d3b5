/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-user: the users who log in to the server by a password. Exits with 0 done, 1 there is no such user, 64 misuse, 65 a password that
 * cannot be chosen, 73 there is one of that name, 77 it is for those who look after the user.
 */
#include "base/subcommand.h"
#include "store/login-verb.h"

static const struct option_spec options[] = {
	OPTION_END
};

static const struct subcommand subcommands[] = {
	{"list", user_verb_list, "list the users"},
	{"add", user_verb_add, "add a user, with a code to log in once"},
	{"code", user_verb_code, "make a code with which a user logs in once"},
	{"password", user_verb_password, "set a password"},
	{"delete", user_verb_delete, "remove users"},
	{0}};

static const struct command command = {
	"coopr-user", "COMMAND [OPTION]... [ARGUMENT]...",
	"Manage the users who log in to the server.", options,
	"  coopr-user add -T qa -r admin ann\n"
	"  coopr-user list\n"};

int
main(int argc, char **argv)
{
	return subcommand_main(&command, subcommands, argc, argv);
}
