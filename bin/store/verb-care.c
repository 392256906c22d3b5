/* SPDX-License-Identifier: Apache-2.0
 *
 * fsck and backup: the store as a whole.
 */
#include "verb.h"

#include "base/error.h"
#include "base/message.h"
#include "store/fsck.h"

static struct store_verb_where where;

static const struct option_spec options[] = {
	STORE_VERB_WHERE(&where),
	OPTION_END
};

static const struct command fsck_command = {
	"coopr-store fsck", "[OPTION]...", "Check the database, and all that it says.", options,
	"  coopr-store fsck\n"};

static const struct command backup_command = {
	"coopr-store backup", "[OPTION]... FILE", "Copy the store, as it is at one moment, to a new file.", options,
	"  coopr-store backup /backup/coopr-$(date +%F).sqlite3\n"};

static void
care_verb_say(const char *fault, void *unused)
{
	(void)unused;
	message("%s", fault);
}

int
store_verb_fsck(int argc, char **argv)
{
	struct store *store;
	struct error err;
	int faults, code = 0;

	argv += option_parse(&fsck_command, argc, argv);
	store_verb_operands(&fsck_command, argv, 0, 0, "no operand");
	store_verb_open(&store, &where, STORE_READ, ACCOUNT_SUPERADMIN);

	faults = store_fsck(store, care_verb_say, NULL, &err);
	if (faults < 0)
		code = message_error(&err);
	else if (faults > 0)
		code = EX_NO;

	store_release(store);
	return message_end(code);
}

int
store_verb_backup(int argc, char **argv)
{
	struct store *store;
	struct error err;
	int code = 0;

	argv += option_parse(&backup_command, argc, argv);
	store_verb_operands(&backup_command, argv, 1, 1, "a file");
	store_verb_open(&store, &where, STORE_READ, ACCOUNT_SUPERADMIN);

	if (store_backup(store, argv[0], &err) < 0)
		code = message_error(&err);

	store_release(store);
	return message_end(code);
}
