/* SPDX-License-Identifier: Apache-2.0
 *
 * From where somebody comes, as far as it is one place: whoever has one address of IPv6 has all of its network of 64 bits.
 */
#ifndef ADDRESS_NETWORK_H
#define ADDRESS_NETWORK_H

#include <netinet/in.h>

struct network {
	char text[INET6_ADDRSTRLEN];
};

/* Fills in the network of 64 bits of an address of IPv6, "2001:db8::". Returns its text; the address itself where it is another, or none. */
const char *network_of(struct network *network, const char *address);

#endif
