/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-backup: backs up services of a cluster, each to an archive of its own, by an operation; lists and deletes archives. It also backs
 * up the whole installation to one file, while workers and commands go on: the file is there as a whole, and on disk, or not at all.
 * Exits with 0; 1 where there is no such cluster or archive, or a task failed; 64 on misuse; 66 where there is no store; 73 where the
 * file exists or cannot be made; 74 where it cannot be written; 75 while another backup writes it, or something else is done to the
 * cluster; 77 where the user is no superadmin; 128 + signal when interrupted.
 */
#include <stdbool.h>
#include <stdio.h>

#include "account/accounts.h"
#include "account/guest.h"
#include "archive/removal.h"
#include "backup/backup.h"
#include "backup/pack.h"
#include "base/error.h"
#include "base/message.h"
#include "base/option.h"
#include "base/plural.h"
#include "operation/front.h"
#include "operation/target.h"
#include "prepare/prepare.h"
#include "prepare/service-action.h"
#include "show/kept-archives.h"
#include "status/status.h"

static struct front front = {.jobs = FRONT_JOBS};
static struct target_options chosen;
static bool installation, replace, list;
static const char *key_file, *archive;

static const struct option_spec options[] = {
	TARGET_NODES(&chosen),
	OPTION_LIST('s', "service", &chosen.services, "SERVICE", "only this service; may be repeated"),
	OPTION_FLAG(0, "list", &list, "list the archives of services: of CLUSTER, or all"),
	OPTION_STRING(0, "delete", &archive, "ID", "delete an archive; the last of a service: --discard-data"),
	OPTION_FLAG(0, "installation", &installation, "the whole installation"),
	OPTION_STRING(0, "key-file", &key_file, "KEYFILE", "copy the key of the secrets to it, to be kept elsewhere"),
	OPTION_FLAG(0, "force", &replace, "replace a file that exists"),
	FRONT_WORK(&front),
	OPTION_STRING(0, "save", &front.save, "FILE", "only save the plan, for coopr run; as --dry-run it does nothing"),
	FRONT_PLACES(&front),
	OUTPUT_OPTIONS(&front.format, &front.colour, OUTPUT_NAMES),
	OPTION_END
};

static const struct command command = {
	"coopr-backup", "[OPTION]... CLUSTER[/NODE|/@SERVICE] | FILE | --list [CLUSTER] | --delete ID",
	"Back up services of a cluster, or the installation to a FILE (.tar, .tar.gz, .tgz).", options,
	"  coopr-backup shop\n"
	"  coopr-backup shop/@mariadb\n"
	"  coopr-backup --list shop\n"
	"  coopr-backup --installation --key-file /safe/coopr.key /backup/coopr-$(date +%F).tar.gz\n"
	"  tar -xzOf /backup/coopr-2026-11-22.tar.gz coopr-backup/manifest.ndjson | jq -r .path\n"};

static void
backup_report(const struct backup_options *backup, const struct manifest *manifest)
{
	if (!front.quiet)
		printf("%s: %lld cluster%s, %lld job%s, %zu file%s\n", backup->file, (long long)manifest->clusters,
		    plural(manifest->clusters, "", "s"), (long long)manifest->jobs, plural(manifest->jobs, "", "s"), manifest->count, plural(manifest->count, "", "s"));
	if (key_file && !manifest->key_mark)
		message("%s: not written; the store has no secrets, and so no key", key_file);
	if (!key_file && manifest->key_mark)
		message("%s: the key of the secrets is not in it, and without the key neither secrets nor saved plans nor the keys of clusters can be "
		    "read after a restore; keep a copy of it elsewhere (--key-file KEYFILE)", backup->file);
}

static int
backup_list_archives(const char *cluster)
{
	const struct status_options places = {.store = front.store, .tenant = front.tenant, .user = front.user, .spool = front.spool};
	struct output output = output_open(front.format, front.colour);
	struct account account;
	struct error err;
	int result;

	option_only_with(&command, "with --list", (const char *const[]){"list", "tenant", "as", "store", "spool", "output", "color", "yes",
	    "quiet", NULL});
	result = status_account(&account, &places, &err);
	if (result > 0)
		result = kept_archives_print(&account, cluster, &output, &err);
	account_release(&account);
	return result < 0 ? message_error(&err) : 0;
}

static int
backup_delete_archive(void)
{
	const struct account_ask ask = {.store = front.store, .tenant = front.tenant, .user = front.user};
	struct account account;
	struct error err;
	int result;

	option_only_with(&command, "with --delete", (const char *const[]){"delete", "discard-data", "tenant", "as", "store", "yes", "quiet", NULL});
	result = account_open(&account, &ask, STORE_WRITE, &err);
	if (result == 0)
		result = removal_ask(&account, archive, front.discard, &err);
	account_release(&account);
	return result < 0 ? message_error(&err) : 0;
}

static int
backup_installation(const char *file)
{
	struct backup_options backup = {.file = file, .key_file = key_file, .replace = replace, .tell = message_notice};
	struct manifest manifest = {0};
	struct account account;
	struct error err;
	int code = 0;

	option_only_with(&command, "with the backup of an installation", (const char *const[]){"installation", "key-file", "force", "as",
	    "yes", "quiet", NULL});
	if (guest_refuse("backing up the installation", &err) < 0 || guest_refuse_file(file, &err) < 0)
		return message_error(&err);
	if (account_open(&account, &(struct account_ask){.user = front.user}, STORE_READ, &err) < 0 ||
	    account_need(&account, ACCOUNT_SUPERADMIN, "backing up the installation", &err) < 0 ||
	    backup_make(account.store, &backup, &manifest, &err) < 0)
		code = message_error(&err);
	else
		backup_report(&backup, &manifest);

	account_release(&account);
	manifest_release(&manifest);
	return code;
}

int
main(int argc, char **argv)
{
	struct action_parameters parameters = {.action = "backup"};

	argv += option_parse(&command, argc, argv);
	if (archive)
		return argv[0] ? option_misuse(&command, "unexpected argument '%s'", argv[0]) : message_end(backup_delete_archive());
	if (argv[0] ? argv[1] != NULL : !list)
		return option_misuse(&command, argv[0] ? "expected one %s" : "missing argument %s", list ? "CLUSTER" : "CLUSTER or FILE");
	if (list)
		return message_end(backup_list_archives(argv[0]));
	if (installation || key_file || replace || pack_is_file(argv[0]))
		return message_end(backup_installation(argv[0]));
	return service_action(&command, &front, &chosen, &parameters, argv);
}
