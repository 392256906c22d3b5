/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/hostfiles.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/location.h"
#include "base/memory.h"

/* When one of these changes, the copy is made anew: users, packages and most settings are behind them. */
static const char *const origins[] = {"/", "/etc", "/etc/passwd", "/etc/group", "/etc/alternatives", "/etc/ld.so.cache",
	"/etc/ssl/certs", "/etc/apt", "/etc/apt/sources.list", "/etc/apt/sources.list.d", "/usr/local", "/var", "/var/lib",
	"/var/lib/dpkg/status"};

/* Returns the name of the copy that is right now; the caller frees it. */
static char *
hostfiles_name(void)
{
	uint64_t hash = HASH_START;

	for (size_t i = 0; i < sizeof origins / sizeof *origins; i++) {
		struct stat st = {.st_size = 0};
		char *text;

		if (stat(origins[i], &st) < 0)
			st = (struct stat){.st_size = -1};
		/* A folder's size and time tell of its entries; the inode of one that was put in its place. */
		text = memory_printf("%s %llu %lld %lld.%09ld\n", origins[i], (unsigned long long)st.st_ino, (long long)st.st_size,
		    (long long)st.st_ctim.tv_sec, st.st_ctim.tv_nsec);
		hash = hash_text(hash, text);
		free(text);
	}
	return memory_printf("%016llx", (unsigned long long)hash);
}

/* Makes the copy in a folder of another name, which then gets its own: one that was killed half way is made again. */
static int
hostfiles_make(int host, const char *name, uid_t owner, struct error *err)
{
	int dir = -1, result = file_remove_tree(host, "new", err);

	if (result == 0)
		result = file_make_dirs(host, "new/users", 0755, err);
	if (result == 0 && (dir = file_open(host, "new", O_RDONLY | O_DIRECTORY, 0, err)) < 0)
		result = -1;
	if (result == 0)
		result = hostfiles_copy(dir, owner, err);
	if (result == 0 && renameat(host, "new", host, name) < 0)
		result = error_errno(err, EX_CANTCREAT, "sandbox-host/%s", name);
	if (dir >= 0)
		close(dir);
	return result;
}

/* Opens the folder of copies. Returns -1 if there is none, which is an error if it is to be made. */
static int
hostfiles_open(bool make, struct error *err)
{
	char *state = location_state(), *path = memory_printf("%s/sandbox-host", state);
	int fd = -1;

	if (!make)
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	else if (file_make_dirs(AT_FDCWD, path, 0700, err) == 0)
		fd = file_open(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, 0, err);
	free(path);
	free(state);
	return fd;
}

/* Removes the copy if no machine uses it. */
static void
hostfiles_remove_unused(int host, const char *name)
{
	char *users = memory_printf("%s/users", name);
	struct error ignored;

	if (unlinkat(host, users, AT_REMOVEDIR) == 0 || errno == ENOENT)
		file_remove_tree(host, name, &ignored);
	free(users);
}

/* Says of all copies that the machine (NULL: nobody new) does not use them, and removes those that nobody uses but the current one. */
static void
hostfiles_sweep(int host, const char *current, const char *machine)
{
	int fd = openat(host, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *copies = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	while (copies && (entry = readdir(copies))) {
		char *user = memory_printf("%s/users/%s", entry->d_name, machine ? machine : "");

		if (*entry->d_name != '.' && machine)
			unlinkat(host, user, 0);
		if (*entry->d_name != '.' && strcmp(entry->d_name, current) != 0)
			hostfiles_remove_unused(host, entry->d_name);
		free(user);
	}
	if (copies)
		closedir(copies);
}

const char *
hostfiles_claim(const char *machine, uid_t owner, struct arena *arena, struct error *err)
{
	char *name = hostfiles_name(), *user = memory_printf("%s/users/%s", name, machine);
	int host = hostfiles_open(true, err), fd = -1, result = host < 0 ? -1 : 0;
	const char *claimed = NULL;

	if (result == 0 && !file_exists(host, name)) {
		hostfiles_sweep(host, name, NULL);
		result = hostfiles_make(host, name, owner, err);
	}
	if (result == 0 && (fd = file_open(host, user, O_WRONLY | O_CREAT, 0600, err)) >= 0)
		claimed = arena_string(arena, name);
	if (fd >= 0)
		close(fd);
	if (host >= 0)
		close(host);
	free(user);
	free(name);
	return claimed;
}

void
hostfiles_release(const char *machine)
{
	struct error ignored;
	int host = hostfiles_open(false, &ignored);
	char *name = hostfiles_name();

	if (host >= 0) {
		hostfiles_sweep(host, name, machine);
		close(host);
	}
	free(name);
}
