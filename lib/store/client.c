/* SPDX-License-Identifier: Apache-2.0 */
#include "store/client.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/process.h"

/* Returns the user that the kernel has written down at the login, which no program can change afterwards. */
static uid_t
client_login_user(void)
{
	char text[16] = "";
	int fd = open("/proc/self/loginuid", O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
	unsigned long user;

	if (fd >= 0)
		close(fd);
	user = length > 0 ? strtoul(text, NULL, 10) : (uid_t)-1;
	return (uid_t)user == (uid_t)-1 ? getuid() : (uid_t)user;
}

/* Takes the first word of a text, and only what is an address: everybody may say anything there. */
static void
client_take_address(char *address, size_t size, const char *text)
{
	unsigned char bytes[sizeof(struct in6_addr)];

	snprintf(address, size, "%.*s", (int)strcspn(text, " "), text);
	if (inet_pton(AF_INET, address, bytes) != 1 && inet_pton(AF_INET6, address, bytes) != 1)
		*address = '\0';
}

/* Reads the name of a process, and the number of its parent: "4321 (coopr-store) S 4320 ...". Returns that, or 0. */
static long
client_read_process(long pid, char *name, size_t size)
{
	char text[512] = "", path[64], *begin, *end;
	ssize_t length;
	int fd;

	snprintf(path, sizeof path, "/proc/%ld/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	length = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	begin = length > 0 ? strchr(text, '(') : NULL;
	end = begin ? strrchr(begin, ')') : NULL;
	if (!end)
		return 0;
	snprintf(name, size, "%.*s", (int)(end - begin - 1), begin + 1);
	/* The name is the process's to choose. */
	for (char *at = name; *at; at++)
		if (!isalnum((unsigned char)*at) && !strchr("._-+:/ ", *at))
			*at = '?';
	return end[1] && end[2] && end[3] ? strtol(end + 3, NULL, 10) : 0;
}

/* Names those that have started us, up to the first process of all. */
static void
client_find_via(char *via, size_t size)
{
	char name[32] = "";
	size_t length = 0;

	*via = '\0';
	for (long pid = getppid(), parent; pid > 1 && length + sizeof name + 3 < size; pid = parent) {
		parent = client_read_process(pid, name, sizeof name);
		if (!parent && !*name)
			return;
		length += (size_t)snprintf(via + length, size - length, "%s%s", length ? ", " : "", name);
	}
}

const char *
client_asker(void)
{
	const char *user = getenv(CLIENT_ASKER);

	return user && *user && !getenv("SUDO_USER") ? user : NULL;
}

void
client_make_run(char run[static CLIENT_RUN_SIZE])
{
	unsigned char bytes[(CLIENT_RUN_SIZE - 1) / 2];

	randombytes_buf(bytes, sizeof bytes);
	sodium_bin2hex(run, CLIENT_RUN_SIZE, bytes, sizeof bytes);
}

const char *
client_request(void)
{
	const char *request = getenv(CLIENT_ASKER_REQUEST);

	return request && *request && client_asker() ? request : NULL;
}

/* Takes the address from what the server says, and puts what was shown to it before the processes. */
static void
client_find_asker(struct client *client, const char *from)
{
	size_t address = strcspn(from, " ");
	char *via = memory_printf("%s%s%s", from + address + (from[address] == ' '), from[address] ? ", " : "", client->via);

	snprintf(client->via, sizeof client->via, "%s", via);
	client_take_address(client->address, sizeof client->address, from);
	free(via);
}

int64_t
client_seen(void)
{
	const char *seen = getenv(CLIENT_ASKER_SEEN);

	return seen && client_request() ? strtoll(seen, NULL, 10) : -1;
}

void
client_find(struct client *client)
{
	char *name = client_asker() ? memory_string(client_asker()) : process_user(client_login_user());
	const char *connection = getenv("SSH_CONNECTION"), *from = getenv(CLIENT_ASKER_FROM);

	snprintf(client->login, sizeof client->login, "%s", name);
	free(name);
	if (gethostname(client->host, sizeof client->host) < 0)
		*client->host = '\0';
	client->host[sizeof client->host - 1] = '\0';
	client_find_via(client->via, sizeof client->via);
	client_take_address(client->address, sizeof client->address, connection ? connection : "");
	/* The server removes SUDO_USER: with it, it is the caller of sudo(8) who says that. */
	if (from && !getenv("SUDO_USER"))
		client_find_asker(client, from);
}
