/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-secret: named secrets of tenants, encrypted in the store. None of its commands prints one. Exits with 0 done, 1
 * there is no such secret, 64 misuse, 65 no text, or the store's key is another, 66 no store or no key, 77 others might
 * read the key.
 */
#include "base/subcommand.h"
#include "store/secret-verb.h"

static const struct option_spec options[] = {
	OPTION_END
};

static const struct subcommand subcommands[] = {
	{"set", secret_verb_set, "set a secret from the terminal, standard input or a file"},
	{"rotate", secret_verb_rotate, "set secrets to new values drawn at random"},
	{"allow", secret_verb_allow, "let users and groups refer to secrets"},
	{"list", secret_verb_list, "list the secrets: names, when they were set, by whom"},
	{"delete", secret_verb_delete, "remove secrets for good"},
	{0}};

static const struct command command = {
	"coopr-secret", "COMMAND [OPTION]... [ARGUMENT]...",
	"Keep passwords and keys that catalogues refer to by name.", options,
	"  coopr-secret set openstack-password\n"
	"  coopr-secret rotate shop-database\n"
	"  coopr-secret allow -g dev shop-database\n"
	"  coopr-secret list\n"};

int
main(int argc, char **argv)
{
	return subcommand_main(&command, subcommands, argc, argv);
}
