/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-token: the tokens with which programs ask the server. Exits with 0 done, 1 there is no such token, 64 misuse, 77 the role is not
 * one's own, or a token asks for it.
 */
#include "base/subcommand.h"
#include "store/login-verb.h"

static const struct option_spec options[] = {
	OPTION_END
};

static const struct subcommand subcommands[] = {
	{"create", token_verb_create, "make a token, and print it once"},
	{"list", token_verb_list, "list tokens and sessions"},
	{"delete", token_verb_delete, "revoke tokens, and end sessions"},
	{0}};

static const struct command command = {
	"coopr-token", "COMMAND [OPTION]... [ARGUMENT]...",
	"Manage the tokens with which programs ask the server.", options,
	"  coopr-token create -r read-only --lifetime 30d prometheus\n"
	"  coopr-token list\n"};

int
main(int argc, char **argv)
{
	return subcommand_main(&command, subcommands, argc, argv);
}
