/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-volume: the volumes of nodes and their snapshots. Exits with 0 done, 1 there is no such volume, or a node has it, 64 misuse, 66 no
 * store, 69 the provider has failed, 77 not permitted.
 */
#include "base/subcommand.h"
#include "store/volume-verb.h"

static const struct option_spec options[] = {
	OPTION_END
};

static const struct subcommand subcommands[] = {
	{"list", volume_verb_list, "list volumes and snapshots"},
	{"snapshot", volume_verb_snapshot, "copy volumes as they are at one moment"},
	{"restore", volume_verb_restore, "let the next new node of a cluster have a volume"},
	{"delete", volume_verb_delete, "delete volumes that no node has, and snapshots"},
	{0}};

static const struct command command = {
	"coopr-volume", "COMMAND [OPTION]... [ARGUMENT]...",
	"List, copy, take up and delete the volumes of nodes.", options,
	"  coopr-volume list\n"
	"  coopr-volume snapshot v-0123456789abcdef\n"
	"  coopr-volume restore s-0123456789abcdef shop-copy\n"
	"  coopr-volume delete --discard-data v-0123456789abcdef\n"};

int
main(int argc, char **argv)
{
	return subcommand_main(&command, subcommands, argc, argv);
}
