/* SPDX-License-Identifier: Apache-2.0 */
#include "web/listening.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/error.h"
#include "base/location.h"
#include "base/memory.h"
#include "base/message.h"
#include "web/server.h"

enum { LISTENING_BACKLOG = 4096, LISTENING_SYSTEMD = 3 /* the first of systemd's descriptors */ };

static int
listening_add(struct server_options *options, int fd, struct error *err)
{
	if (options->count == SERVER_SOCKETS) {
		close(fd);
		return error_set(err, EX_USAGE, "at most %d sockets can be served", SERVER_SOCKETS);
	}
	options->sockets[options->count++] = fd;
	return 0;
}

/* Returns whether somebody serves the Unix socket. */
static bool
listening_is_served(const struct sockaddr_un *address)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool served = fd >= 0 && connect(fd, (const struct sockaddr *)address, sizeof *address) == 0;

	if (fd >= 0)
		close(fd);
	return served;
}

static int
listening_open_unix(const char *path, struct server_options *options, struct error *err)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct stat status;
	int fd;

	if (strlen(path) >= sizeof address.sun_path)
		return error_set(err, EX_USAGE, "%s: the path of a socket has at most %zu bytes", path, sizeof address.sun_path - 1);
	memcpy(address.sun_path, path, strlen(path) + 1);
	if (lstat(path, &status) == 0) {
		if (!S_ISSOCK(status.st_mode))
			return error_set(err, EX_CANTCREAT, "%s: there is something else, which is no socket", path);
		if (listening_is_served(&address))
			return error_set(err, EX_TEMPFAIL, "%s: a server runs there already; stop it, or give another --socket", path);
		unlink(path);
	}
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) < 0 || chmod(path, 0666) < 0 || listen(fd, LISTENING_BACKLOG) < 0) {
		error_errno(err, EX_CANTCREAT, "%s", path);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	message("serving on %s", path);
	return listening_add(options, fd, err);
}

/* Takes a socket of systemd's. Only of a Unix socket the kernel says who is at its other end. */
static int
listening_take_one(int fd, struct server_options *options, struct error *err)
{
	struct sockaddr_storage address;
	socklen_t size = sizeof address;

	if (getsockname(fd, (struct sockaddr *)&address, &size) < 0 || address.ss_family != AF_UNIX)
		return error_set(err, EX_CONFIG, "descriptor %d: is no Unix socket; ListenStream= of the unit names a path", fd);
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	return listening_add(options, fd, err);
}

/* Takes the sockets that systemd hands over. */
static int
listening_take(struct server_options *options, struct error *err)
{
	const char *pid = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS");
	int result = 0;

	if (!pid || !count || strtol(pid, NULL, 10) != (long)getpid())
		return 0;
	for (int i = 0; i < atoi(count) && result == 0; i++)
		result = listening_take_one(LISTENING_SYSTEMD + i, options, err);
	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	return result;
}

/* Opens the Unix socket of the runtime folder. */
static int
listening_open_default(struct server_options *options, struct error *err)
{
	char *folder = location_runtime(), *path;
	int result;

	if (!folder)
		return error_errno(err, EX_CANTCREAT, "the runtime folder");
	path = memory_printf("%s/serve", folder);
	result = listening_open_unix(path, options, err);
	free(path);
	free(folder);
	return result;
}

int
listening_open(const char *path, struct server_options *options, struct error *err)
{
	int result = listening_take(options, err);

	if (result == 0 && path)
		result = listening_open_unix(path, options, err);
	if (result == 0 && options->count == 0)
		result = listening_open_default(options, err);
	return result;
}
