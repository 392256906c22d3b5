/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/memory-folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/lock.h"
#include "base/memory.h"

/* Locks the folder. Returns -1 if another process holds it, or if it was removed between open and lock. */
static int
memory_folder_lock(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 && lock_is_current(fd, path))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static void
memory_folder_sweep(const char *memory)
{
	DIR *dir = opendir(memory);
	struct dirent *entry;
	struct error ignored;

	while (dir && (entry = readdir(dir))) {
		char *path = memory_printf("%s/%s", memory, entry->d_name);
		int fd = strncmp(entry->d_name, "keys.", 5) == 0 ? memory_folder_lock(path) : -1;

		if (fd >= 0) {
			file_remove_tree(AT_FDCWD, path, &ignored);
			close(fd);
		}
		free(path);
	}
	if (dir)
		closedir(dir);
}

int
memory_folder_open(struct memory_folder *folder, struct error *err)
{
	char *memory = location_memory();

	*folder = (struct memory_folder){.lock = -1};
	if (!memory)
		return error_errno(err, EX_CANTCREAT, "a folder in memory for keys");
	memory_folder_sweep(memory);
	do {
		free(folder->path);
		folder->path = memory_printf("%s/keys.XXXXXX", memory);
		if (!mkdtemp(folder->path))
			break;
		folder->lock = memory_folder_lock(folder->path);
	} while (folder->lock < 0);
	free(memory);
	if (folder->lock >= 0)
		return 0;
	error_errno(err, EX_CANTCREAT, "%s", folder->path);
	free(folder->path);
	folder->path = NULL;
	return -1;
}

int
memory_folder_open_lasting(struct memory_folder *folder, struct error *err)
{
	char *memory = location_memory();

	*folder = (struct memory_folder){.lock = -1, .stays = true};
	if (!memory)
		return error_errno(err, EX_CANTCREAT, "a folder in memory for keys");
	folder->path = memory_printf("%s/login", memory);
	free(memory);
	if (mkdir(folder->path, 0700) == 0 || errno == EEXIST)
		folder->lock = open(folder->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder->lock >= 0)
		return 0;
	error_errno(err, EX_CANTCREAT, "%s", folder->path);
	free(folder->path);
	folder->path = NULL;
	return -1;
}

int
memory_folder_write(const struct memory_folder *folder, const char *name, const void *bytes, size_t length, struct error *err)
{
	return file_replace(folder->lock, name, bytes, length, 0600, err) < 0 ? error_prefix(err, "%s", folder->path) : 0;
}

void
memory_folder_remove(const struct memory_folder *folder, const char *name)
{
	unlinkat(folder->lock, name, 0);
}

void
memory_folder_close(struct memory_folder *folder)
{
	struct error ignored;

	if (!folder->path)
		return;
	if (!folder->stays)
		file_remove_tree(AT_FDCWD, folder->path, &ignored);
	close(folder->lock);
	free(folder->path);
	*folder = (struct memory_folder){.lock = -1};
}
