/* SPDX-License-Identifier: Apache-2.0 */
#include "web/listening.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
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

enum {
	LISTENING_BACKLOG = 4096,
	LISTENING_SYSTEMD = 3, /* the first of systemd's descriptors */
	LISTENING_TEXT = 96,   /* of an address */
};

static int
listening_add(struct server_options *options, int fd, bool is_tcp, struct error *err)
{
	if (options->count == SERVER_SOCKETS) {
		close(fd);
		return error_set(err, EX_USAGE, "at most %d sockets can be served", SERVER_SOCKETS);
	}
	options->sockets[options->count].fd = fd;
	options->sockets[options->count++].is_tcp = is_tcp;
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
	return listening_add(options, fd, false, err);
}

static bool
listening_is_loopback(const struct sockaddr_storage *address)
{
	const struct sockaddr_in *four = (const struct sockaddr_in *)address;
	const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)address;

	return address->ss_family == AF_INET ? ntohl(four->sin_addr.s_addr) >> 24 == 127 : IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
}

/* Returns whether an address is one of this machine, as it is now. */
static bool
listening_is_own(const struct addrinfo *address)
{
	int fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool is_own = fd >= 0 && bind(fd, address->ai_addr, address->ai_addrlen) == 0;

	if (fd >= 0)
		close(fd);
	return is_own;
}

/* Returns the name of this machine for who is to open a page of it; the caller frees it. */
static char *
listening_name_host(int family)
{
	const struct addrinfo hints = {.ai_flags = AI_CANONNAME, .ai_family = family, .ai_socktype = SOCK_STREAM};
	struct addrinfo *found = NULL;
	char own[HOST_NAME_MAX + 1] = "", *name;
	bool is_known = gethostname(own, sizeof own - 1) == 0 && getaddrinfo(own, NULL, &hints, &found) == 0;

	name = memory_string(is_known && listening_is_own(found) ? found->ai_canonname : "localhost");
	if (is_known)
		freeaddrinfo(found);
	return name;
}

/* Tells where a browser finds the server: all addresses of a machine are none to go to. */
static void
listening_tell_address(struct server_options *options, const struct sockaddr_storage *address, const char *host, const char *port)
{
	const struct sockaddr_in *four = (const struct sockaddr_in *)address;
	const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)address;
	bool is_any = address->ss_family == AF_INET ? four->sin_addr.s_addr == INADDR_ANY : IN6_IS_ADDR_UNSPECIFIED(&six->sin6_addr);
	char *own = is_any ? listening_name_host(address->ss_family) : NULL;

	snprintf(options->address, sizeof options->address, strchr(host, ':') && !own ? "%s://[%s]:%s" : "%s://%s:%s",
	    options->certificate ? "https" : "http", own ? own : host, port);
	free(own);
}

/* Refuses to speak to other machines without TLS, unless that is asked for. Else tells whom it serves there: "on". */
static int
listening_check_tcp(int fd, const struct listening *what, const char *whom, struct server_options *options, struct error *err)
{
	struct sockaddr_storage address = {0};
	socklen_t size = sizeof address;
	char host[INET6_ADDRSTRLEN] = "", port[8] = "", text[LISTENING_TEXT];

	if (getsockname(fd, (struct sockaddr *)&address, &size) < 0 ||
	    getnameinfo((struct sockaddr *)&address, size, host, sizeof host, port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV) != 0)
		return error_errno(err, EX_OSERR, "socket");
	if (!options->certificate && !listening_is_loopback(&address) && !what->insecure)
		return error_set(err, EX_USAGE, "%s: other machines can reach it, and there is no TLS: give --cert and --key, or --insecure "
		    "where something in front of it has TLS", host);
	if (!options->certificate && !listening_is_loopback(&address))
		message("%s: without TLS, tokens and all that is asked can be read on the network", host);
	snprintf(text, sizeof text, strchr(host, ':') ? "%s://[%s]:%s" : "%s://%s:%s", options->certificate ? "https" : "http", host, port);
	message("serving %s %s", whom, text);
	if (!*options->address && strcmp(whom, "on") == 0)
		listening_tell_address(options, &address, host, port);
	return 0;
}

/* Listens on an address of TCP. */
static int
listening_bind(const struct addrinfo *address, const char *name, int *out, struct error *err)
{
	int fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1;

	if (fd >= 0 && address->ai_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	*out = fd;
	if (fd >= 0 && bind(fd, address->ai_addr, address->ai_addrlen) == 0 && listen(fd, LISTENING_BACKLOG) == 0)
		return 0;
	error_errno(err, errno == EADDRINUSE ? EX_TEMPFAIL : EX_CANTCREAT, "%s", name);
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Opens "ADDRESS:PORT", "[ADDRESS]:PORT" or "*:PORT". */
static int
listening_open_tcp(const char *name, const struct listening *what, const char *whom, struct server_options *options, struct error *err)
{
	const struct addrinfo hints = {.ai_flags = AI_PASSIVE | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM};
	const char *colon = strrchr(name, ':');
	size_t length = colon ? (size_t)(colon - name) : 0;
	bool brackets = length > 2 && name[0] == '[' && name[length - 1] == ']';
	char *host = memory_substring(name + brackets, length - 2 * brackets);
	struct addrinfo *found = NULL;
	int fd = -1, code, result;

	code = colon ? getaddrinfo(strcmp(host, "*") == 0 ? NULL : host, colon + 1, &hints, &found) : EAI_NONAME;
	if (code != 0)
		result = error_set(err, EX_USAGE, "%s: expected ADDRESS:PORT: %s", name, gai_strerror(code));
	else
		result = listening_bind(found, name, &fd, err);
	if (result == 0 && (result = listening_check_tcp(fd, what, whom, options, err)) < 0)
		close(fd);
	if (result == 0)
		result = listening_add(options, fd, true, err);
	if (found)
		freeaddrinfo(found);
	free(host);
	return result;
}

/* Takes a socket of systemd's. */
static int
listening_take_one(int fd, const struct listening *what, struct server_options *options, struct error *err)
{
	struct sockaddr_storage address = {0};
	socklen_t size = sizeof address;
	bool is_tcp;

	if (getsockname(fd, (struct sockaddr *)&address, &size) < 0)
		return error_errno(err, EX_CONFIG, "descriptor %d of systemd", fd);
	is_tcp = address.ss_family != AF_UNIX;
	if (is_tcp && listening_check_tcp(fd, what, "on", options, err) < 0)
		return -1;
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	return listening_add(options, fd, is_tcp, err);
}

/* Takes the sockets that systemd hands over. */
static int
listening_take(const struct listening *what, struct server_options *options, struct error *err)
{
	const char *pid = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS");
	int result = 0;

	if (!pid || !count || strtol(pid, NULL, 10) != (long)getpid())
		return 0;
	for (int i = 0; i < atoi(count) && result == 0; i++)
		result = listening_take_one(LISTENING_SYSTEMD + i, what, options, err);
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
listening_open(const struct listening *what, struct server_options *options, struct error *err)
{
	int result = listening_take(what, options, err);

	if (result == 0 && what->path)
		result = listening_open_unix(what->path, options, err);
	for (size_t i = 0; i < what->addresses.count && result == 0; i++)
		result = listening_open_tcp(what->addresses.list[i], what, "on", options, err);
	if (result == 0 && options->count == 0)
		result = listening_open_default(options, err);
	for (size_t i = 0; i < what->provisioners.count && result == 0; i++) {
		result = listening_open_tcp(what->provisioners.list[i], what, "provisioners on", options, err);
		if (result == 0)
			options->sockets[options->count - 1].is_for_provisioners = true;
	}
	return result;
}
