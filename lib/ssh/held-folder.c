/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/held-folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/error.h"
#include "base/lock.h"
#include "base/memory.h"

/* Locks the folder. Returns -1 if another process holds it, or if it was removed between open and lock. */
static int
held_folder_lock(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 && lock_is_current(fd, path))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static void
held_folder_sweep(const char *above, const char *kind, held_folder_end *end)
{
	DIR *dir = opendir(above);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char *path = memory_printf("%s/%s", above, entry->d_name);
		int fd = strncmp(entry->d_name, kind, strlen(kind)) == 0 ? held_folder_lock(path) : -1;

		if (fd >= 0) {
			end(path, fd);
			close(fd);
		}
		free(path);
	}
	if (dir)
		closedir(dir);
}

int
held_folder_open(struct held_folder *folder, const char *above, const char *kind, held_folder_end *end, struct error *err)
{
	*folder = (struct held_folder){.lock = -1};
	held_folder_sweep(above, kind, end);
	do {
		free(folder->path);
		folder->path = memory_printf("%s/%sXXXXXX", above, kind);
		if (!mkdtemp(folder->path))
			break;
		folder->lock = held_folder_lock(folder->path);
	} while (folder->lock < 0);
	if (folder->lock >= 0)
		return 0;
	error_errno(err, EX_CANTCREAT, "%s", folder->path);
	held_folder_close(folder);
	return -1;
}

void
held_folder_close(struct held_folder *folder)
{
	if (folder->path && folder->lock >= 0)
		close(folder->lock);
	free(folder->path);
	*folder = (struct held_folder){.lock = -1};
}
