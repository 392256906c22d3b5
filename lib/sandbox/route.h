/* SPDX-License-Identifier: Apache-2.0
 *
 * The route of a network out of this host: a table of nft(8), with the name of the network's bridge. It hides the machines
 * behind the host's addresses, lets in nothing but answers, and keeps machines from all that they do not reach without a
 * route: the networks of other sandboxes and the host's other addresses. Forwarding is switched for the bridge alone;
 * whether the host forwards at all is for its administrator to say (net.ipv4.ip_forward).
 */
#ifndef SANDBOX_ROUTE_H
#define SANDBOX_ROUTE_H

#include <stdbool.h>

struct arena;
struct error;
struct network;

/* Opens the route of the network, whose bridge exists. Fails with EX_CONFIG if the host forwards nothing or has no nft;
 * provider is for messages. It may be repeated: rules that somebody has flushed are there again. */
int route_open(const struct network *network, const char *provider, struct error *err);

/* Closes the route: the bridge forwards nothing. Where the kernel's settings are read only they stay as they are. */
void route_close(const struct network *network);

/* Removes the table, if there is one. */
int route_remove(const struct network *network, struct error *err);

/* Returns whether the host forwards. */
bool route_is_allowed(void);

/* Returns the host's resolvers that a machine reaches over the route, spaces between; "" if there are none. */
const char *route_resolvers(struct arena *arena);

#endif
