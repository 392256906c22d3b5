/* SPDX-License-Identifier: Apache-2.0 */
#include "store/client.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* Takes only what is an address: everybody may say anything there. */
static void
client_find_address(char *address, size_t size)
{
	const char *connection = getenv("SSH_CONNECTION");
	unsigned char bytes[sizeof(struct in6_addr)];

	snprintf(address, size, "%.*s", connection ? (int)strcspn(connection, " ") : 0, connection ? connection : "");
	if (inet_pton(AF_INET, address, bytes) != 1 && inet_pton(AF_INET6, address, bytes) != 1)
		*address = '\0';
}

void
client_find(struct client *client)
{
	char *name = process_user(client_login_user());

	snprintf(client->login, sizeof client->login, "%s", name);
	free(name);
	if (gethostname(client->host, sizeof client->host) < 0)
		*client->host = '\0';
	client->host[sizeof client->host - 1] = '\0';
	client_find_address(client->address, sizeof client->address);
}
