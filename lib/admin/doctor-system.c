/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks of the machine: programs, the kernel, rights.
 */
#include "admin/doctor-check.h"

#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/process.h"
#include "confine/confine.h"
#include "sandbox/helper/ask.h"
#include "sandbox/route.h"
#include "sandbox/world/nested.h"

/* Returns whether a folder of PATH, or one of those for daemons, has the program. */
static bool
doctor_is_installed(const char *name)
{
	const char *path = getenv("PATH");
	char *all = memory_printf("%s:/usr/sbin:/sbin", path ? path : ""), *state = NULL;
	bool found = false;

	for (char *folder = strtok_r(all, ":", &state); folder && !found; folder = strtok_r(NULL, ":", &state)) {
		char *program = memory_printf("%s/%s", folder, name);

		found = access(program, X_OK) == 0;
		free(program);
	}
	free(all);
	return found;
}

/* Says the version of ssh, which it prints on stderr: "OpenSSH_9.2p1 ...". */
static void
doctor_say_ssh_version(struct doctor_report *report)
{
	char program[] = "ssh", option[] = "-V", *argv[] = {program, option, NULL};
	struct buffer version = {0};
	struct error err;

	if (process_run(argv, NULL, 0, NULL, &version, 4096, &err) != 0 || !version.length)
		doctor_say(report, "ssh", DOCTOR_ERROR, "reinstall the client of OpenSSH", "ssh -V fails");
	else
		doctor_say(report, "ssh", DOCTOR_OK, NULL, "%.*s", (int)strcspn(version.data, "\n"), version.data);
	buffer_release(&version);
}

void
doctor_check_programs(struct doctor_report *report)
{
	static const struct {
		const char *name, *remedy;
	} programs[] = {
		{"sshd", "apt-get install openssh-server, if you want sandbox nodes"},
		{"ssh-keygen", "apt-get install openssh-client"},
		{"ip", "apt-get install iproute2, if you want sandbox nodes"},
		{"unshare", "apt-get install util-linux, if you want sandbox nodes"},
	};

	if (doctor_is_installed("ssh"))
		doctor_say_ssh_version(report);
	else
		doctor_say(report, "ssh", DOCTOR_ERROR, "apt-get install openssh-client",
		    "not installed: no node can be reached");
	for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
		if (doctor_is_installed(programs[i].name))
			doctor_say(report, programs[i].name, DOCTOR_OK, NULL, "installed");
		else
			doctor_say(report, programs[i].name, DOCTOR_WARNING, programs[i].remedy, "not installed");
}

/* Says what the kernel holds plugins and filters back with. Without it they run as they always did, so nothing is at fault. */
void
doctor_check_confinement(struct doctor_report *report)
{
	bool filters;
	int landlock;

	confine_available(&landlock, &filters);
	if (landlock > 0 && filters)
		doctor_say(report, "confinement", DOCTOR_OK, NULL, "Landlock %d and filters of system calls are in force, see coopr-security(7)",
		    landlock);
	else
		doctor_say(report, "confinement", DOCTOR_OK, NULL, "the kernel has no %s: plugins are held back by %s",
		    landlock > 0 ? "filters of system calls" : filters ? "Landlock" : "Landlock, and no filters of system calls",
		    landlock > 0 ? "Landlock only" : filters ? "a filter of system calls only" : "nothing");
}

/* Returns whether a child, with which they end, gets namespaces. */
static bool
doctor_may_unshare(void)
{
	pid_t pid = fork();
	int status = -1;

	if (pid == 0)
		_exit(unshare(CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWUTS | CLONE_NEWUSER) < 0);
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

/* Says what a route of sandbox nodes would need. Nobody has to have one, so what is missing is no fault. */
static void
doctor_say_route(struct doctor_report *report)
{
	const bool nft = doctor_is_installed("nft"), forwards = route_is_allowed();

	if (nft && forwards)
		doctor_say(report, "sandbox route", DOCTOR_OK, NULL, "available to providers with \"route\": true");
	else
		doctor_say(report, "sandbox route", DOCTOR_OK, NULL, "not available; a provider with \"route\": true needs: %s%s%s",
		    nft ? "" : "apt-get install nftables", nft || forwards ? "" : ", ",
		    forwards ? "" : "sysctl -w net.ipv4.ip_forward=1");
}

/* Says what machines reach that they need not, and what the host's firewall keeps from them. */
static void
doctor_say_guard(struct doctor_report *report)
{
	if (!doctor_is_installed("nft"))
		doctor_say(report, "sandbox guard", DOCTOR_WARNING, "apt-get install nftables",
		    "without nft, a sandbox node whose root adds a route reaches all addresses of this host");
	if (route_is_dropped())
		doctor_say(report, "sandbox forward", DOCTOR_WARNING,
		    "iptables -I FORWARD -i cn-+ -j ACCEPT; iptables -I FORWARD -o cn-+ -j ACCEPT",
		    "the host's firewall drops what it forwards, as Docker's does: sandbox nodes of a cluster do not reach each other");
}

void
doctor_check_sandbox(struct doctor_report *report)
{
	char *helper = ask_path();
	struct error why, alone;

	if (geteuid() != 0 && ask_is_allowed(&why))
		doctor_say(report, "sandbox", DOCTOR_OK, NULL, "the helper at %s makes sandbox nodes for this user", helper);
	else if (geteuid() != 0 && nested_is_possible(&alone) && doctor_may_unshare())
		doctor_say(report, "sandbox", DOCTOR_OK, NULL, "sandbox nodes of this user are in a user namespace: without limits and without a route, "
		    "coopr-sandbox(7)");
	else if (geteuid() != 0)
		doctor_say(report, "sandbox", DOCTOR_WARNING, "run coopr as root for sandbox nodes, or use another provider", "%s; or without root: %s",
		    why.text, nested_is_possible(&alone) ? "the kernel gives users no namespaces" : alone.text);
	else if (!doctor_may_unshare())
		doctor_say(report, "sandbox", DOCTOR_WARNING, "give the container CAP_SYS_ADMIN, or use another provider",
		    "no namespaces for sandbox nodes: the kernel refuses them");
	else
		doctor_say(report, "sandbox", DOCTOR_OK, NULL, "namespaces for sandbox nodes are available");
	doctor_say_guard(report);
	doctor_say_route(report);
	free(helper);
}
