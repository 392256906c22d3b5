/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/network.h"

#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/route.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"
#include "base/process.h"
#include "sandbox/record.h"
#include "sandbox/route.h"

enum { STATE_SHOWN = 200, LOG_LIMIT = 4096 };

/* Priorities of the rules, in this order, after the one of the host's own addresses. */
enum { RULE_CLUSTER = 21000, RULE_OUT, RULE_NOWHERE, RULE_IN };

static uint32_t
network_number_of(const char *address)
{
	struct in_addr in = {0};

	inet_pton(AF_INET, address, &in);
	return ntohl(in.s_addr);
}

/* Appends a hardware address of the locally administered kind with number in it. */
static void
network_append_hardware_address(uint32_t number, struct buffer *out)
{
	buffer_printf(out, "02:c0:%02x:%02x:%02x:%02x", number >> 24, number >> 16 & 0xff, number >> 8 & 0xff,
	    number & 0xff);
}

static void
network_cable_name(const char *address, char name[IFNAMSIZ])
{
	snprintf(name, IFNAMSIZ, "cn-%08x", network_number_of(address));
}

/* Has ip(8) carry out commands, one a line; what is the object of an error. */
static int
network_run_ip(const char *what, const struct buffer *commands, struct error *err)
{
	char *argv[] = {(char[]){"ip"}, (char[]){"-batch"}, (char[]){"-"}, NULL};
	struct buffer out = {0}, log = {0};
	int code = process_run(argv, commands->data, commands->length, &out, &log, LOG_LIMIT, err);

	if (code < 0)
		error_prefix(err, "%s", what);
	else if (code > 0)
		code = error_set(err, EX_OSERR, "%s: ip: %.*s", what,
		    log.data ? (int)strcspn(log.data, "\n") : 0, buffer_string(&log));
	buffer_release(&out);
	buffer_release(&log);
	return code;
}

/* Describes the purpose and the owner of one of our bridges, for its alias. */
static char *
network_describe_owner(const struct network *network)
{
	char *state = location_state(), *real = realpath(state, NULL),
	     *owner = memory_printf("coopr %s of %.*s", network->text, STATE_SHOWN, real ? real : state);

	free(real);
	free(state);
	return owner;
}

/* Returns a number for the owner, for the bridge's hardware address, where any process finds it with one system call. */
static uint32_t
network_owner_mark(const char *owner)
{
	uint32_t hash = 0x811c9dc5; /* FNV-1a */

	for (; *owner; owner++)
		hash = (hash ^ (unsigned char)*owner) * 0x01000193;
	return hash;
}

enum bridge_state {
	BRIDGE_ABSENT,
	BRIDGE_OTHER, /* somebody else's, or for a network of another size */
	BRIDGE_HALF,  /* ours, not yet up: it is brought up last */
	BRIDGE_UP,
};

static enum bridge_state
network_look_at_bridge(const struct network *network, const char *owner)
{
	const uint32_t mark = htonl(network_owner_mark(owner));
	struct ifreq request = {0};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	enum bridge_state state = BRIDGE_ABSENT;

	snprintf(request.ifr_name, sizeof request.ifr_name, "%s", network->bridge);
	if (fd >= 0 && ioctl(fd, SIOCGIFHWADDR, &request) == 0) {
		state = BRIDGE_OTHER;
		if (memcmp(request.ifr_hwaddr.sa_data + 2, &mark, sizeof mark) == 0)
			state = ioctl(fd, SIOCGIFFLAGS, &request) == 0 && request.ifr_flags & IFF_UP ? BRIDGE_UP
			                                                                             : BRIDGE_HALF;
	}
	if (fd >= 0)
		close(fd);
	return state;
}

/* Explains whose the bridge is, as its alias says (see network_describe_owner), and what can be done. */
static int
network_refuse_other(const struct network *network, const char *provider, struct error *err)
{
	static const char word[] = "    alias ";
	char *argv[] = {(char[]){"ip"}, (char[]){"-oneline"}, (char[]){"link"}, (char[]){"show"}, (char[]){"dev"},
	    (char *)network->bridge, NULL};
	char *remedy = memory_printf("give the provider \"%s\" a network of its own in its provisioner, "
	    "as {\"network\": \"10.249.7.0/24\"}", provider), *alias = NULL;
	struct buffer out = {0}, log = {0};
	const char *found, *of;
	struct error none;

	if (process_run(argv, NULL, 0, &out, &log, LOG_LIMIT, &none) == 0 && (found = strstr(buffer_string(&out), word)))
		alias = memory_substring(found + strlen(word), strcspn(found + strlen(word), "\n"));
	of = alias && strncmp(alias, "coopr ", 6) == 0 ? strstr(alias, " of ") : NULL;
	if (of)
		error_set(err, EX_CONFIG, "network %s: its bridge %s belongs to the sandbox machines in network %.*s of the "
		    "COOPR_STATE %s; delete these machines there, or %s", network->text, network->bridge,
		    (int)(of - alias - 6), alias + 6, of + 4, remedy);
	else
		error_set(err, EX_CONFIG, "network %s: its bridge %s exists, and is not of coopr%s%s "
		    "(\"ip -d link show %s\" tells more); %s", network->text, network->bridge, alias ? ": " : "",
		    alias ? alias : "", network->bridge, remedy);
	buffer_release(&out);
	buffer_release(&log);
	free(alias);
	free(remedy);
	return -1;
}

static bool
network_is_other_in(const struct network *network, const struct ifaddrs *interface)
{
	uint32_t theirs, mask = UINT32_MAX << (32 - network->prefix);

	if (!interface->ifa_addr || interface->ifa_addr->sa_family != AF_INET || !interface->ifa_netmask ||
	    strcmp(interface->ifa_name, network->bridge) == 0)
		return false;
	theirs = ntohl(((struct sockaddr_in *)(void *)interface->ifa_addr)->sin_addr.s_addr);
	mask &= ntohl(((struct sockaddr_in *)(void *)interface->ifa_netmask)->sin_addr.s_addr);
	return (theirs & mask) == (network->base & mask);
}

/* Refuses a network that the host is in already: traffic for it must not end in our bridge. */
static int
network_check_overlap(const struct network *network, const char *provider, struct error *err)
{
	struct ifaddrs *list, *other;
	int result = 0;

	if (getifaddrs(&list) < 0)
		return error_errno(err, EX_OSERR, "network %s: the host's addresses", network->text);
	for (other = list; other && !network_is_other_in(network, other);)
		other = other->ifa_next;
	if (other)
		result = error_set(err, EX_CONFIG,
		    "network %s: the host is in it already, by its interface %s; give the provider \"%s\" another field \"network\"",
		    network->text, other->ifa_name, provider);
	freeifaddrs(list);
	return result;
}

static int
network_delete_link(const char *name, struct error *err)
{
	struct buffer commands = {0};
	int result = 0;

	buffer_printf(&commands, "link delete dev %s\n", name);
	if (if_nametoindex(name) != 0)
		result = network_run_ip(name, &commands, err);
	/* It may have gone by itself meanwhile, with the machine's namespace. */
	if (result < 0 && if_nametoindex(name) == 0)
		result = 0;
	buffer_release(&commands);
	return result;
}

/* Makes the bridge, of which the owner is told by its hardware address and its alias. It is brought up last. */
static int
network_make_bridge(const struct network *network, const char *owner, struct error *err)
{
	struct buffer commands = {0};
	int result;

	buffer_printf(&commands, "link add name %s address ", network->bridge);
	network_append_hardware_address(network_owner_mark(owner), &commands);
	buffer_text(&commands, " type bridge\n");
	if (!strpbrk(owner, "\"\\\n")) /* it is for people only; ip knows no way to quote these */
		buffer_printf(&commands, "link set dev %s alias \"%s\"\n", network->bridge, owner);
	buffer_printf(&commands, "address add %s/%d dev %s\n", network->host, network->prefix, network->bridge);
	buffer_printf(&commands, "link set dev %s up\n", network->bridge);
	route_guard(network);
	result = network_run_ip(network->bridge, &commands, err);
	buffer_release(&commands);
	return result;
}

int
network_up(const struct network *network, const char *provider, struct error *err)
{
	char *owner = network_describe_owner(network);
	enum bridge_state state = network_look_at_bridge(network, owner);
	int result = 0;

	if (state == BRIDGE_OTHER)
		result = network_refuse_other(network, provider, err);
	if (state == BRIDGE_HALF)
		result = network_delete_link(network->bridge, err);
	if (result == 0 && state != BRIDGE_UP)
		result = network_check_overlap(network, provider, err) < 0 ? -1 : network_make_bridge(network, owner, err);
	free(owner);
	return result;
}

int
network_down(const struct network *network, struct error *err)
{
	char *owner = network_describe_owner(network);
	enum bridge_state state = network_look_at_bridge(network, owner);

	free(owner);
	if (state == BRIDGE_OTHER)
		return 0;
	/* The bridge goes last: if this is interrupted between the two, it is done again. */
	return route_remove(network, err) < 0 ? -1 : network_delete_link(network->bridge, err);
}

/* Appends the rules of a machine, to be added or deleted. With table NULL, all that it can have are to be deleted. */
static void
network_append_rules(const char *cable, const char *address, const char *table, bool route, struct buffer *out)
{
	const char *verb = table ? "add" : "delete";

	/* That it sends from its own address is checked here, too: rp_filter may be made less strict for all interfaces. */
	buffer_printf(out, "rule %s pref %d iif %s from %s%s%s\n", verb, RULE_CLUSTER, cable, address, table ? " lookup " : "",
	    table ? table : "");
	if (route || !table)
		buffer_printf(out, "rule %s pref %d iif %s from %s lookup main\n", verb, RULE_OUT, cable, address);
	buffer_printf(out, "rule %s pref %d iif %s unreachable\n", verb, RULE_NOWHERE, cable);
	buffer_printf(out, "rule %s pref %d to %s%s%s\n", verb, RULE_IN, address, table ? " lookup " : "", table ? table : "");
}

/* Sets a switch of the kernel for a cable. */
static int
network_set(const char *cable, const char *version, const char *name, const char *value, struct error *err)
{
	char *path = memory_printf("/proc/sys/net/%s/conf/%s/%s", version, cable, name);
	int fd = open(path, O_WRONLY | O_CLOEXEC), result = 0;

	if (fd < 0 || file_write_all(fd, value, strlen(value)) < 0)
		result = error_errno(err, EX_OSERR, "%s: cannot be set, so that machines would not be kept apart", path);
	if (fd >= 0)
		close(fd);
	free(path);
	return result;
}

/* Has the host route what comes by the cable, by IPv4 alone, and only from the address that it would send to by the cable. */
static int
network_switch_on(const char *cable, struct error *err)
{
	if (network_set(cable, "ipv4", "rp_filter", "1", err) < 0 || network_set(cable, "ipv4", "forwarding", "1", err) < 0)
		return -1;
	return access("/proc/sys/net/ipv6", F_OK) == 0 ? network_set(cable, "ipv6", "disable_ipv6", "1", err) : 0;
}

int
network_connect(const struct network *network, const struct machine *machine, pid_t pid, struct error *err)
{
	struct buffer commands = {0}, hardware = {0};
	char name[IFNAMSIZ];
	int result;

	network_cable_name(machine->address, name);
	network_append_hardware_address(network_number_of(machine->address), &hardware);
	buffer_printf(&commands, "link add name %s address %s type veth peer name eth0 address %s netns %d\n", name, hardware.data,
	    hardware.data, (int)pid);
	buffer_printf(&commands, "link set dev %s addrgenmode none arp off up\n", name);
	buffer_printf(&commands, "route add %s/32 dev %s src %s table %s\n", machine->address, name, network->host, machine->table);
	network_append_rules(name, machine->address, machine->table, machine->route != NULL, &commands);
	result = network_run_ip(name, &commands, err);
	buffer_release(&commands);
	buffer_release(&hardware);
	return result < 0 ? -1 : network_switch_on(name, err);
}

int
network_disconnect(const char *address, struct error *err)
{
	char *argv[] = {(char[]){"ip"}, (char[]){"-force"}, (char[]){"-batch"}, (char[]){"-"}, NULL};
	struct buffer commands = {0}, out = {0}, log = {0};
	char name[IFNAMSIZ];
	int result;

	/* What is not there is an error of that line alone. */
	network_cable_name(address, name);
	network_append_rules(name, address, NULL, true, &commands);
	result = process_run(argv, commands.data, commands.length, &out, &log, LOG_LIMIT, err);
	buffer_release(&commands);
	buffer_release(&out);
	buffer_release(&log);
	return result < 0 ? -1 : network_delete_link(name, err);
}

static void
network_put_address(struct ifreq *request, uint32_t address)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(address)};

	memcpy(&request->ifr_addr, &in, sizeof in);
}

static int
network_bring_up(int fd, const char *name, short flags)
{
	struct ifreq request = {0};

	snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
	if (ioctl(fd, SIOCGIFFLAGS, &request) < 0)
		return -1;
	request.ifr_flags = (short)(request.ifr_flags | IFF_UP | flags);
	return ioctl(fd, SIOCSIFFLAGS, &request);
}

/* Makes gateway the way to all that has none of its own. */
static int
network_add_route(int fd, const char *gateway)
{
	struct sockaddr_in to = {.sin_family = AF_INET}, by = to;
	struct rtentry route = {.rt_flags = RTF_UP | RTF_GATEWAY};

	by.sin_addr.s_addr = htonl(network_number_of(gateway));
	memcpy(&route.rt_dst, &to, sizeof to);
	memcpy(&route.rt_genmask, &to, sizeof to);
	memcpy(&route.rt_gateway, &by, sizeof by);
	return ioctl(fd, SIOCADDRT, &route);
}

int
network_inside(const struct network *network, const char *address, bool route, struct error *err)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), result = -1;
	struct ifreq own = {.ifr_name = "eth0"}, mask = {.ifr_name = "eth0"};

	network_put_address(&own, network_number_of(address));
	network_put_address(&mask, UINT32_MAX << (32 - network->prefix));
	if (fd >= 0 && network_bring_up(fd, "lo", 0) == 0 && ioctl(fd, SIOCSIFADDR, &own) == 0 &&
	    ioctl(fd, SIOCSIFNETMASK, &mask) == 0)
		result = network_bring_up(fd, "eth0", IFF_NOARP) < 0 || (route && network_add_route(fd, network->host) < 0) ? -1 : 0;
	if (result < 0)
		error_errno(err, EX_OSERR, "eth0: cannot have the address %s", address);
	if (fd >= 0)
		close(fd);
	return result;
}
