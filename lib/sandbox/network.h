/* SPDX-License-Identifier: Apache-2.0
 *
 * Cables (veth pairs) of the host, and the end of a cable inside a machine. Each ends at the host: no machine sees another's frames,
 * and neither end uses ARP, so there is nothing to spoof. Names and hardware addresses follow from the IP addresses; both ends have
 * the same one.
 *
 * The host routes between machines of a cluster, by a routing table that has the addresses of these, and rules of ip-rule(8) for
 * each machine: what comes by its cable from its address asks that table, then, if it has a route out, the host's, and nothing else;
 * what goes to its address takes its cable. So a machine has no other's address, and reaches no other cluster's.
 *
 * A network also has a bridge, without ports, which has the host's address in it and says whose the network is. It is made with the
 * first machine and removed with the last.
 */
#ifndef SANDBOX_NETWORK_H
#define SANDBOX_NETWORK_H

#include <stdbool.h>
#include <sys/types.h>

#include "sandbox/address.h"

struct error;
struct machine;

/* Makes the bridge of network, unless it exists. Fails if it is another installation's, or if the network overlaps one that the
 * host is in. provider is for messages. */
int network_up(const struct network *network, const char *provider, struct error *err);

/* Removes the bridge and its route, if there are any; another installation's are left alone. */
int network_down(const struct network *network, struct error *err);

/* Lays a cable to "eth0" in the network namespace of the process pid, with the routes of the machine. */
int network_connect(const struct network *network, const struct machine *machine, pid_t pid, struct error *err);

/* Removes the cable of address and its routes, if there are any. */
int network_disconnect(const char *address, struct error *err);

/* Gives eth0 its address and brings it and lo up, inside the machine; with route, the host is its default gateway. */
int network_inside(const struct network *network, const char *address, bool route, struct error *err);

#endif
