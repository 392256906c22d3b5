/* SPDX-License-Identifier: Apache-2.0
 *
 * Records which machine has which address, and which cluster has which routing table, whose numbers are addresses of the network,
 * too. Networks of an installation do not overlap, nor do those of a host, so an address says which network it is of. The sandbox's folder must be locked (state.h) around each claim and release.
 */
#ifndef SANDBOX_ADDRESS_H
#define SANDBOX_ADDRESS_H

#include <arpa/inet.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

struct error;

enum { ADDRESS_SIZE = INET_ADDRSTRLEN };

struct network {
	uint32_t base;    /* in the host's byte order */
	int prefix;
	char text[ADDRESS_SIZE + 4];
	char bridge[IFNAMSIZ];
	char host[ADDRESS_SIZE]; /* the host's own address in it: the first */
};

#define NETWORK_DEFAULT "10.213.0.0/16"

/* Reads "10.213.0.0/16", with room for a machine at least. Fails with EX_CONFIG, and says what would be right. */
int network_parse(const char *text, struct network *network, struct error *err);

/* Gives the machine the lowest free address of the network. Fails with EX_UNAVAILABLE if all are taken. */
int address_claim(int sandbox, const struct network *network, const char *machine, char address[ADDRESS_SIZE],
    struct error *err);

/* Finds the address that the machine has. Returns false if it has none. */
bool address_find(int sandbox, const char *machine, char address[ADDRESS_SIZE]);

void address_release(int sandbox, const char *address);

/* Gives the cluster the routing table with the lowest free number of the network, or the one that it has there. */
int address_claim_table(int sandbox, const struct network *network, const char *cluster, uint32_t *table, struct error *err);

/* Takes back all tables that the cluster has. */
void address_release_tables(int sandbox, const char *cluster);

/* Returns whether any machine has an address of the network. */
bool address_any(int sandbox, const struct network *network);

#endif
