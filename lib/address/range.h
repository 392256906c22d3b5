/* SPDX-License-Identifier: Apache-2.0
 *
 * Ranges of addresses, "10.4.0.0/16" and "2001:db8:4::/64", and what lies in them: addresses are compared as bytes. An IPv4 address
 * that is written as IPv6 is the IPv4 address, and lies in no range of IPv6.
 *
 * Some addresses lead to this host, or to whoever is near: loopback, link-local, multicast, 0.0.0.0/8, ::/96, and what the kernel says
 * is this host's own. They lie only in a range of that address alone ("127.0.0.1/32"), and in no larger one.
 */
#ifndef ADDRESS_RANGE_H
#define ADDRESS_RANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "json/place.h"

/* Tells whether text is a range: an address in numbers and the number of the bits that count, behind which it is 0. */
bool range_is_valid(const char *text);

enum { RANGE_ADDRESS_SIZE = 46 };

/* Writes the address of that number, from 0, in a range. Returns false where the range has none, or is none. */
bool range_address(const char *range, uint64_t number, char text[static RANGE_ADDRESS_SIZE]);

/* Tells whether text is an address in numbers, as inet_pton(3) has it, that is in one of the ranges. A range that is not valid has
 * none. */
bool range_list_has(const struct string_list *ranges, const char *text);

/* Tells whether text is an address that only a network of its own has: of RFC 1918, of a carrier's translation, unique local. */
bool range_is_private(const char *text);

/* Tells whether text is an address in numbers that leads into the public network wherever it is used: neither to this host nor to whoever is near, nor into
 * a private network, nor to what a cloud's host answers to its own machines; also where it has such an address of IPv4 inside of one of IPv6. */
bool range_is_public(const char *text);

#endif
