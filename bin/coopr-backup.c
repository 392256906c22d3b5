/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-backup: backs up the whole installation to one file, while workers and commands go on. The file is there as a whole, and on
 * disk, or not at all. Exits with 0; 64 on misuse; 66 where there is no store; 73 where the file exists or cannot be made; 74 where it
 * cannot be written; 75 while another backup writes it; 77 where the user is no superadmin.
 */
#include <stdbool.h>
#include <stdio.h>

#include "account/accounts.h"
#include "account/guest.h"
#include "backup/backup.h"
#include "base/error.h"
#include "base/message.h"
#include "base/option.h"

static struct option_change change;
static bool installation, replace;
static const char *key_file;

static const struct option_spec options[] = {
	OPTION_FLAG(0, "installation", &installation, "the whole installation: there is no other kind of backup yet"),
	OPTION_STRING(0, "key-file", &key_file, "KEYFILE", "copy the key of the secrets to this file, which is to be kept elsewhere"),
	OPTION_FLAG(0, "force", &replace, "replace a file that exists"),
	OPTION_CHANGE(&change),
	OPTION_END
};

static const struct command command = {
	"coopr-backup", "[OPTION]... FILE", "Back up the installation: store, queue and keys of machines.", options,
	"  coopr-backup --installation --key-file /safe/coopr.key /backup/coopr-$(date +%F).tar.gz\n"
	"  tar -xzOf /backup/coopr-2026-11-22.tar.gz coopr-backup/manifest.ndjson | jq -r .path\n"};

static void
backup_report(const struct backup_options *backup, const struct manifest *manifest)
{
	if (!change.quiet)
		printf("%s: %lld cluster%s, %lld job%s, %zu files\n", backup->file, (long long)manifest->clusters,
	    manifest->clusters == 1 ? "" : "s", (long long)manifest->jobs, manifest->jobs == 1 ? "" : "s", manifest->count);
	if (key_file && !manifest->key_mark)
		message("%s: not written; the store has no secrets, and so no key", key_file);
	if (!key_file && manifest->key_mark)
		message("%s: the key of the secrets is not in it, and without the key secrets and saved plans cannot be read after a restore; "
		    "keep a copy of it elsewhere (--key-file KEYFILE)", backup->file);
}

int
main(int argc, char **argv)
{
	struct backup_options backup = {.tell = message_notice};
	struct manifest manifest = {0};
	struct account account;
	struct error err;
	int code = 0;

	argv += option_parse(&command, argc, argv);
	if (!argv[0] || argv[1])
		return option_misuse(&command, argv[0] ? "expected one FILE" : "missing argument FILE");
	backup.file = argv[0];
	backup.key_file = key_file;
	backup.replace = replace;

	if (guest_refuse("backing up the installation", &err) < 0)
		return message_error(&err);
	if (account_open(&account, &(struct account_ask){0}, STORE_READ, &err) < 0 ||
	    account_need(&account, ACCOUNT_SUPERADMIN, "backing up the installation", &err) < 0 ||
	    backup_make(account.store, &backup, &manifest, &err) < 0)
		code = message_error(&err);
	else
		backup_report(&backup, &manifest);

	account_release(&account);
	manifest_release(&manifest);
	return message_end(code);
}
