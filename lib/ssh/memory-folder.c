/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/memory-folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"

static void
memory_folder_end(const char *path, int fd)
{
	struct error ignored;

	(void)fd;
	file_remove_tree(AT_FDCWD, path, &ignored);
}

int
memory_folder_open(struct memory_folder *folder, struct error *err)
{
	char *memory = location_memory();
	int result;

	*folder = (struct memory_folder){.held = {.lock = -1}};
	if (!memory)
		return error_errno(err, EX_CANTCREAT, "a folder in memory for keys");
	result = held_folder_open(&folder->held, memory, "keys.", memory_folder_end, err);
	free(memory);
	return result;
}

int
memory_folder_open_lasting(struct memory_folder *folder, struct error *err)
{
	char *memory = location_memory();

	*folder = (struct memory_folder){.held = {.lock = -1}, .stays = true};
	if (!memory)
		return error_errno(err, EX_CANTCREAT, "a folder in memory for keys");
	folder->held.path = memory_printf("%s/login", memory);
	free(memory);
	if (mkdir(folder->held.path, 0700) == 0 || errno == EEXIST)
		folder->held.lock = open(folder->held.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder->held.lock >= 0)
		return 0;
	error_errno(err, EX_CANTCREAT, "%s", folder->held.path);
	held_folder_close(&folder->held);
	return -1;
}

int
memory_folder_write(const struct memory_folder *folder, const char *name, const void *bytes, size_t length, struct error *err)
{
	return file_replace(folder->held.lock, name, bytes, length, 0600, err) < 0 ? error_prefix(err, "%s", folder->held.path) : 0;
}

void
memory_folder_remove(const struct memory_folder *folder, const char *name)
{
	struct error ignored;

	file_remove(folder->held.lock, name, &ignored);
}

void
memory_folder_close(struct memory_folder *folder)
{
	if (folder->held.path && !folder->stays)
		memory_folder_end(folder->held.path, folder->held.lock);
	held_folder_close(&folder->held);
}
