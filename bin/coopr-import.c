/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-import: coopr-store import, in one word: catalogues are merged into the store, all of it or nothing.
 * Exits as that does.
 */
#include "base/message.h"
#include "store/verb.h"

int
main(int argc, char **argv)
{
	message_program("coopr-import");
	return store_verb_import_as("coopr-import",
	    "  coopr-import --dry-run share/coopr/catalogue\n"
	    "  coopr-import -m 'as in git' /srv/git/catalogue\n"
	    "  coopr-import -m 'from Coopr' export.json\n", argc, argv);
}
