/* SPDX-License-Identifier: Apache-2.0 */
#include "address/range.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { V4_BYTES = 4, V6_BYTES = 16, BYTE_BITS = 8, MAPPED_AT = V6_BYTES - V4_BYTES, DISCARD_PORT = 9 };

struct range {
	unsigned char bytes[V6_BYTES];
	size_t length; /* of an address: V4_BYTES or V6_BYTES */
	size_t bits;   /* that count; all of them: it is one address */
};

/* Takes an address in numbers; one of IPv4 that is written as IPv6 becomes one of IPv4. */
static bool
range_take_address(const char *text, struct range *range)
{
	*range = (struct range){.length = V4_BYTES};
	if (inet_pton(AF_INET, text, range->bytes) != 1) {
		if (inet_pton(AF_INET6, text, range->bytes) != 1)
			return false;
		range->length = V6_BYTES;
		if (IN6_IS_ADDR_V4MAPPED((const struct in6_addr *)(const void *)range->bytes)) {
			memmove(range->bytes, range->bytes + MAPPED_AT, V4_BYTES);
			range->length = V4_BYTES;
		}
	}
	range->bits = range->length * BYTE_BITS;
	return true;
}

/* Tells whether the first bits of both are equal. */
static bool
range_equals(const struct range *one, const struct range *other, size_t bits)
{
	size_t whole = bits / BYTE_BITS, rest = bits % BYTE_BITS;
	unsigned differ = rest ? (unsigned)(one->bytes[whole] ^ other->bytes[whole]) >> (BYTE_BITS - rest) : 0;

	return one->length == other->length && memcmp(one->bytes, other->bytes, whole) == 0 && differ == 0;
}

static bool
range_parse(const char *text, struct range *range)
{
	const char *slash = strchr(text, '/');
	size_t length = slash ? (size_t)(slash - text) : 0;
	char address[INET6_ADDRSTRLEN], *end = NULL;
	unsigned long bits;

	if (!slash || length >= sizeof address || strspn(slash + 1, "0123456789") == 0)
		return false;
	memcpy(address, text, length);
	address[length] = '\0';
	bits = strtoul(slash + 1, &end, 10);
	if (*end || !range_take_address(address, range) || bits > range->bits || (strchr(address, ':') && range->length == V4_BYTES))
		return false;
	range->bits = bits;
	for (size_t bit = bits; bit < range->length * BYTE_BITS; bit++)
		if (range->bytes[bit / BYTE_BITS] & (0x80u >> bit % BYTE_BITS))
			return false;
	return true;
}

bool
range_is_valid(const char *text)
{
	struct range range;

	return range_parse(text, &range);
}

bool
range_address(const char *text, uint64_t number, char address[static RANGE_ADDRESS_SIZE])
{
	struct range range;
	size_t left;

	if (!range_parse(text, &range))
		return false;
	left = range.length * BYTE_BITS - range.bits;
	if (left < 64 && number >> left != 0)
		return false;
	for (size_t at = range.length; at > 0 && number > 0; number >>= BYTE_BITS)
		range.bytes[--at] |= (unsigned char)number;
	return inet_ntop(range.length == V4_BYTES ? AF_INET : AF_INET6, range.bytes, address, RANGE_ADDRESS_SIZE) != NULL;
}

/* Tells whether the address is this host's own: the kernel sends to such a one from itself. Nothing is sent. */
static bool
range_is_own(const struct range *address)
{
	struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(DISCARD_PORT)}, from6 = {0};
	struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(DISCARD_PORT)}, from4 = {0};
	bool is_four = address->length == V4_BYTES;
	struct sockaddr *to = is_four ? (struct sockaddr *)&four : (struct sockaddr *)&six;
	struct sockaddr *from = is_four ? (struct sockaddr *)&from4 : (struct sockaddr *)&from6;
	socklen_t length = is_four ? sizeof four : sizeof six;
	int fd = socket(to->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool is_own = false;

	if (fd < 0)
		return errno != EAFNOSUPPORT; /* then no host has an address of this kind here */
	memcpy(&four.sin_addr, address->bytes, sizeof four.sin_addr);
	memcpy(&six.sin6_addr, address->bytes, sizeof six.sin6_addr);
	if (connect(fd, to, length) == 0)
		is_own = getsockname(fd, from, &length) < 0 || memcmp(is_four ? (void *)&from4.sin_addr : (void *)&from6.sin6_addr,
		    address->bytes, address->length) == 0;
	close(fd);
	return is_own;
}

/* Tells whether the address is in a range. */
static bool
range_has(const char *text, const struct range *address)
{
	struct range range;

	return range_parse(text, &range) && range_equals(&range, address, range.bits);
}

static bool
range_is_special(const struct range *address)
{
	/* This network, loopback, link-local; multicast and what is reserved behind it. */
	static const char *const special[] = {"0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/3", "::/96", "fe80::/10", "ff00::/8"};

	for (size_t i = 0; i < sizeof special / sizeof *special; i++)
		if (range_has(special[i], address))
			return true;
	return range_is_own(address);
}

bool
range_list_has(const struct string_list *ranges, const char *text)
{
	struct range address, range;
	bool is_in = false;

	if (!range_take_address(text, &address))
		return false;
	for (size_t i = 0; i < ranges->count; i++) {
		if (!range_parse(ranges->list[i], &range) || !range_equals(&range, &address, range.bits))
			continue;
		if (range.bits == address.bits)
			return true;
		is_in = true;
	}
	return is_in && !range_is_special(&address);
}

bool
range_is_private(const char *text)
{
	static const char *list[] = {"10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"};
	const struct string_list private = {list, sizeof list / sizeof *list};

	return range_list_has(&private, text);
}

/* Takes the address of IPv4 that is a part of one of IPv6, to which a translator or a tunnel passes on. */
static bool
range_take_inner(const struct range *address, struct range *inner)
{
	static const struct {
		const char *range;
		size_t at;
	} places[] = {{"64:ff9b::/96", MAPPED_AT}, {"2002::/16", 2}};

	for (size_t i = 0; i < sizeof places / sizeof *places; i++)
		if (range_has(places[i].range, address)) {
			*inner = (struct range){.length = V4_BYTES, .bits = V4_BYTES * BYTE_BITS};
			memcpy(inner->bytes, address->bytes + places[i].at, V4_BYTES);
			return true;
		}
	return false;
}

static bool
range_is_outer(const struct range *address)
{
	/* Private networks; what a cloud's host tells its own machines; networks for trials; translators and tunnels into a network of one's own. */
	static const char *const inner_ranges[] = {"10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16", "192.0.0.0/24", "168.63.129.16/32",
	    "198.18.0.0/15", "fc00::/7", "fec0::/10", "64:ff9b:1::/48", "2001::/32"};
	struct range inner;

	for (size_t i = 0; i < sizeof inner_ranges / sizeof *inner_ranges; i++)
		if (range_has(inner_ranges[i], address))
			return false;
	return !range_is_special(address) && (!range_take_inner(address, &inner) || range_is_outer(&inner));
}

bool
range_is_public(const char *text)
{
	struct range address;

	return range_take_address(text, &address) && range_is_outer(&address);
}
