/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-provider: what makes machines: which providers there are, what their fields mean, whether they would work, and which flavors they have.
 * Exits with 0 done; 1 there is no such provider, or it would not work; 64 misuse; 66 no store; 69 its plugin has failed; 77 it is for admins of
 * the tenant; 78 its plugin or a secret is missing.
 */
#include "base/subcommand.h"
#include "store/provider-verb.h"

static const struct option_spec options[] = {
	OPTION_END
};

static const struct subcommand subcommands[] = {
	{"list", provider_verb_list, "list the providers, and what they offer"},
	{"describe", provider_verb_describe, "list the fields of a provider type"},
	{"test", provider_verb_test, "try a provider without making anything"},
	{"import-flavors", provider_verb_import_flavors, "make hardware types of the flavors of a cloud"},
	{0}};

static const struct command command = {
	"coopr-provider", "COMMAND [OPTION]... [ARGUMENT]...",
	"Look at providers, which make machines.", options,
	"  coopr-provider list\n"
	"  coopr-provider describe ec2\n"
	"  coopr-provider test ocean\n"
	"  coopr-provider import-flavors --dry-run ocean 's-*'\n"};

int
main(int argc, char **argv)
{
	return subcommand_main(&command, subcommands, argc, argv);
}
