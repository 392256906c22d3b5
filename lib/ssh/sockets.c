/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/sockets.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/lock.h"
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

/* Locks the directory. Returns -1 if another process holds it, or if it was removed between open and lock. */
static int
sockets_lock_directory(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 && lock_is_current(fd, path))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Closes what workers that were killed left behind. */
static void
sockets_sweep(const char *runtime)
{
	DIR *dir = opendir(runtime);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char *path = memory_printf("%s/%s", runtime, entry->d_name);
		int fd = strncmp(entry->d_name, "ssh.", 4) == 0 ? sockets_lock_directory(path) : -1;

		if (fd >= 0) {
			sockets_close_directory(path, fd);
			close(fd);
		}
		free(path);
	}
	if (dir)
		closedir(dir);
}

int
sockets_open(struct sockets *sockets, struct error *err)
{
	char *runtime = location_runtime(), *short_name;

	*sockets = (struct sockets){.lock = -1};
	if (!runtime)
		return error_errno(err, EX_CANTCREAT, "a directory for sockets");
	sockets_sweep(runtime);
	do {
		free(sockets->path);
		sockets->path = memory_printf("%s/ssh.XXXXXX", runtime);
		if (!mkdtemp(sockets->path))
			break;
		sockets->lock = sockets_lock_directory(sockets->path);
	} while (sockets->lock < 0);
	free(runtime);
	if (sockets->lock < 0) {
		error_errno(err, EX_CANTCREAT, "%s", sockets->path);
		free(sockets->path);
		sockets->path = NULL;
		return -1;
	}
	short_name = sockets_short_path(sockets->lock);
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
	if (!sockets->path)
		return;
	sockets_close_directory(sockets->path, sockets->lock);
	close(sockets->lock);
	free(sockets->path);
	*sockets = (struct sockets){.lock = -1};
}
