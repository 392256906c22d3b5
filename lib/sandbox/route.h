/* SPDX-License-Identifier: Apache-2.0
 *
 * What a network's machines reach, in a table of nft(8) with the name of the network's bridge: of the host only its address in the
 * network. With a route out of this host the table hides the machines behind the host's addresses, lets in nothing but answers, and
 * keeps them from the networks of other sandboxes. Forwarding is switched for the bridge alone;
 * whether the host forwards at all is for its administrator to say (net.ipv4.ip_forward).
 */
#ifndef SANDBOX_ROUTE_H
#define SANDBOX_ROUTE_H

#include <stdbool.h>

struct arena;
struct error;
struct network;

/* Keeps the network's machines from the host's other addresses. Returns false where this host has no nft, or it is refused. */
bool route_guard(const struct network *network);

/* Opens the route of the network, whose bridge exists. Fails with EX_CONFIG if the host forwards nothing or has no nft;
 * provider is for messages. It may be repeated: rules that somebody has flushed are there again. */
int route_open(const struct network *network, const char *provider, struct error *err);

/* Closes the route: the bridge forwards nothing. Where the kernel's settings are read only they stay as they are. */
void route_close(const struct network *network);

/* Removes the table, if there is one. */
int route_remove(const struct network *network, struct error *err);

/* Returns whether the host forwards. */
bool route_is_allowed(void);

/* Returns whether a firewall of iptables(8), as Docker sets it up, drops what is forwarded between machines. */
bool route_is_dropped(void);

/* Returns the host's resolvers that a machine reaches over the route, spaces between; "" if there are none. */
const char *route_resolvers(struct arena *arena);

#endif
