/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/sockets.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"
#include "base/process.h"

enum {
	MASTER_LINE_BYTES = 4096,
	PATH_BYTES = 70, /* of a directory for which the path of a socket is short enough, while ssh makes it, too */
};

/* Returns a short name for the directory that fd is open on, for as long as we live: the path of a socket may have 107 bytes,
 * that of a directory any number. */
static char *
sockets_short_path(int fd)
{
	return memory_printf("/proc/%d/fd/%d", (int)getpid(), fd);
}

/* Asks the master behind the socket to end. If there is none any more, the socket is only a name. */
static void
sockets_close_master(const char *path)
{
	struct arguments argv = {0};
	struct buffer said = {0};
	struct error ignored;

	arguments_push_all(&argv, "ssh", "-F", "none", "-O", "exit", "-S", path, "--", "none", NULL);
	process_run(argv.list, NULL, 0, &said, &said, MASTER_LINE_BYTES, &ignored);
	buffer_release(&said);
	arguments_release(&argv);
}

/* Closes all connections of the directory, which fd is open on, and removes it. */
static void
sockets_close_directory(const char *path, int fd)
{
	char *short_name = sockets_short_path(fd);
	DIR *dir = opendir(short_name);
	struct dirent *entry;
	struct error ignored;

	while (dir && (entry = readdir(dir))) {
		char *socket = memory_printf("%s/%s", short_name, entry->d_name);

		if (entry->d_name[0] != '.')
			sockets_close_master(socket);
		free(socket);
	}
	if (dir)
		closedir(dir);
	file_remove_tree(AT_FDCWD, path, &ignored);
	free(short_name);
}

int
sockets_open(struct sockets *sockets, struct error *err)
{
	char *runtime = location_runtime(), *short_name;
	int result;

	*sockets = (struct sockets){.held = {.lock = -1}};
	if (!runtime)
		return error_errno(err, EX_CANTCREAT, "a directory for sockets");
	result = held_folder_open(&sockets->held, runtime, "ssh.", sockets_close_directory, err);
	free(runtime);
	if (result < 0)
		return -1;
	short_name = sockets_short_path(sockets->held.lock);
	setenv(SOCKETS_VARIABLE, short_name, 1);
	free(short_name);
	return 0;
}

const char *
sockets_keep(void)
{
	const char *given = getenv(SOCKETS_VARIABLE);
	char *name = given && *given ? realpath(given, NULL) : NULL;
	int fd;

	if (!name)
		return NULL;
	if (strlen(name) > PATH_BYTES && (fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) >= 0) {
		free(name);
		name = sockets_short_path(fd);
	}
	setenv(SOCKETS_VARIABLE, name, 1);
	free(name);
	return getenv(SOCKETS_VARIABLE);
}

void
sockets_close(struct sockets *sockets)
{
	if (sockets->held.path)
		sockets_close_directory(sockets->held.path, sockets->held.lock);
	held_folder_close(&sockets->held);
}
