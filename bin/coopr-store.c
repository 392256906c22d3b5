/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-store: the entities of tenants and all their versions, in the store that coopr-store(5) describes. Whatever it
 * says is so is on disk. Exits with 0 done, 1 a true no (not found, differs, refused because something would be wrong),
 * 64 misuse, 65 a malformed document or a damaged store, 66 no store, 73 and 74 cannot create or write, 75 somebody else
 * was faster.
 */
#include "base/subcommand.h"
#include "store/verb.h"

static const struct option_spec options[] = {
	OPTION_END
};

static const struct subcommand subcommands[] = {
	{"init", store_verb_init, "make the store, or bring an older one up to date"},
	{"put", store_verb_put, "store the entities in files as their newest versions"},
	{"get", store_verb_get, "print an entity"},
	{"list", store_verb_list, "list the entities"},
	{"delete", store_verb_delete, "delete entities; their history stays"},
	{"history", store_verb_history, "list the versions of an entity: when, who, why"},
	{"diff", store_verb_diff, "print what is different between two versions"},
	{"import", store_verb_import, "merge a catalogue into the store"},
	{"export", store_verb_export, "print all entities, or write them to a folder as a catalogue"},
	{"backup", store_verb_backup, "copy the store as it is at one moment"},
	{"fsck", store_verb_fsck, "check the store"},
	{"migrate", store_verb_migrate, "bring a store of an older version up to date"},
	{"rekey", store_verb_rekey, "make a new key, and encrypt all secrets with it"},
	{"claims", store_verb_claims, "list which nodes have which machines that exist already"},
	{"installation", store_verb_installation, "show the id of the installation, and decide it"},
	{0}};

static const struct command command = {
	"coopr-store", "COMMAND [OPTION]... [ARGUMENT]...",
	"Keep providers, hardware and image types, services and templates, with all their versions.", options,
	"  coopr-store init && coopr-store import share/coopr/catalogue\n"
	"  coopr-store list services\n"
	"  coopr-store history service nginx\n"
	"  coopr-store rekey\n"};

int
main(int argc, char **argv)
{
	return subcommand_main(&command, subcommands, argc, argv);
}
