/* SPDX-License-Identifier: Apache-2.0
 *
 * fsck, backup, migrate, rekey, claims and installation: the store as a whole.
 */
#include "verb.h"

#include <inttypes.h>

#include "base/error.h"
#include "base/message.h"
#include "base/plural.h"
#include "cluster/contents-check.h"
#include "model/show/list.h"
#include "ssh/script-store.h"
#include "store/claims.h"
#include "store/fsck.h"
#include "store/installation.h"
#include "store/rekey.h"

static struct option_change change;

static const struct option_spec change_options[] = {
	OPTION_CHANGE(&change),
	STORE_VERB_WHERE,
	OPTION_END
};

static bool with_contents;

static const struct option_spec fsck_options[] = {
	OPTION_FLAG(0, "contents", &with_contents, "read also what is kept of scripts, files and archives, and compare it with its SHA-256"),
	STORE_VERB_WHERE,
	OPTION_END
};

static const struct command fsck_command = {
	"coopr-store fsck", "[OPTION]...", "Check the database, and all that it says.", fsck_options,
	"  coopr-store fsck\n"
	"  coopr-store fsck --contents\n"};

static const struct command backup_command = {
	"coopr-store backup", "[OPTION]... FILE", "Copy the store, as it is at one moment, to a new file.", change_options,
	"  coopr-store backup /backup/coopr-$(date +%F).sqlite3\n"};

static const struct command migrate_command = {
	"coopr-store migrate", "[OPTION]...", "Bring a store of an older version up to date, however large it is.", change_options,
	"  coopr-store migrate\n"};

static const struct command rekey_command = {
	"coopr-store rekey", "[OPTION]...", "Make a new key, and encrypt all secrets with it.", change_options,
	"  coopr-store rekey\n"};

static const struct command claims_command = {
	"coopr-store claims", "[OPTION]... [PROVIDER]", "List which nodes have which machines that exist already.",
	store_verb_list_options,
	"  coopr-store claims\n"
	"  jq -c --slurpfile claims <(coopr-store claims rack) '.claims = $claims' rack.json |\n"
	"      libexec/coopr/provider/static list\n"};

static struct installation_decision { bool confirm, separate; } decision;

static const struct option_spec installation_options[] = {
	OPTION_FLAG(0, "confirm", &decision.confirm, "the installation of which the backup was made is gone: its machines are ours"),
	OPTION_FLAG(0, "separate", &decision.separate, "that installation lives on: its machines are its own"),
	OPTION_CHANGE(&change),
	STORE_VERB_OUTPUT,
	STORE_VERB_WHERE,
	OPTION_END
};

static const struct command installation_command = {
	"coopr-store installation", "[OPTION]...", "Show the id of the installation, and say whose machines are those of before a restore.",
	installation_options,
	"  coopr-store installation\n"
	"  coopr-store installation --confirm     the machine of before has burned down\n"
	"  coopr-store installation --separate    this one is a copy, to try something\n"};

static void
maintenance_verb_say(const char *fault, void *unused)
{
	(void)unused;
	message("%s", fault);
}

int
store_verb_fsck(int argc, char **argv)
{
	struct store *store;
	struct error err;
	int faults, more = 0, code = 0;

	argv += option_parse(&fsck_command, argc, argv);
	store_verb_operands(&fsck_command, argv, 0, 0, "no operand");
	store_verb_open(&store, STORE_READ, ACCOUNT_SUPERADMIN);

	faults = store_fsck(store, maintenance_verb_say, NULL, &err);
	if (faults >= 0 && with_contents)
		more = contents_check(store, script_store_read_bytes, maintenance_verb_say, NULL, &err);
	if (faults < 0 || more < 0)
		code = message_error(&err);
	else if (faults + more > 0)
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
	store_verb_open(&store, STORE_READ, ACCOUNT_SUPERADMIN);

	if (store_backup(store, argv[0], &err) < 0)
		code = message_error(&err);

	store_release(store);
	return message_end(code);
}

int
store_verb_migrate(int argc, char **argv)
{
	struct store *store;

	argv += option_parse(&migrate_command, argc, argv);
	store_verb_operands(&migrate_command, argv, 0, 0, "no operand");
	store_verb_open(&store, STORE_MIGRATE, ACCOUNT_SUPERADMIN);
	store_release(store);
	return message_end(0);
}

int
store_verb_rekey(int argc, char **argv)
{
	struct store *store;
	struct error err;
	int64_t count;
	int code = 0;

	argv += option_parse(&rekey_command, argc, argv);
	store_verb_operands(&rekey_command, argv, 0, 0, "no operand");
	store_verb_open(&store, STORE_WRITE, ACCOUNT_SUPERADMIN);

	if (store_rekey(store, &count, &err) < 0)
		code = message_error(&err);
	else
		message("%" PRId64 " %s encrypted with a new key; keep a copy of it, apart from the copies of the store", count,
		    plural(count, "secret is", "secrets are"));

	store_release(store);
	return message_end(code);
}

#define AT(type, member) LIST_AT(type, struct claim, member)

static const struct list_column claim_columns[] = {
	{"MACHINE", "machine", AT(TEXT, machine)},
	{"NODE", "node", AT(TEXT, node)},
	{"CLUSTER", "cluster", AT(TEXT, cluster)},
	{"HOSTNAME", "hostname", AT(TEXT, hostname)},
	{"PROVIDER", "provider", AT(TEXT, provider)},
	{0}};

int
store_verb_claims(int argc, char **argv)
{
	static const struct list claims = {.kind = "claim", .rows = "claims", .columns = claim_columns, .row_size = sizeof(struct claim)};
	struct claim_list list = {0};
	struct output output;
	struct store *store;
	struct error err;
	int code = 0;

	argv += option_parse(&claims_command, argc, argv);
	output = store_verb_output();
	store_verb_operands(&claims_command, argv, 0, 1, "a provider");
	store_verb_open(&store, STORE_READ, ACCOUNT_SUPERADMIN);

	if (claims_list(store, argv[0], &list, &err) < 0)
		code = message_error(&err);
	else
		list_print(&claims, list.list, list.count, &output);

	claim_list_release(&list);
	store_release(store);
	return message_end(code);
}

#undef AT
#define AT(type, member) LIST_AT(type, struct identity_row, member)

struct identity_row {
	const char *id, *former; /* NULL: there is none */
};

static const struct list_column identity_columns[] = {
	{"ID", "id", AT(TEXT, id)},
	{"FORMER", "former", AT(TEXT, former)},
	{0}};

static void
installation_print(const struct installation *installation)
{
	static const struct list ids = {.kind = "installation", .rows = "installations", .columns = identity_columns,
	    .row_size = sizeof(struct identity_row)};
	const struct identity_row row = {installation->id, *installation->former ? installation->former : NULL};
	struct output output = store_verb_output();

	list_print(&ids, &row, 1, &output);
}

int
store_verb_installation(int argc, char **argv)
{
	struct installation installation;
	struct store *store;
	struct error err;
	int result = 0, code = 0;

	argv += option_parse(&installation_command, argc, argv);
	option_excludes(&installation_command, "confirm", "separate");
	store_verb_operands(&installation_command, argv, 0, 0, "no operand");
	store_verb_open(&store, STORE_WRITE, ACCOUNT_SUPERADMIN);

	if (decision.confirm || decision.separate)
		result = decision.confirm ? installation_confirm(store, &err) : installation_separate(store, &err);
	if (result < 0 || installation_need(store, &installation, &err) < 0)
		code = message_error(&err);
	else if (!change.quiet)
		installation_print(&installation);

	store_release(store);
	return message_end(code);
}
