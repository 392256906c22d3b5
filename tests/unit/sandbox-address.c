/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "sandbox/address.h"
#include "tap.h"

static void
test_parse(void)
{
	static const char *const wrong[] = {"", "10.0.0.0", "10.0.0.0/", "10.0.0.0/7", "10.0.0.0/31", "10.0.0/24",
	    "10.0.0.0/24 ", "10.0.0.256/24", "-1.0.0.0/8", "::/64", "10.0.0.0/99999999999"};
	struct network network;
	struct error err;

	tap_ok(network_parse(NETWORK_DEFAULT, &network, &err) == 0, "the default network is one");
	tap_is_text(network.bridge, "coopr0", "its bridge has a short name");
	tap_is_text(network.host, "10.213.0.1", "the host has its first address");

	tap_ok(network_parse("192.168.7.128/25", &network, &err) == 0, "another network is one");
	tap_is_text(network.bridge, "coopr-c0a80780", "the name of its bridge tells which");
	tap_is_text(network.text, "192.168.7.128/25", "it is printed as it was given");

	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		tap_ok(network_parse(wrong[i], &network, &err) < 0 && err.code == EX_CONFIG, "\"%s\" is none", wrong[i]);
	network_parse("10.1.2.3/16", &network, &err);
	tap_is_text(err.text, "network 10.1.2.3/16: is an address in the network 10.1.0.0/16",
	    "an address in place of a network is named");
}

static void
test_claims(int dir)
{
	char address[ADDRESS_SIZE] = "";
	struct network small, other;
	struct error err;

	network_parse("10.0.0.0/29", &small, &err);
	network_parse("10.0.0.8/29", &other, &err);
	tap_ok(!address_any(dir, &small) && !address_find(dir, "a", address), "at first nobody has an address");
	tap_ok(address_claim(dir, &small, "a", address, &err) == 0, "an address is claimed");
	tap_is_text(address, "10.0.0.2", "it is the lowest after the host's");
	address_claim(dir, &small, "b", address, &err);
	tap_is_text(address, "10.0.0.3", "the next one is the next");
	tap_ok(address_find(dir, "a", address) && strcmp(address, "10.0.0.2") == 0, "whose it is can be found");
	tap_ok(!address_find(dir, "aa", address), "a name that begins alike is another");
	address_claim(dir, &other, "c", address, &err);
	tap_is_text(address, "10.0.0.10", "each network counts for itself");

	address_release(dir, "10.0.0.2");
	address_claim(dir, &small, "d", address, &err);
	tap_is_text(address, "10.0.0.2", "an address given back is taken again");
	for (int i = 0; i < 3; i++)
		tap_ok(address_claim(dir, &small, "e", address, &err) == 0, "a claim up to the last address");
	tap_ok(address_claim(dir, &small, "f", address, &err) < 0 && err.code == EX_UNAVAILABLE,
	    "when all are taken, that is said");
	address_release(dir, "10.0.0.10");
	tap_ok(address_any(dir, &small) && !address_any(dir, &other), "a network without claims is known as such");
}

int
main(void)
{
	char path[] = "/tmp/coopr-unit.XXXXXX";
	struct error err;
	int dir;

	test_parse();
	dir = mkdtemp(path) ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	if (tap_ok(dir >= 0, "there is a directory for the test"))
		test_claims(dir);
	close(dir);
	file_remove_tree(AT_FDCWD, path, &err);
	return tap_end();
}
