/* SPDX-License-Identifier: Apache-2.0 */
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#include "address/range.h"
#include "tap.h"

enum { CASES = 20000, BITS = 128 };

static bool
has(const char *range, const char *address)
{
	const char *list[] = {range};
	const struct string_list ranges = {list, 1};

	return range_list_has(&ranges, address);
}

static void
test_valid(void)
{
	static const char *const right[] = {"10.4.0.0/16", "0.0.0.0/0", "127.0.0.1/32", "2001:db8:4::/64", "::/0", "2001:DB8::1/128", "fc00::/7"};
	static const char *const wrong[] = {"", "/", "/8", "10.4.0.0", "10.4.0.0/", "10.4.0.1/16", "10.4.0.0/33", "10.4/16", "010.4.0.0/16",
	    "10.4.0.0/-1", "10.4.0.0/ 16", "10.4.0.0/16 ", " 10.4.0.0/16", "10.4.0.0/16/16", "10.4.0.0/99999999999999999999", "167772160/8",
	    "::ffff:10.0.0.0/104", "::1/129", "::1/127", "fe80::%1/64", "localhost/32", "10.4.0.0/0x10", "2001:db8:4::/"};

	for (size_t i = 0; i < sizeof right / sizeof *right; i++)
		tap_ok(range_is_valid(right[i]), "\"%s\" is a range", right[i]);
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		tap_ok(!range_is_valid(wrong[i]) && !has(wrong[i], "10.4.0.1"), "\"%s\" is none, and has no address", wrong[i]);
}

static void
test_special(void)
{
	static const char *const special[] = {"127.0.0.1", "127.255.255.254", "0.0.0.0", "0.1.2.3", "169.254.169.254", "224.0.0.1", "239.1.2.3",
	    "240.0.0.1", "255.255.255.255", "::1", "::", "::7f00:1", "fe80::1", "febf::1", "ff02::1"};
	char exact[INET6_ADDRSTRLEN + 4];

	for (size_t i = 0; i < sizeof special / sizeof *special; i++) {
		bool is_six = strchr(special[i], ':');

		snprintf(exact, sizeof exact, "%s/%d", special[i], is_six ? BITS : 32);
		tap_ok(!has(is_six ? "::/0" : "0.0.0.0/0", special[i]) && has(exact, special[i]), "%s is in no range but its own", special[i]);
	}
	tap_ok(!has("127.0.0.0/8", "127.0.0.1") && !has("127.0.0.0/31", "127.0.0.1"), "nor in one of its kind");
	tap_ok(has("0.0.0.0/0", "::ffff:192.0.2.77") && !has("::/0", "::ffff:192.0.2.77"), "IPv4 written as IPv6 is IPv4");
	tap_ok(!has("0.0.0.0/0", "::ffff:127.0.0.1") && has("127.0.0.1/32", "::ffff:7f00:1"), "also where it is special");
	tap_ok(!has("0.0.0.0/0", "10.1") && !has("0.0.0.0/0", "") && !has("::/0", "2001:db8::1%1"), "what is no address in numbers is in none");
}

/* Compares with the addresses that the interfaces say they have. */
static void
test_own(void)
{
	struct ifaddrs *all = NULL;
	size_t found = 0, wrong = 0;

	getifaddrs(&all);
	for (struct ifaddrs *one = all; one; one = one->ifa_next) {
		bool is_six = one->ifa_addr && one->ifa_addr->sa_family == AF_INET6;
		char text[INET6_ADDRSTRLEN], exact[INET6_ADDRSTRLEN + 4];

		if (!one->ifa_addr || !(one->ifa_flags & IFF_UP) || (!is_six && one->ifa_addr->sa_family != AF_INET))
			continue;
		inet_ntop(one->ifa_addr->sa_family, is_six ? (void *)&((struct sockaddr_in6 *)(void *)one->ifa_addr)->sin6_addr
		    : (void *)&((struct sockaddr_in *)(void *)one->ifa_addr)->sin_addr, text, sizeof text);
		snprintf(exact, sizeof exact, "%s/%d", text, is_six ? BITS : 32);
		found++;
		wrong += has(is_six ? "::/0" : "0.0.0.0/0", text) || !has(exact, text);
	}
	freeifaddrs(all);
	tap_ok(found > 0 && wrong == 0, "each of the %zu addresses of this host is in no range but its own", found);
}

/* Each address of IPv4 is tried as it is, and inside of those of IPv6 that lead to it. */
static void
test_public(void)
{
	static const char *const outer[] = {"1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0",
	    "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "168.63.129.17", "223.255.255.255"};
	static const char *const inner[] = {"127.0.0.1", "10.0.0.1", "10.255.255.255", "100.64.0.0", "100.100.100.200", "100.127.255.255", "169.254.169.254",
	    "172.16.0.0", "172.31.255.255", "192.168.0.0", "192.0.0.192", "198.18.0.0", "198.19.255.255", "168.63.129.16", "0.0.0.0", "224.0.0.1", "255.255.255.255"};
	static const char *const none[] = {"", "localhost", "127.1", "2130706433", "0x7f000001", "1.1.1.1 ", "[2606:4700::1]", "1.1.1.1/32", "metadata.example.net"};
	static const char *const six[] = {"::1", "::", "::1.1.1.1", "fe80::1", "fec0::1", "fc00::1", "fd00:ec2::254", "ff02::1", "64:ff9b:1::101:101", "2001:0:101:101::"};

	for (size_t public = 0; public < 2; public++) {
		const char *const *list = public ? outer : inner;

		for (size_t i = 0; i < (public ? sizeof outer : sizeof inner) / sizeof *list; i++) {
			char mapped[INET6_ADDRSTRLEN], translated[INET6_ADDRSTRLEN], tunnelled[INET6_ADDRSTRLEN];
			unsigned char bytes[4];

			inet_pton(AF_INET, list[i], bytes);
			snprintf(mapped, sizeof mapped, "::ffff:%s", list[i]);
			snprintf(translated, sizeof translated, "64:ff9b::%s", list[i]);
			snprintf(tunnelled, sizeof tunnelled, "2002:%02x%02x:%02x%02x::7", bytes[0], bytes[1], bytes[2], bytes[3]);
			tap_ok(range_is_public(list[i]) == public && range_is_public(mapped) == public && range_is_public(translated) == public &&
			    range_is_public(tunnelled) == public, "%s is %s, in all forms", list[i], public ? "public" : "not public");
		}
	}
	for (size_t i = 0; i < sizeof six / sizeof *six; i++)
		tap_ok(!range_is_public(six[i]), "%s is not public", six[i]);
	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		tap_ok(!range_is_public(none[i]), "\"%s\" is no address", none[i]);
	tap_ok(range_is_public("2606:4700::1111") && range_is_public("2a00::1") && range_is_public("2001:1::1"), "other addresses of IPv6 are public");
}

/* Writes the bits of an address as characters; returns how many. */
static size_t
bits_of(const unsigned char *bytes, size_t length, char *text)
{
	for (size_t i = 0; i < length * 8; i++)
		text[i] = bytes[i / 8] >> (7 - i % 8) & 1 ? '1' : '0';
	return length * 8;
}

/* Compares with a judge that looks at the bits as text. Addresses are of 10.0.0.0/8 and fd00::/16, few of whose bits differ. */
static void
test_random(unsigned seed)
{
	size_t wrong = 0, inside = 0;

	srandom(seed);
	for (int i = 0; i < CASES; i++) {
		bool is_six = random() % 2;
		size_t length = is_six ? 16 : 4, bits = (size_t)random() % (length * 8 + 1);
		unsigned char range[16] = {is_six ? 0xfd : 10}, address[16] = {is_six ? 0xfd : 10};
		char a[BITS], b[BITS], text[INET6_ADDRSTRLEN], whole[INET6_ADDRSTRLEN + 4];
		bool expected;

		for (size_t at = 1; at < length; at++) {
			range[at] = (unsigned char)random();
			address[at] = random() % 8 ? range[at] : (unsigned char)random();
		}
		for (size_t bit = bits; bit < length * 8; bit++)
			range[bit / 8] &= (unsigned char)~(0x80u >> bit % 8);
		bits_of(range, length, a);
		bits_of(address, length, b);
		expected = memcmp(a, b, bits) == 0;
		inet_ntop(is_six ? AF_INET6 : AF_INET, range, text, sizeof text);
		snprintf(whole, sizeof whole, "%s/%zu", text, bits);
		inet_ntop(is_six ? AF_INET6 : AF_INET, address, text, sizeof text);
		inside += expected;
		if (!range_is_valid(whole) || has(whole, text) != expected) {
			printf("# %s in %s: expected %d\n", text, whole, expected);
			wrong++;
		}
	}
	tap_ok(wrong == 0 && inside > CASES / 20 && inside < CASES - CASES / 20, "ranges have what a judge of bits says (seed %u)", seed);
}

static void
test_private(void)
{
	static const char *const private[] = {"10.0.0.1", "100.127.255.255", "172.31.0.9", "192.168.4.4", "fd12::1", "::ffff:10.1.2.3"};
	static const char *const others[] = {"9.255.255.255", "11.0.0.1", "100.128.0.1", "172.32.0.1", "192.169.0.1", "2001:db8::1", "fe80::1", "127.0.0.1", "no"};

	for (size_t i = 0; i < sizeof private / sizeof *private; i++)
		tap_ok(range_is_private(private[i]), "%s is private", private[i]);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		tap_ok(!range_is_private(others[i]), "%s is not", others[i]);
}

/* The addresses of a range have numbers from 0, in their order. */
static void
test_numbers(void)
{
	static const struct {
		const char *range;
		uint64_t number;
		const char *address; /* NULL: there is none */
	} cases[] = {{"10.0.0.8/30", 0, "10.0.0.8"}, {"10.0.0.8/30", 3, "10.0.0.11"}, {"10.0.0.8/30", 4, NULL}, {"10.0.0.8/32", 0, "10.0.0.8"},
	    {"10.0.0.8/32", 1, NULL}, {"10.0.0.0/8", 66051, "10.1.2.3"}, {"0.0.0.0/0", UINT32_MAX, "255.255.255.255"}, {"0.0.0.0/0", UINT64_C(1) << 32, NULL},
	    {"2001:db8::/64", 65537, "2001:db8::1:1"}, {"2001:db8::/32", UINT64_MAX, "2001:db8::ffff:ffff:ffff:ffff"}, {"10.0.0.9/30", 0, NULL}, {"no", 0, NULL}};
	char text[RANGE_ADDRESS_SIZE];

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		bool is_there = range_address(cases[i].range, cases[i].number, text);

		tap_ok(is_there == (cases[i].address != NULL) && (!is_there || strcmp(text, cases[i].address) == 0), "number %llu of %s",
		    (unsigned long long)cases[i].number, cases[i].range);
	}
}

int
main(void)
{
	const char *seed = getenv("SEED");

	test_valid();
	test_special();
	test_own();
	test_public();
	test_private();
	test_numbers();
	test_random(seed ? (unsigned)strtoul(seed, NULL, 10) : 12);
	return tap_end();
}
