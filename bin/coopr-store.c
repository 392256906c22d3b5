/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-store: the entities of tenants and all their versions, in the store that coopr-store(5) describes. Whatever it
 * says is so is on disk. Exits with 0 done, 1 a true no (not found, differs, refused because something would be wrong),
 * 64 misuse, 65 a malformed document or a damaged store, 66 no store, 73 and 74 cannot create or write, 75 somebody else
 * was faster.
 */
#include <stddef.h>

#include "base/message.h"
#include "base/subcommand.h"
#include "store/verb.h"

static const struct option_spec options[] = {
	OPTION_END
};

static const struct command command = {
	"coopr-store", "COMMAND [OPTION]... [ARGUMENT]...",
	"Keep providers, hardware and image types, services and templates, with all their versions.\n\n"
	"Commands:\n"
	"  init     make the store, or bring an older one up to date\n"
	"  put      make what files say the newest versions of entities\n"
	"  get      print an entity\n"
	"  list     list the entities\n"
	"  delete   delete entities; their history stays\n"
	"  history  list the versions of an entity: when, who, why\n"
	"  diff     print what is different between two versions\n"
	"  import   merge a catalogue into the store\n"
	"  export   print all entities, or write them to a folder as a catalogue\n"
	"  backup   copy the store, as it is at one moment\n"
	"  fsck     check the store\n"
	"  migrate  bring a store of an older version up to date\n"
	"  claims   list which nodes have which machines that exist already\n\n"
	"Each has its own --help.", options,
	"  coopr-store init && coopr-store import share/coopr/catalogue\n"
	"  coopr-store list services\n"
	"  coopr-store history service nginx\n"};

static const struct subcommand verbs[] = {
	{"init", store_verb_init}, {"put", store_verb_put}, {"get", store_verb_get}, {"list", store_verb_list},
	{"delete", store_verb_delete}, {"history", store_verb_history}, {"diff", store_verb_diff},
	{"import", store_verb_import}, {"export", store_verb_export}, {"backup", store_verb_backup},
	{"fsck", store_verb_fsck}, {"migrate", store_verb_migrate}, {"claims", store_verb_claims}, {NULL, NULL},
};

int
main(int argc, char **argv)
{
	int first;

	message_program("coopr-store");
	first = option_parse(&command, argc, argv);
	return subcommand_run(&command, verbs, argc - first, argv + first);
}
