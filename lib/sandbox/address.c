/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/address.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

enum { PREFIX_MIN = 8, PREFIX_MAX = 30, LINK_SIZE = 512 };

static char *
address_print(uint32_t address, char text[ADDRESS_SIZE])
{
	struct in_addr in = {.s_addr = htonl(address)};

	inet_ntop(AF_INET, &in, text, ADDRESS_SIZE);
	return text;
}

static bool
address_read(const char *text, uint32_t *address)
{
	struct in_addr in;

	if (inet_pton(AF_INET, text, &in) != 1)
		return false;
	*address = ntohl(in.s_addr);
	return true;
}

static uint32_t
address_host_bits(int prefix)
{
	return UINT32_MAX >> prefix;
}

int
network_parse(const char *text, struct network *network, struct error *err)
{
	char base[ADDRESS_SIZE], extra;

	*network = (struct network){0};
	if (sscanf(text, "%15[0-9.]/%d%c", base, &network->prefix, &extra) != 2 ||
	    !address_read(base, &network->base) || network->prefix < PREFIX_MIN || network->prefix > PREFIX_MAX)
		return error_set(err, EX_CONFIG,
		    "network %s: not a network; write it as %s, with a prefix of %d to %d", text, NETWORK_DEFAULT,
		    PREFIX_MIN, PREFIX_MAX);
	if (network->base & address_host_bits(network->prefix))
		return error_set(err, EX_CONFIG, "network %s: is an address in the network %s/%d", text,
		    address_print(network->base & ~address_host_bits(network->prefix), base), network->prefix);
	snprintf(network->text, sizeof network->text, "%s/%d", base, network->prefix);
	address_print(network->base + 1, network->host);
	if (strcmp(network->text, NETWORK_DEFAULT) == 0)
		snprintf(network->bridge, sizeof network->bridge, "coopr0");
	else
		snprintf(network->bridge, sizeof network->bridge, "coopr-%08x", network->base);
	return 0;
}

static bool
address_contains(const struct network *network, uint32_t address)
{
	return (address & ~address_host_bits(network->prefix)) == network->base;
}

/* Opens the folder of claims. Returns NULL if there is none. */
static DIR *
address_open_claims(int sandbox, const char *folder)
{
	int fd = openat(sandbox, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? NULL : fdopendir(fd);
}

/* Reads the next claimed address. */
static bool
address_next_claim(DIR *claims, uint32_t *address)
{
	struct dirent *entry;

	while ((entry = readdir(claims)))
		if (address_read(entry->d_name, address))
			return true;
	return false;
}

/* Returns the lowest address of the network that has no claim and is not the host's; 0 if there is none. */
static uint32_t
address_lowest_free(DIR *claims, const struct network *network)
{
	uint32_t last = address_host_bits(network->prefix) - 1, number = 2, address;
	unsigned char *taken = memory_zeroed(last + 1, 1);

	while (address_next_claim(claims, &address))
		if (address_contains(network, address))
			taken[address - network->base] = 1;
	while (number <= last && taken[number])
		number++;
	free(taken);
	return number <= last ? network->base + number : 0;
}

/* Gives owner the lowest number of the network that is free in the folder. */
static int
address_claim_in(int sandbox, const char *folder, const struct network *network, const char *owner, char address[ADDRESS_SIZE],
    struct error *err)
{
	DIR *claims;
	uint32_t number;
	int result = 0;

	if (mkdirat(sandbox, folder, 0700) < 0 && errno != EEXIST)
		return error_errno(err, EX_CANTCREAT, "%s", folder);
	claims = address_open_claims(sandbox, folder);
	if (!claims)
		return error_errno(err, EX_IOERR, "%s", folder);
	number = address_lowest_free(claims, network);
	if (number == 0)
		result = error_set(err, EX_UNAVAILABLE,
		    "network %s: all its addresses are taken; delete machines, or give the provider a larger network",
		    network->text);
	else if (symlinkat(owner, dirfd(claims), address_print(number, address)) < 0)
		result = error_errno(err, EX_CANTCREAT, "%s/%s", folder, address);
	closedir(claims);
	return result;
}

int
address_claim(int sandbox, const struct network *network, const char *machine, char address[ADDRESS_SIZE],
    struct error *err)
{
	return address_claim_in(sandbox, "addresses", network, machine, address, err);
}

/* Finds what owner has in the folder: of the network, if it is not NULL. */
static bool
address_find_in(int sandbox, const char *folder, const struct network *network, const char *owner, char address[ADDRESS_SIZE])
{
	DIR *claims = address_open_claims(sandbox, folder);
	char text[LINK_SIZE];
	uint32_t number;
	bool found = false;

	while (claims && !found && address_next_claim(claims, &number)) {
		ssize_t n = readlinkat(dirfd(claims), address_print(number, address), text, sizeof text);

		found = n == (ssize_t)strlen(owner) && memcmp(text, owner, (size_t)n) == 0 &&
		    (!network || address_contains(network, number));
	}
	if (claims)
		closedir(claims);
	return found;
}

bool
address_find(int sandbox, const char *machine, char address[ADDRESS_SIZE])
{
	return address_find_in(sandbox, "addresses", NULL, machine, address);
}

int
address_claim_table(int sandbox, const struct network *network, const char *cluster, uint32_t *table, struct error *err)
{
	char number[ADDRESS_SIZE];

	if (!address_find_in(sandbox, "tables", network, cluster, number) &&
	    address_claim_in(sandbox, "tables", network, cluster, number, err) < 0)
		return -1;
	address_read(number, table);
	return 0;
}

void
address_release_tables(int sandbox, const char *cluster)
{
	char number[ADDRESS_SIZE];

	while (address_find_in(sandbox, "tables", NULL, cluster, number)) {
		char *path = memory_printf("tables/%s", number);
		bool gone = unlinkat(sandbox, path, 0) == 0;

		free(path);
		if (!gone)
			break;
	}
}

void
address_release(int sandbox, const char *address)
{
	char *path = memory_printf("addresses/%s", address);

	unlinkat(sandbox, path, 0);
	free(path);
}

bool
address_any(int sandbox, const struct network *network)
{
	DIR *claims = address_open_claims(sandbox, "addresses");
	uint32_t address;
	bool any = false;

	while (claims && !any && address_next_claim(claims, &address))
		any = address_contains(network, address);
	if (claims)
		closedir(claims);
	return any;
}
