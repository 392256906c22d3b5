/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks of what is coopr's own: plugins, folders, and what is in them.
 */
#include "admin/doctor-check.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "confine/confine.h"
#include "login/password.h"
#include "queue/queue.h"

enum { ROOM_MB = 100, ROOM_LEAST_MB = 1 }; /* less than that on a disk is a warning; an error */

/* Runs a program. Returns its exit code, or -1. Writes the first line that it printed, on stderr or else on stdout, to
 * text, which is never empty if the program failed. */
static int
doctor_ask(char *const *argv, bool is_plugin, char *text, size_t size)
{
	struct buffer out = {0}, said = {0};
	struct error err;
	int code = is_plugin ? confine_run(argv, &out, &said, 1 << 20, &err)
	                     : process_run(argv, NULL, 0, &out, &said, 1 << 20, &err);
	const char *all = said.length ? said.data : out.length ? out.data : "";
	size_t length = strcspn(all, "\n"), more = 0;

	for (const char *line = all + length; line[0] && line[1]; line += 1 + strcspn(line + 1, "\n"))
		more++;
	if (code < 0)
		snprintf(text, size, "%s", err.text);
	else if (code > 0 && !length)
		snprintf(text, size, "%s ends with exit code %d and says nothing", argv[0], code);
	else if (more)
		snprintf(text, size, "%.*s (and %zu more)", (int)length, all, more);
	else
		snprintf(text, size, "%.*s", (int)length, all);
	buffer_release(&out);
	buffer_release(&said);
	return code;
}

static void
doctor_check_plugin(struct doctor_report *report, const char *kind, const char *name, const char *installed)
{
	char *path = location_plugin(kind, name), verb[] = "describe", *argv[] = {path, verb, NULL}, said[2048];
	int code = path ? doctor_ask(argv, true, said, sizeof said) : -1;
	const char *check = arena_printf(&report->arena, "%s %s", kind, name);

	if (!path)
		doctor_say(report, check, DOCTOR_ERROR, arena_printf(&report->arena, "chmod +x %s", installed),
		    "%s is not executable", installed);
	else if (code == 0)
		doctor_say(report, check, DOCTOR_OK, NULL, "%s", path);
	else
		doctor_say(report, check, DOCTOR_ERROR, "repair the plugin, or remove it; see coopr help plugins",
		    "%s describe fails: %s", path, said);
	free(path);
}

static void
doctor_check_plugins_of(struct doctor_report *report, const char *kind)
{
	char *relative = memory_printf("libexec/coopr/%s", kind), *folder = location_installed(relative);
	struct dirent **entries = NULL;
	int count = scandir(folder, &entries, NULL, alphasort);

	if (count < 0)
		doctor_say(report, kind, DOCTOR_ERROR, "reinstall coopr", "%s cannot be read", folder);
	for (int i = 0; i < count; i++) {
		char *path = memory_printf("%s/%s", folder, entries[i]->d_name);

		/* Sources lie beside the programs in a checkout. */
		if (entries[i]->d_name[0] != '.' && !strchr(entries[i]->d_name, '.'))
			doctor_check_plugin(report, kind, entries[i]->d_name, path);
		free(path);
		free(entries[i]);
	}
	free(entries);
	free(folder);
	free(relative);
}

void
doctor_check_plugins(struct doctor_report *report)
{
	doctor_check_plugins_of(report, "provider");
	doctor_check_plugins_of(report, "automator");
}

/* Returns the longest part of path that exists; the caller frees it. */
static char *
doctor_nearest_folder(const char *path)
{
	char *folder = memory_string(path);

	while (!file_exists(AT_FDCWD, folder)) {
		char *slash = strrchr(folder, '/');

		if (!slash || slash == folder) {
			strcpy(folder, slash ? "/" : ".");
			break;
		}
		*slash = '\0';
	}
	return folder;
}

/* Checks that the folder at path can be written, by nobody else, and has room. Frees path. */
static void
doctor_check_place(struct doctor_report *report, const char *check, char *path)
{
	char *folder = doctor_nearest_folder(path);
	struct statvfs disk;
	struct stat status;
	int64_t left_mb = statvfs(folder, &disk) < 0 ? ROOM_MB : (int64_t)(disk.f_bavail * disk.f_frsize / (1 << 20));

	if (access(folder, W_OK | X_OK) < 0 && errno == EROFS)
		doctor_say(report, check, DOCTOR_ERROR,
		    "mount its file system to be written, or name another folder; see coopr help commands",
		    "%s: its file system is read-only", folder);
	else if (access(folder, W_OK | X_OK) < 0)
		doctor_say(report, check, DOCTOR_ERROR, "change its owner, or name another folder; see coopr help commands",
		    "%s: not writable", folder);
	else if (stat(folder, &status) == 0 && (status.st_mode & 002) && !(status.st_mode & S_ISVTX))
		doctor_say(report, check, DOCTOR_ERROR, "chmod o-w", "%s: writable by everybody", folder);
	else if (location_network(folder))
		doctor_say(report, check, DOCTOR_ERROR, "move it to a disk of this host, and let one host run coopr", "%s: is on a network "
		    "file system (%s), where it can be read, and is not written", path, location_network(folder));
	else if (left_mb < ROOM_MB)
		doctor_say(report, check, left_mb < ROOM_LEAST_MB ? DOCTOR_ERROR : DOCTOR_WARNING,
		    "make room; coopr-queue gc --keep 0 removes all jobs that are over", "%s: only %lld MB left", path, (long long)left_mb);
	else
		doctor_say(report, check, DOCTOR_OK, NULL, "%s%s", path,
		    strcmp(folder, path) == 0 ? "" : " (it is created when it is needed)");
	free(folder);
	free(path);
}

void
doctor_check_places(struct doctor_report *report)
{
	char *runtime = location_runtime();

	doctor_check_place(report, "spool folder", location_spool(NULL));
	doctor_check_place(report, "state folder", location_state());
	if (runtime)
		doctor_check_place(report, "runtime folder", runtime);
	else
		doctor_say(report, "runtime folder", DOCTOR_ERROR, "set XDG_RUNTIME_DIR to a folder of yours, mode 0700",
		    "there is no private folder for sockets");
}

/* Says that a restore was interrupted when its files were moved into their places; nothing is said otherwise. */
void
doctor_check_restore(struct doctor_report *report)
{
	char *state = location_state(), *ready = memory_printf("%s/.restore/ready", state);

	if (file_exists(AT_FDCWD, ready))
		doctor_say(report, "restore", DOCTOR_ERROR, "run coopr restore with the same file again", "%s/.restore: a restore was "
		    "interrupted", state);
	free(ready);
	free(state);
}

/* Checks that others may not read keys or the store. ssh refuses a key that others may read, and whoever has read it can
 * log in to all nodes. */
void
doctor_check_modes(struct doctor_report *report)
{
	char *state = location_state(), *store = location_store(NULL);
	char *paths[] = {memory_printf("%s/ssh/id_ed25519", state), memory_printf("%s.key", store), memory_string(store),
		memory_printf("%s-wal", store)};
	struct stat status;
	bool open = false;

	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		if (lstat(paths[i], &status) == 0 && S_ISREG(status.st_mode) && (status.st_mode & 077)) {
			open = true;
			doctor_say(report, "modes", DOCTOR_ERROR, arena_printf(&report->arena, "chmod 600 %s", paths[i]),
			    "%s: others may read or write it (mode %03o)", paths[i], (unsigned)status.st_mode & 0777);
		}
		free(paths[i]);
	}
	if (!open)
		doctor_say(report, "modes", DOCTOR_OK, NULL, "nobody else may read keys or the store");
	free(store);
	free(state);
}

/* Has one of our commands check what is at path. */
static void
doctor_check_with(struct doctor_report *report, const char *check, const char *path, const char *remedy,
    const char *program, const char *verb)
{
	char *relative = memory_printf("bin/%s", program), *own = location_installed(relative);
	char *argv[] = {own, (char *)(uintptr_t)verb, NULL}, said[2048];

	if (!file_exists(AT_FDCWD, path))
		doctor_say(report, check, DOCTOR_OK, NULL, "%s: it does not exist yet", path);
	else if (doctor_ask(argv, false, said, sizeof said) == 0)
		doctor_say(report, check, DOCTOR_OK, NULL, "%s", path);
	else
		doctor_say(report, check, DOCTOR_ERROR, remedy, "%s", said);
	free(own);
	free(relative);
}

/* Checks the queue, and says the first line of what is wrong with it. */
static void
doctor_check_queue(struct doctor_report *report, const char *spool)
{
	struct buffer out = {0};
	struct queue_check check = {.out = &out};
	struct error err;
	struct queue *queue = queue_open(spool, QUEUE_READ, &err);

	if (!queue && err.absent)
		doctor_say(report, "spool", DOCTOR_OK, NULL, "%s: nothing is in it yet", spool);
	else if (!queue || queue_check(queue, NULL, &check, &err) < 0)
		doctor_say(report, "spool", DOCTOR_ERROR, "coopr-queue fsck lists the errors", "%s", err.text);
	else if (check.found)
		doctor_say(report, "spool", DOCTOR_ERROR, "coopr-queue fsck --repair", "%s: %.*s%s", spool,
		    (int)strcspn(out.data, "\n"), out.data, check.found > 1 ? arena_printf(&report->arena, " (and %zu more)", check.found - 1) : "");
	else
		doctor_say(report, "spool", DOCTOR_OK, NULL, "%s", spool);
	buffer_release(&out);
	queue_close(queue);
}

void
doctor_check_contents(struct doctor_report *report)
{
	char *catalogue = location_catalogue(NULL), *spool = location_spool(NULL), *store = location_store(NULL);

	if (file_exists(AT_FDCWD, catalogue))
		doctor_check_with(report, "catalogue", catalogue, "coopr-validate lists all that is wrong", "coopr-validate",
		    catalogue);
	else
		doctor_say(report, "catalogue", DOCTOR_ERROR, "name one with COOPR_CATALOGUE", "%s: it does not exist", catalogue);
	doctor_check_queue(report, spool);
	doctor_check_with(report, "store", store,
	    "coopr-store fsck lists all; a newer store needs a newer coopr, a damaged one its last backup", "coopr-store",
	    "fsck");
	free(catalogue);
	free(spool);
	free(store);
}

void
doctor_check_passwords(struct doctor_report *report)
{
	struct password_cost cost;
	struct error err;

	if (password_cost(&cost, &err) < 0)
		doctor_say(report, "passwords", DOCTOR_WARNING, "nobody can log in to a server here: give it more memory", "%s", err.text);
	else
		doctor_say(report, "passwords", DOCTOR_OK, NULL, "each login costs %" PRId64 " ms here, and memory of %d KiB", cost.ms,
		    cost.memory_kib);
}
