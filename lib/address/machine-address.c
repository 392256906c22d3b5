/* SPDX-License-Identifier: Apache-2.0 */
#include "address/machine-address.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "address/range.h"
#include "base/error.h"

/* Turns an IPv4 address that is written as IPv6 into IPv4, and the unspecified address, at which a connection reaches this
 * host, into that of this host. The number of an interface counts only where an address means another machine at each of them. */
static void
machine_address_reduce(const struct sockaddr *from, struct sockaddr_storage *to)
{
	const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)(const void *)from;
	struct sockaddr_in *four = (struct sockaddr_in *)to;

	*to = (struct sockaddr_storage){0};
	if (from->sa_family == AF_INET6 && !IN6_IS_ADDR_V4MAPPED(&six->sin6_addr) && !IN6_IS_ADDR_UNSPECIFIED(&six->sin6_addr)) {
		memcpy(to, six, sizeof *six);
		if (!IN6_IS_ADDR_LINKLOCAL(&six->sin6_addr) && !IN6_IS_ADDR_MC_LINKLOCAL(&six->sin6_addr))
			((struct sockaddr_in6 *)(void *)to)->sin6_scope_id = 0;
		return;
	}
	four->sin_family = AF_INET;
	if (from->sa_family == AF_INET6)
		memcpy(&four->sin_addr, &six->sin6_addr.s6_addr[12], sizeof four->sin_addr);
	else
		memcpy(four, from, sizeof *four);
	if (four->sin_addr.s_addr == htonl(INADDR_ANY))
		four->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
}

static void
machine_address_add(struct string_list *list, struct arena *arena, const struct sockaddr *address, const char *port)
{
	struct sockaddr_storage reduced;
	char text[INET6_ADDRSTRLEN] = "";
	const char *whole;

	machine_address_reduce(address, &reduced);
	if (reduced.ss_family == AF_INET) {
		inet_ntop(AF_INET, &((struct sockaddr_in *)&reduced)->sin_addr, text, sizeof text);
		whole = arena_printf(arena, "%s:%s", text, port);
	} else {
		const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&reduced;

		inet_ntop(AF_INET6, &six->sin6_addr, text, sizeof text);
		whole = six->sin6_scope_id ? arena_printf(arena, "%s%%%u:%s", text, six->sin6_scope_id, port)
		    : arena_printf(arena, "%s:%s", text, port);
	}
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->list[i], whole) == 0)
			return;
	list->list[list->count++] = whole;
}

/* Returns the number behind the last colon, and where that is; 0 where there is none that is a port. */
static long
machine_address_find_port(const char *machine, const char **colon)
{
	const char *found = strrchr(machine, ':');
	char *end = NULL;
	long port = found && found != machine ? strtol(found + 1, &end, 10) : 0;

	*colon = found;
	return end && end != found + 1 && !*end && port >= 1 && port <= 65535 ? port : 0;
}

bool
machine_address_is_one(const char *machine)
{
	const char *colon;

	return machine_address_find_port(machine, &colon) != 0;
}

int
machine_address_resolve(const char *machine, struct arena *arena, struct string_list *list, struct error *err)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found;
	const char *colon;
	long port = machine_address_find_port(machine, &colon);
	size_t count = 0;
	char *host;
	int failed;

	*list = (struct string_list){0};
	if (port == 0) {
		list->list = arena_alloc(arena, 1, sizeof *list->list);
		list->list[list->count++] = machine;
		return 0;
	}
	host = arena_printf(arena, "%.*s", (int)(colon - machine), machine);
	failed = getaddrinfo(host, NULL, &hints, &found);
	if (failed)
		return error_set(err, EX_TEMPFAIL, "%s: %s", host, gai_strerror(failed));
	for (const struct addrinfo *one = found; one; one = one->ai_next)
		count++;
	list->list = arena_alloc(arena, count, sizeof *list->list);
	for (const struct addrinfo *one = found; one; one = one->ai_next)
		if (one->ai_family == AF_INET || one->ai_family == AF_INET6)
			machine_address_add(list, arena, one->ai_addr, arena_printf(arena, "%ld", port));
	freeaddrinfo(found);
	return 0;
}

int
machine_address_check(const char *machine, const struct string_list *list, const struct string_list *ranges, struct error *err)
{
	char address[INET6_ADDRSTRLEN + sizeof "%4294967295"];

	for (size_t i = 0; i < list->count && machine_address_is_one(machine); i++) {
		snprintf(address, sizeof address, "%.*s", (int)(strrchr(list->list[i], ':') - list->list[i]), list->list[i]);
		if (!range_list_has(ranges, address))
			return error_set(err, EX_NOPERM, "the machine %s: %s is none of the addresses that the tenant's own machines may have; "
			    "a superadmin changes them with coopr-tenant change --addresses", machine, address);
	}
	return 0;
}
