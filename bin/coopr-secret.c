/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-secret: named secrets of tenants, encrypted in the store. None of its commands prints one. Exits with 0 done, 1
 * there is no such secret, 64 misuse, 65 no text, or the store's key is another, 66 no store or no key, 77 others might
 * read the key.
 */
#include <stddef.h>

#include "base/message.h"
#include "base/subcommand.h"
#include "store/secret-verb.h"

static const struct option_spec options[] = {
	OPTION_END
};

static const struct command command = {
	"coopr-secret", "COMMAND [OPTION]... [ARGUMENT]...",
	"Keep passwords and keys that catalogues refer to by name.\n\n"
	"Commands:\n"
	"  set      set a secret to what is typed, or comes on standard input or from a file\n"
	"  list     list the secrets: names, when they were set, by whom\n"
	"  delete   remove secrets, for good\n\n"
	"Each has its own --help.", options,
	"  coopr-secret set openstack-password\n"
	"  coopr-secret list\n"};

static const struct subcommand verbs[] = {
	{"set", secret_verb_set}, {"list", secret_verb_list}, {"delete", secret_verb_delete}, {NULL, NULL},
};

int
main(int argc, char **argv)
{
	int first;

	message_program("coopr-secret");
	first = option_parse(&command, argc, argv);
	return subcommand_run(&command, verbs, argc - first, argv + first);
}
