/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/route.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/process.h"
#include "sandbox/address.h"

enum { LOG_LIMIT = 4096, SETTING_LIMIT = 64, RESOLVERS_LIMIT = 64 * 1024 };

/* Traffic within the bridge passes here, too, on hosts whose bridges call the firewall. */
static const char chains[] =
    "	chain forward {\n"
    "		type filter hook forward priority 0; policy accept;\n"
    "		iifname $wire oifname $wire accept\n"
    "		iifname \"cn-*\" oifname \"cn-*\" accept\n" /* by the rules of network.h */
    "		iifname \"cn-*\" ip saddr $inside oifname \"coopr*\" reject with icmp type admin-prohibited\n"
    "		oifname \"cn-*\" ip daddr $inside ct state != { established, related } reject with icmp type admin-prohibited\n"
    "		iifname $wire oifname \"coopr*\" reject with icmp type admin-prohibited\n"
    "		iifname $wire ip saddr != $inside reject with icmp type admin-prohibited\n"
    "		oifname $wire ct state != { established, related } reject with icmp type admin-prohibited\n"
    "	}\n"
    "	chain postrouting {\n"
    "		type nat hook postrouting priority 100; policy accept;\n"
    "		oifname != $wire oifname != \"cn-*\" ip saddr $inside masquerade\n"
    "	}\n";

/* The host is one address to machines, however many it has. */
static const char guard[] =
    "	chain input {\n"
    "		type filter hook input priority 0; policy accept;\n"
    "		iifname $wire ip daddr != $inside reject with icmp type admin-prohibited\n"
    "		iifname \"cn-*\" ip saddr $inside ip daddr != $inside reject with icmp type admin-prohibited\n"
    "	}\n";

/* Runs a program; what it prints is dropped, but for its messages. */
static int
route_run(char **argv, const struct buffer *input, struct buffer *log, struct error *err)
{
	struct buffer out = {0};
	int code = process_run(argv, input ? input->data : NULL, input ? input->length : 0, &out, log, LOG_LIMIT, err);

	buffer_release(&out);
	return code;
}

/* Returns whether nft is installed. */
static bool
route_has_program(void)
{
	char *argv[] = {(char[]){"nft"}, (char[]){"--version"}, NULL};
	struct buffer log = {0};
	struct error ignored;
	bool there = route_run(argv, NULL, &log, &ignored) == 0;

	buffer_release(&log);
	return there;
}

/* Has nft(8) carry out a script. */
static int
route_run_nft(const struct network *network, const struct buffer *script, struct error *err)
{
	char *argv[] = {(char[]){"nft"}, (char[]){"-f"}, (char[]){"-"}, NULL};
	struct buffer log = {0};
	int code = route_run(argv, script, &log, err);

	if (code < 0)
		error_prefix(err, "network %s", network->text);
	else if (code > 0)
		code = error_set(err, EX_OSERR, "network %s: nft: %.*s", network->text,
		    log.data ? (int)strcspn(log.data, "\n") : 0, buffer_string(&log));
	buffer_release(&log);
	return code;
}

static bool
route_setting_is_on(const char *path)
{
	struct buffer text = {0};
	struct error ignored;
	bool on = file_read(AT_FDCWD, path, SETTING_LIMIT, &text, &ignored) == 0 && *buffer_string(&text) == '1';

	buffer_release(&text);
	return on;
}

bool
route_is_allowed(void)
{
	return route_setting_is_on("/proc/sys/net/ipv4/ip_forward");
}

bool
route_is_dropped(void)
{
	char *argv[] = {(char[]){"iptables"}, (char[]){"-S"}, (char[]){"FORWARD"}, NULL};
	struct buffer out = {0}, log = {0};
	struct error ignored;
	bool dropped = process_run(argv, NULL, 0, &out, &log, LOG_LIMIT, &ignored) == 0 &&
	    buffer_contains(&out, "-P FORWARD DROP") && !buffer_contains(&out, " cn-+ ");

	buffer_release(&out);
	buffer_release(&log);
	return dropped;
}

/* Switches forwarding of what comes from the bridge. Returns whether it is now as wanted. */
static bool
route_forward(const struct network *network, bool on)
{
	char *path = memory_printf("/proc/sys/net/ipv4/conf/%s/forwarding", network->bridge);
	bool done = route_setting_is_on(path) == on;

	if (!done) {
		int fd = open(path, O_WRONLY | O_CLOEXEC);

		done = fd >= 0 && file_write_all(fd, on ? "1" : "0", 1) == 0;
		if (fd >= 0)
			close(fd);
	}
	free(path);
	return done;
}

/* Puts a table with the chains in place of the network's. nft carries out all of it or nothing: there is no instant without rules. */
static int
route_put_table(const struct network *network, const char *more, struct error *err)
{
	struct buffer script = {0};
	int result;

	buffer_printf(&script, "define wire = \"%s\"\ndefine inside = %s\n", network->bridge, network->text);
	buffer_printf(&script, "add table ip %s\ndelete table ip %s\ntable ip %s {\n%s%s}\n", network->bridge, network->bridge,
	    network->bridge, guard, more);
	result = route_run_nft(network, &script, err);
	buffer_release(&script);
	return result;
}

bool
route_guard(const struct network *network)
{
	struct error ignored;

	return route_put_table(network, "", &ignored) == 0;
}

int
route_open(const struct network *network, const char *provider, struct error *err)
{
	int result;

	if (!route_is_allowed())
		return error_set(err, EX_CONFIG, "network %s: the provider \"%s\" gives it a route, but this host forwards nothing; "
		    "run \"sysctl -w net.ipv4.ip_forward=1\", or take \"route\" out of the provider", network->text, provider);
	if (!route_has_program())
		return error_set(err, EX_CONFIG, "network %s: the provider \"%s\" gives it a route, but nft is not installed; "
		    "run \"apt-get install nftables\", or take \"route\" out of the provider", network->text, provider);
	result = route_put_table(network, chains, err);
	if (result == 0 && !route_forward(network, true))
		result = error_errno(err, EX_OSERR, "network %s: its bridge %s cannot forward", network->text, network->bridge);
	return result;
}

void
route_close(const struct network *network)
{
	route_forward(network, false);
}

int
route_remove(const struct network *network, struct error *err)
{
	char *argv[] = {(char[]){"nft"}, (char[]){"list"}, (char[]){"table"}, (char[]){"ip"}, (char *)network->bridge, NULL};
	struct buffer log = {0}, script = {0};
	struct error ignored;
	int result = 0;

	if (route_run(argv, NULL, &log, &ignored) == 0) {
		buffer_printf(&script, "delete table ip %s\n", network->bridge);
		result = route_run_nft(network, &script, err);
	}
	buffer_release(&script);
	buffer_release(&log);
	return result;
}

/* Appends the addresses of the nameserver lines of a resolv.conf(5) that are not the host's own loopback. */
static void
route_read_resolvers(const char *path, struct buffer *out)
{
	struct buffer text = {0};
	struct error ignored;
	const char *line;

	if (file_read(AT_FDCWD, path, RESOLVERS_LIMIT, &text, &ignored) < 0)
		buffer_clear(&text);
	for (line = buffer_string(&text); *line; line += strcspn(line, "\n"), line += *line == '\n') {
		char address[ADDRESS_SIZE];
		struct in_addr in;

		if (sscanf(line, "nameserver %15[0-9.]", address) == 1 && inet_pton(AF_INET, address, &in) == 1 &&
		    ntohl(in.s_addr) >> 24 != IN_LOOPBACKNET)
			buffer_printf(out, "%s%s", out->length ? " " : "", address);
	}
	buffer_release(&text);
}

const char *
route_resolvers(struct arena *arena)
{
	struct buffer list = {0};
	const char *resolvers;

	route_read_resolvers("/etc/resolv.conf", &list);
	if (!list.length) /* that names systemd-resolved on the loopback, which asks these */
		route_read_resolvers("/run/systemd/resolve/resolv.conf", &list);
	resolvers = arena_string(arena, buffer_string(&list));
	buffer_release(&list);
	return resolvers;
}
