/* SPDX-License-Identifier: Apache-2.0
 *
 * Bridges and cables (veth pairs) of the host, and the end of a cable inside a machine. A network's bridge is made
 * with its first machine and removed with its last. Names and hardware addresses follow from the IP addresses: nobody's
 * ARP cache is wrong when an address has a new machine.
 */
#ifndef SANDBOX_NETWORK_H
#define SANDBOX_NETWORK_H

#include <stdbool.h>
#include <sys/types.h>

#include "sandbox/address.h"

struct error;

/* Makes the bridge of network, unless it exists. Fails if it is another installation's, or if the network overlaps one that the
 * host is in. provider is for messages. */
int network_up(const struct network *network, const char *provider, struct error *err);

/* Removes the bridge and its route, if there are any; another installation's are left alone. */
int network_down(const struct network *network, struct error *err);

/* Lays a cable from the bridge to "eth0" in the network namespace of the process pid. */
int network_connect(const struct network *network, const char *address, pid_t pid, struct error *err);

/* Removes the cable of address, if there is one. */
int network_disconnect(const char *address, struct error *err);

/* Gives eth0 its address and brings it and lo up, inside the machine; with route, the host is its default gateway. */
int network_inside(const struct network *network, const char *address, bool route, struct error *err);

#endif
