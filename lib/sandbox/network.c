/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/network.h"

#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/location.h"
#include "base/memory.h"
#include "base/process.h"

enum { ALIAS_SIZE = 200, LOG_LIMIT = 4096 };

static uint32_t
number_of(const char *address)
{
	struct in_addr in = {0};

	inet_pton(AF_INET, address, &in);
	return ntohl(in.s_addr);
}

/* Appends a hardware address of the locally administered kind that belongs to an IP address. */
static void
append_hardware_address(const char *address, struct buffer *out)
{
	uint32_t n = number_of(address);

	buffer_printf(out, "02:c0:%02x:%02x:%02x:%02x", n >> 24, n >> 16 & 0xff, n >> 8 & 0xff, n & 0xff);
}

static void
cable_name(const char *address, char name[IFNAMSIZ])
{
	snprintf(name, IFNAMSIZ, "cn-%08x", number_of(address));
}

/* Has ip(8) carry out commands, one a line; what is the object of an error. */
static int
run_ip(const char *what, const struct buffer *commands, struct error *err)
{
	char *argv[] = {(char[]){"ip"}, (char[]){"-batch"}, (char[]){"-"}, NULL};
	struct buffer out = {0}, log = {0};
	int code = process_run(argv, commands->data, commands->length, &out, &log, LOG_LIMIT, err);

	if (code < 0)
		error_prefix(err, "%s", what);
	else if (code > 0)
		code = error_set(err, EX_OSERR, "%s: ip: %.*s", what,
		    log.data ? (int)strcspn(log.data, "\n") : 0, log.data ? log.data : "");
	buffer_release(&out);
	buffer_release(&log);
	return code;
}

/* The bridge's alias says what and whose it is. It is set with the last command that makes it: with the alias, it is
 * whole. */
static void
print_owner(const struct network *network, char owner[ALIAS_SIZE])
{
	char *state = location_state();

	snprintf(owner, ALIAS_SIZE, "coopr %s of %s", network->text, state);
	free(state);
}

/* The alias of a bridge, "" where it has none; false where there is no such bridge. */
static bool
read_owner(const char *bridge, char alias[ALIAS_SIZE])
{
	char *path = memory_printf("/sys/class/net/%s/ifalias", bridge);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, alias, ALIAS_SIZE - 1);

	free(path);
	if (fd < 0)
		return false;
	close(fd);
	alias[n < 0 ? 0 : n] = '\0';
	alias[strcspn(alias, "\n")] = '\0';
	return true;
}

static bool
is_other_in(const struct network *network, const struct ifaddrs *interface)
{
	uint32_t theirs, mask = UINT32_MAX << (32 - network->prefix);

	if (!interface->ifa_addr || interface->ifa_addr->sa_family != AF_INET || !interface->ifa_netmask ||
	    strcmp(interface->ifa_name, network->bridge) == 0)
		return false;
	theirs = ntohl(((struct sockaddr_in *)(void *)interface->ifa_addr)->sin_addr.s_addr);
	mask &= ntohl(((struct sockaddr_in *)(void *)interface->ifa_netmask)->sin_addr.s_addr);
	return (theirs & mask) == (network->base & mask);
}

/* Traffic for a network that the host is in already must not end in our bridge. */
static int
check_overlap(const struct network *network, const char *provider, struct error *err)
{
	struct ifaddrs *list, *other;
	int result = 0;

	if (getifaddrs(&list) < 0)
		return error_errno(err, EX_OSERR, "network %s: the host's addresses", network->text);
	for (other = list; other && !is_other_in(network, other);)
		other = other->ifa_next;
	if (other)
		result = error_set(err, EX_CONFIG,
		    "network %s: the host is in it already, by its interface %s; give the provider \"%s\" another field \"network\"",
		    network->text, other->ifa_name, provider);
	freeifaddrs(list);
	return result;
}

static int
make_bridge(const struct network *network, const char *owner, bool half, struct error *err)
{
	struct buffer commands = {0};
	int result;

	if (!half) {
		buffer_printf(&commands, "link add name %s address ", network->bridge);
		append_hardware_address(network->host, &commands);
		buffer_text(&commands, " type bridge\n");
	}
	buffer_printf(&commands, "address replace %s/%d dev %s\n", network->host, network->prefix, network->bridge);
	buffer_printf(&commands, "link set dev %s up\n", network->bridge);
	buffer_printf(&commands, "link set dev %s alias \"%s\"\n", network->bridge, owner);
	result = run_ip(network->bridge, &commands, err);
	buffer_release(&commands);
	return result;
}

int
network_up(const struct network *network, const char *provider, struct error *err)
{
	char owner[ALIAS_SIZE], present[ALIAS_SIZE] = "";
	bool there = read_owner(network->bridge, present);

	print_owner(network, owner);
	if (strcmp(present, owner) == 0)
		return 0;
	if (*present)
		return error_set(err, EX_CONFIG,
		    "network %s: its bridge %s is in use for \"%s\"; give the provider \"%s\" another field \"network\"",
		    network->text, network->bridge, present, provider);
	if (check_overlap(network, provider, err) < 0)
		return -1;
	return make_bridge(network, owner, there, err);
}

static int
delete_link(const char *name, struct error *err)
{
	struct buffer commands = {0};
	int result = 0;

	buffer_printf(&commands, "link delete dev %s\n", name);
	if (if_nametoindex(name) != 0)
		result = run_ip(name, &commands, err);
	/* It may have gone by itself meanwhile, with the machine's namespace. */
	if (result < 0 && if_nametoindex(name) == 0)
		result = 0;
	buffer_release(&commands);
	return result;
}

int
network_down(const struct network *network, struct error *err)
{
	char owner[ALIAS_SIZE], present[ALIAS_SIZE] = "";

	print_owner(network, owner);
	if (!read_owner(network->bridge, present) || (*present && strcmp(present, owner) != 0))
		return 0;
	return delete_link(network->bridge, err);
}

int
network_connect(const struct network *network, const char *address, pid_t pid, struct error *err)
{
	struct buffer commands = {0};
	char name[IFNAMSIZ];
	int result;

	cable_name(address, name);
	buffer_printf(&commands, "link add name %s up master %s type veth peer name eth0 address ", name,
	    network->bridge);
	append_hardware_address(address, &commands);
	buffer_printf(&commands, " netns %d\n", (int)pid);
	result = run_ip(name, &commands, err);
	buffer_release(&commands);
	return result;
}

int
network_disconnect(const char *address, struct error *err)
{
	char name[IFNAMSIZ];

	cable_name(address, name);
	return delete_link(name, err);
}

static void
put_address(struct ifreq *request, uint32_t address)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(address)};

	memcpy(&request->ifr_addr, &in, sizeof in);
}

static int
bring_up(int fd, const char *name)
{
	struct ifreq request = {0};

	snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
	if (ioctl(fd, SIOCGIFFLAGS, &request) < 0)
		return -1;
	request.ifr_flags = (short)(request.ifr_flags | IFF_UP);
	return ioctl(fd, SIOCSIFFLAGS, &request);
}

int
network_inside(const struct network *network, const char *address, struct error *err)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), result = -1;
	struct ifreq own = {.ifr_name = "eth0"}, mask = {.ifr_name = "eth0"};

	put_address(&own, number_of(address));
	put_address(&mask, UINT32_MAX << (32 - network->prefix));
	if (fd >= 0 && bring_up(fd, "lo") == 0 && ioctl(fd, SIOCSIFADDR, &own) == 0 &&
	    ioctl(fd, SIOCSIFNETMASK, &mask) == 0)
		result = bring_up(fd, "eth0");
	if (result < 0)
		error_errno(err, EX_OSERR, "eth0: cannot have the address %s", address);
	if (fd >= 0)
		close(fd);
	return result;
}
