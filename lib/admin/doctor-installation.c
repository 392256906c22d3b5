/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks of what is coopr's own: plugins, folders, and what is in them.
 */
#include "admin/doctor-check.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
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
#include "base/process.h"

enum { ROOM_MB = 100, ROOM_LEAST_MB = 1 }; /* less than that on a disk is a doubt; a fault */

/* Runs a command of coopr; its exit code, or -1. text: what it said, one line of it. */
static int
doctor_ask(char *const *argv, char *text, size_t size)
{
	struct buffer out = {0}, said = {0};
	struct error err;
	int code = process_run(argv, NULL, 0, &out, &said, 1 << 20, &err);

	snprintf(text, size, "%.*s", said.length ? (int)strcspn(said.data, "\n") : 0, said.length ? said.data : "");
	if (code < 0)
		snprintf(text, size, "%s", err.text);
	buffer_release(&out);
	buffer_release(&said);
	return code;
}

static void
doctor_check_plugin(struct doctor_report *report, const char *kind, const char *name, const char *installed)
{
	char *path = location_plugin(kind, name), verb[] = "describe", *argv[] = {path, verb, NULL}, said[2048];
	int code = path ? doctor_ask(argv, said, sizeof said) : -1;
	const char *check = arena_printf(&report->arena, "%s %s", kind, name);

	if (!path)
		doctor_say(report, check, DOCTOR_FAULT, arena_printf(&report->arena, "chmod +x %s", installed),
		    "%s is not executable",
		    installed);
	else if (code == 0)
		doctor_say(report, check, DOCTOR_FINE, NULL, "%s", path);
	else
		doctor_say(report, check, DOCTOR_FAULT, "mend the plugin, or take it away; see coopr help plugins",
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
		doctor_say(report, kind, DOCTOR_FAULT, "install coopr anew", "%s cannot be read", folder);
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

/* The longest part of path that is there; the caller frees it. */
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

/* Of the disk that has the folder; where that cannot be told, enough. */
static int64_t
doctor_room_mb(const char *folder)
{
	struct statvfs disk;

	return statvfs(folder, &disk) < 0 ? ROOM_MB : (int64_t)(disk.f_bavail * disk.f_frsize / (1 << 20));
}

/* Takes path. */
static void
doctor_check_place(struct doctor_report *report, const char *check, char *path)
{
	char *folder = doctor_nearest_folder(path);
	int64_t left_mb = doctor_room_mb(folder);
	struct stat status;

	if (access(folder, W_OK | X_OK) < 0 && errno == EROFS)
		doctor_say(report, check, DOCTOR_FAULT,
		    "mount its file system to be written, or name another folder; see coopr help "
		    "commands", "%s: its file system is read-only", folder);
	else if (access(folder, W_OK | X_OK) < 0)
		doctor_say(report, check, DOCTOR_FAULT, "change its owner, or name another folder; see coopr help commands",
		    "%s: we may not write there", folder);
	else if (stat(folder, &status) == 0 && (status.st_mode & 002) && !(status.st_mode & S_ISVTX))
		doctor_say(report, check, DOCTOR_FAULT, "chmod o-w", "%s: everybody may write there", folder);
	else if (left_mb < ROOM_MB)
		doctor_say(report, check, left_mb < ROOM_LEAST_MB ? DOCTOR_FAULT : DOCTOR_DOUBT,
		    "make room; coopr-queue gc removes old jobs", "%s: there are %lld MB left", path, (long long)left_mb);
	else
		doctor_say(report, check, DOCTOR_FINE, NULL, "%s%s", path,
		    strcmp(folder, path) == 0 ? "" : " (is made when it is needed)");
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
		doctor_say(report, "runtime folder", DOCTOR_FAULT, "set XDG_RUNTIME_DIR to a folder of yours, mode 0700",
		    "there is no private folder for sockets");
}

static void
doctor_check_mode(struct doctor_report *report, const char *path, size_t *open)
{
	struct stat status;

	if (lstat(path, &status) < 0 || !S_ISREG(status.st_mode) || !(status.st_mode & 077))
		return;
	++*open;
	doctor_say(report, "modes", DOCTOR_FAULT, arena_printf(&report->arena, "chmod 600 %s", path),
	    "%s: others may read it or write to it (mode %03o)", path, (unsigned)status.st_mode & 0777);
}

/* ssh refuses such a key, and who else has read it can log in to all nodes. */
void
doctor_check_modes(struct doctor_report *report)
{
	char *state = location_state(), *store = location_store(NULL);
	char *paths[] = {memory_printf("%s/ssh/id_ed25519", state), memory_printf("%s.key", store), memory_printf("%s",
	    store),
		memory_printf("%s-wal", store)};
	size_t open = 0;

	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		doctor_check_mode(report, paths[i], &open);
		free(paths[i]);
	}
	if (!open)
		doctor_say(report, "modes", DOCTOR_FINE, NULL, "nobody else may read keys or the store");
	free(store);
	free(state);
}

/* What one of our commands finds in something that is there. */
static void
doctor_check_with(struct doctor_report *report, const char *check, const char *path, const char *remedy,
    const char *program,
    const char *verb)
{
	char *relative = memory_printf("bin/%s", program), *own = location_installed(relative);
	char *argv[] = {own, (char *)(uintptr_t)verb, NULL}, said[2048];
	int code;

	if (!file_exists(AT_FDCWD, path)) {
		doctor_say(report, check, DOCTOR_FINE, NULL, "%s: there is none yet", path);
	} else {
		code = doctor_ask(argv, said, sizeof said);
		doctor_say(report, check, code == 0 ? DOCTOR_FINE : DOCTOR_FAULT, code == 0 ? NULL : remedy, "%s",
		    code == 0 ? path : said);
	}
	free(own);
	free(relative);
}

void
doctor_check_contents(struct doctor_report *report)
{
	char *catalogue = location_catalogue(NULL), *spool = location_spool(NULL), *store = location_store(NULL);

	if (file_exists(AT_FDCWD, catalogue))
		doctor_check_with(report, "catalogue", catalogue, "coopr-validate says all that is wrong", "coopr-validate",
		    catalogue);
	else
		doctor_say(report, "catalogue", DOCTOR_FAULT, "name one with COOPR_CATALOGUE", "%s: there is none", catalogue);
	doctor_check_with(report, "spool", spool, "coopr-queue fsck --repair", "coopr-queue", "fsck");
	doctor_check_with(report, "store", store,
	    "coopr-store fsck says all; a newer store needs a newer coopr, a damaged one its last backup", "coopr-store",
	    "fsck");
	free(catalogue);
	free(spool);
	free(store);
}
