/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-export: coopr-store export, in one word: all entities as records, or as a catalogue in a folder.
 * Exits as that does.
 */
#include "base/message.h"
#include "store/verb.h"

int
main(int argc, char **argv)
{
	message_program("coopr-export");
	return store_verb_export_as("coopr-export",
	    "  coopr-export -T qa | coopr-import -T staging -\n"
	    "  coopr-export /srv/git/catalogue && git -C /srv/git/catalogue diff\n", argc, argv);
}
