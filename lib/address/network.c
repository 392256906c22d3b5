/* SPDX-License-Identifier: Apache-2.0 */
#include "address/network.h"

#include <arpa/inet.h>
#include <string.h>

enum { NETWORK_BYTES = 8 };

const char *
network_of(struct network *network, const char *address)
{
	struct in6_addr bytes;

	if (inet_pton(AF_INET6, address, &bytes) != 1 || IN6_IS_ADDR_V4MAPPED(&bytes))
		return address;
	memset(bytes.s6_addr + NETWORK_BYTES, 0, sizeof bytes.s6_addr - NETWORK_BYTES);
	return inet_ntop(AF_INET6, &bytes, network->text, sizeof network->text);
}
