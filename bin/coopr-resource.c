/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-resource: files and archives that plugins need besides documents, in versions, in the store. Exits with 0 done, 1 there is no
 * such resource, or diff has found a difference, 64 misuse, 65 an archive that is damaged or hostile, or too much, 66 no store or no
 * such file, 75 a version that is still used, 77 it is for admins of the tenant, 78 what is kept is damaged.
 */
#include "base/subcommand.h"
#include "store/resource-verb.h"

static const struct option_spec options[] = {
	OPTION_END
};

static const struct subcommand subcommands[] = {
	{"upload", resource_verb_upload, "upload a file, a folder or standard input as a new version"},
	{"list", resource_verb_list, "list the versions of resources: formats, sizes, states"},
	{"get", resource_verb_get, "print what a version contains"},
	{"diff", resource_verb_diff, "compare two versions"},
	{"stage", resource_verb_stage, "choose versions that the next sync makes active"},
	{"recall", resource_verb_recall, "have the next sync make versions inactive"},
	{"delete", resource_verb_delete, "delete versions that are inactive"},
	{"sync", resource_verb_sync, "make all staged versions active at one instant"},
	{0}};

static const struct command command = {
	"coopr-resource", "COMMAND [OPTION]... [ARGUMENT]...",
	"Keep the scripts and files that services need, in versions.", options,
	"  coopr-resource upload --stage automator/shell/scripts/web.sh web.sh\n"
	"  coopr-resource sync\n"
	"  coopr-resource list\n"};

int
main(int argc, char **argv)
{
	return subcommand_main(&command, subcommands, argc, argv);
}
