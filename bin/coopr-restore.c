/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-restore: puts archives of services back, by an operation. It also restores a backup of coopr-backup into an empty
 * installation: it reads and checks all of the file before it changes anything; then all of it is restored, or nothing, and where it
 * was killed the same command does the rest. Exits with 0; 1 where the answer was no, there is no such cluster or archive, or a task
 * failed; 64 on misuse; 65 where the file is damaged or no backup; 66 where it cannot be read; 73 where the installation is not
 * empty, or there is no room; 74 where it cannot be written; 75 while a worker runs, or something else is done to the cluster; 77
 * where the folder belongs to another user; 128 + signal when interrupted.
 */
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "account/guest.h"
#include "backup/pack.h"
#include "backup/restore.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/message.h"
#include "base/option.h"
#include "base/plural.h"
#include "operation/front.h"
#include "operation/target.h"
#include "prepare/prepare.h"
#include "prepare/service-action.h"

static struct front front = {.jobs = FRONT_JOBS};
static struct target_options chosen;
static bool installation;
static const char *key_file, *from;

static const struct option_spec options[] = {
	TARGET_NODES(&chosen),
	OPTION_LIST('s', "service", &chosen.services, "SERVICE", "only this service; may be repeated"),
	OPTION_STRING(0, "from", &from, "ID", "this archive (default: the newest of each)"),
	OPTION_FLAG(0, "installation", &installation, "the whole installation"),
	OPTION_STRING(0, "key-file", &key_file, "KEYFILE", "the key of the secrets, as coopr-backup has copied it"),
	FRONT_OPTIONS(&front),
	OPTION_END
};

static const struct command command = {
	"coopr-restore", "[OPTION]... CLUSTER[/NODE|/@SERVICE] | FILE",
	"Put archives of services back, or a backup FILE (.tar, .tar.gz, .tgz) into an empty installation.", options,
	"  coopr-restore shop/@mariadb\n"
	"  coopr-restore shop/1003 --from 00000001-004-1003-mariadb\n"
	"  coopr-restore --dry-run /backup/coopr-2026-11-22.tar.gz\n"
	"  coopr-restore --key-file /safe/coopr.key /backup/coopr-2026-11-22.tar.gz\n"};

/* Prints what the backup is, and where it goes. */
static void
restore_show(const struct restore *restore, FILE *out)
{
	const struct manifest *manifest = &restore->manifest;
	char at[CLOCK_RFC3339_SIZE];

	fprintf(out, "backup of %s on %s, made %s by coopr %s\n", manifest->state, manifest->host,
	    clock_seconds(manifest->at_ms, at), manifest->version);
	fprintf(out, "  %lld cluster%s, %lld job%s, %zu file%s, %lld MB\n", (long long)manifest->clusters, plural(manifest->clusters, "", "s"),
	    (long long)manifest->jobs, plural(manifest->jobs, "", "s"), manifest->count, plural(manifest->count, "", "s"),
	    (long long)((manifest_bytes(manifest) + (1 << 20) - 1) >> 20));
	fprintf(out, "  state  %s\n  spool  %s\n  store  %s\n", restore->places.state, restore->places.spool, restore->places.store);
	fprintf(out, "  key    %s\n", !manifest->key_mark ? "none (the store has no secrets)" : restore->key.bytes || restore->has_key
	    ? restore->places.key : "not restored (--key-file)");
}

/* Returns whether that is what the user wants. Without a terminal nobody is asked: nothing that exists is replaced. */
static bool
restore_is_wanted(const struct restore *restore)
{
	char answer[16];

	if (front.yes || !isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
		return true;
	restore_show(restore, stderr);
	fprintf(stderr, "Restore it? The installation that it was made of must not run any more. [y/N] ");
	if (fgets(answer, sizeof answer, stdin) && (answer[0] == 'y' || answer[0] == 'Y'))
		return true;
	message("%s: not restored", restore->file);
	return false;
}

static int
restore_do(struct restore *restore)
{
	struct error err;

	if (front.dry) {
		restore_show(restore, stdout);
		return 0;
	}
	if (!restore_is_wanted(restore))
		return EX_NO;
	if (restore_run(restore, &err) < 0)
		return message_error(&err);
	if (!front.quiet)
		printf("%s: restored %lld cluster%s and %lld job%s to %s\n", restore->file, (long long)restore->manifest.clusters,
	    plural(restore->manifest.clusters, "", "s"), (long long)restore->manifest.jobs, plural(restore->manifest.jobs, "", "s"),
	    restore->places.state);
	if (!front.quiet)
		message("%s: from now on this is another installation than the one of the backup; before clouds are asked about machines again, say "
		    "whether that is gone: coopr-store installation --confirm, or lives on: --separate", restore->places.store);
	if (restore->manifest.key_mark && !restore->key.bytes && !restore->has_key)
		message("%s: the key of the secrets was not restored; until a copy of it is there (chmod 600), neither secrets nor saved plans "
		    "nor the keys of clusters can be read", restore->places.key);
	return 0;
}

static int
restore_installation(const char *file)
{
	struct restore restore = {.fd = -1};
	struct error err;
	int code;

	option_only_with(&command, "with the backup of an installation", (const char *const[]){"installation", "key-file", "dry-run", "yes",
	    "quiet", NULL});
	if (guest_refuse("restoring an installation", &err) < 0 || guest_refuse_file(file, &err) < 0)
		return message_error(&err);
	code = restore_open(&restore, file, key_file, &err) < 0 ? message_error(&err) : restore_do(&restore);
	restore_release(&restore);
	return message_end(code);
}

int
main(int argc, char **argv)
{
	struct action_parameters parameters = {.action = "restore"};

	argv += option_parse(&command, argc, argv);
	if (!argv[0] || argv[1])
		return option_misuse(&command, argv[0] ? "expected one CLUSTER or FILE" : "missing argument CLUSTER or FILE");
	if (installation || key_file || pack_is_file(argv[0]))
		return restore_installation(argv[0]);
	parameters.archive = from;
	return service_action(&command, &front, &chosen, &parameters, argv);
}
