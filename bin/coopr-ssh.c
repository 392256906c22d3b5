/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-ssh: becomes, or runs, an ssh(1) that is logged in to a node of a cluster: with its key, and trusting no host key but
 * those that were pinned when the node was made. With --raw it is the way to the node's sshd, for an ssh that is elsewhere. Exits as
 * ssh does; before that with 1 where there is no such cluster or node, 64 on misuse, 75 where no address of it is known yet, 77 where no
 * host key is, or the account may only read.
 */
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/message.h"
#include "base/option.h"
#include "base/process.h"
#include "operation/target.h"
#include "show/login-through.h"
#include "show/login.h"
#include "ssh/passage.h"
#include "status/status.h"
#include "store/client.h"
#include "worker/login-files.h"

static struct status_options places;
static struct target_options chosen;
static bool dry, raw;
static pid_t ssh_pid;

enum { SSH_LOOK_MS = 2000, SSH_IDLE_MS = 3600 * 1000 };

static const struct option_spec options[] = {
	TARGET_OPTIONS(&chosen),
	OPTION_FLAG(0, "dry-run", &dry, "print the arguments of ssh, one a line, and run nothing"),
	OPTION_RETIRED('n', NULL, "--dry-run"),
	OPTION_FLAG(0, "raw", &raw, "pass on bytes to the sshd of the node and back: for ProxyCommand"),
	STATUS_PLACES(&places),
	OPTION_END
};

static const struct command command = {
	"coopr-ssh", "[OPTION]... CLUSTER[/NODE|/@SERVICE] [OPTION]... [[--] COMMAND [ARGUMENT]...]", "Log in to a node of a cluster.", options,
	"  coopr-ssh shop/1000\n"
	"  coopr-ssh shop -N 1000 -- uptime\n"
	"  coopr-ssh shop/@nginx systemctl status nginx\n"
	"  coopr-ssh shop 'df -h | sort'\n"};

/* Finds the first node of the target, which is entered now. */
static const struct node *
ssh_find_node(const struct target *target, struct cluster_status *status, struct error *err)
{
	const struct node *node;

	if (status_open(status, &places, target->cluster, err) < 0 || account_need_more(&status->account, err) < 0 ||
	    status_layout(status, err) < 0 || !(node = target_first(target, &status->layout, err)) || login_record(status, node, err) < 0)
		return NULL;
	return node;
}

/* Passes on what comes to the node's sshd, as long as the account may enter the node, and something comes at all. */
static int
ssh_pass(const struct target *target, struct error *err)
{
	struct cluster_status status = {0};
	const struct node *node = ssh_find_node(target, &status, err);
	struct passage passage = {.fd = -1};
	struct machine machine;
	struct arena arena = {0};
	int64_t look_ms = clock_monotonic_ms() + SSH_LOOK_MS;
	struct login_files logins = {0};
	int result = node ? login_machine_to_enter(&status, node, &logins, &arena, &machine, err) : -1;

	if (result == 0 && !machine.address)
		result = error_set(err, EX_TEMPFAIL, "node %s: its address is not known yet", machine.id);
	if (result == 0)
		result = passage_open(&passage, &machine, err);
	while (result == 0 && passage_turn(&passage, SSH_LOOK_MS) > 0) {
		int64_t now = clock_monotonic_ms();

		if (now - passage.moved_ms > SSH_IDLE_MS)
			result = error_set(err, EX_TEMPFAIL, "node %s: nothing was sent or received for an hour", machine.id);
		else if (now >= look_ms && (result = login_check(&status, err)) == 0)
			look_ms = now + SSH_LOOK_MS;
	}
	passage_close(&passage);
	login_files_close(&logins);
	arena_release(&arena);
	status_release(&status);
	return result;
}

/* Has an ssh that runs for somebody elsewhere do nothing on this machine: its keyboard is theirs. */
static void
ssh_shut_in(struct arguments *argv)
{
	arguments_push_all(argv, "-a", "-x", "-o", "EscapeChar=none", "-o", "ClearAllForwardings=yes", "-o", "PermitLocalCommand=no", NULL);
}

/* Makes the options of an ssh that enters the first node of the target. */
static int
ssh_enter(const struct target *target, struct cluster_status *status, struct login_files *logins, struct arena *arena,
    const struct node **node, struct machine *machine, struct arguments *argv, struct error *err)
{
	char *known_hosts = (*node = ssh_find_node(target, status, err)) ? login_known_hosts(status, err) : NULL;
	int result = -1;

	if (known_hosts && login_machine_to_enter(status, *node, logins, arena, machine, err) == 0)
		result = login_command(machine, known_hosts, argv, err);
	if (result == 0 && client_asker())
		ssh_shut_in(argv);
	free(known_hosts);
	return result;
}

/* Does the same through a server: with a key that this one has signed, and by a connection that it makes. */
static int
ssh_enter_through(const struct target *target, struct cluster_status *status, struct login_files *logins, struct arena *arena,
    const struct node **node, struct machine *machine, struct arguments *argv, struct error *err)
{
	struct login_through through = {0};
	struct buffer proxy = {0};
	char *certificate = NULL;
	int result = -1;

	buffer_text(&proxy, "ProxyCommand=");
	if (memory_folder_open(&logins->folder, err) == 0 &&
	    login_through_open(&through, &places, target->cluster, &logins->folder, status, err) == 0 &&
	    (*node = target_first(target, &status->layout, err)) && login_machine(*node, arena, machine, err) == 0 &&
	    login_through_certify(&through, *node, err) == 0) {
		machine->identityfile = arena_string(arena, through.key);
		machine->passphrasefile = machine->passwordfile = NULL;
		machine->bastion.host = NULL; /* the server goes through it */
		result = login_command(machine, through.known_hosts, argv, err);
		certificate = login_through_certificate(&through, *node);
		login_push_file("CertificateFile", certificate, argv);
		login_through_print_proxy(&through, *node, &proxy);
		arguments_push_all(argv, "-o", proxy.data, "-o", "ServerAliveInterval=30", NULL);
	}
	free(certificate);
	buffer_release(&proxy);
	login_through_release(&through);
	return result;
}

/* Makes the ssh command for the first node of the target, and says which one that is if there are several. */
static int
ssh_prepare_login(const struct target *target, struct cluster_status *status, char *const *words, struct login_files *logins,
    struct arguments *argv, struct error *err)
{
	struct arena arena = {0};
	struct machine machine;
	const struct node *node;
	size_t count = 0;
	int result = login_through_server() ? ssh_enter_through(target, status, logins, &arena, &node, &machine, argv, err)
	                                    : ssh_enter(target, status, logins, &arena, &node, &machine, argv, err);

	if (result == 0) {
		for (size_t i = 0; i < status->layout.node_count; i++)
			count += target_has(target, &status->layout.nodes[i]);
		if (count > 1)
			message("%s/%" PRId64 ", the first of %zu", target->cluster, node->nodenum, count);
		arguments_push(argv, "--");
		arguments_push(argv, machine.address);
		login_words(words, argv);
	}
	arena_release(&arena);
	return result;
}

/* Waits for the ssh of somebody elsewhere, which ends as soon as they may not enter the node any more. */
static void
ssh_watch(pid_t pid, const struct cluster_status *status)
{
	struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
	struct error err;

	while (end.fd >= 0 && poll(&end, 1, SSH_LOOK_MS) == 0)
		if (login_check(status, &err) < 0) {
			kill(pid, SIGHUP);
			break;
		}
	if (end.fd >= 0)
		close(end.fd);
}

/* Tells the ssh that it is to end, too: it gives the terminal back, as SIGKILL would not. */
static void
ssh_pass_signal(int signal)
{
	kill(ssh_pid, signal);
}

/* Becomes the command; but where a key was put into a file for it, or somebody elsewhere has asked for it, waits for its end. Returns an
 * exit code. */
static int
ssh_run(char *const *argv, bool has_files, const struct cluster_status *status)
{
	struct process process = {.argv = argv, .in = PROCESS_INHERIT, .out = PROCESS_INHERIT, .err = PROCESS_INHERIT,
	    .die_with_us = true};
	const struct sigaction pass = {.sa_handler = ssh_pass_signal, .sa_flags = SA_RESTART};
	struct error err;
	int code;

	if (!has_files && !client_asker()) {
		execvp(argv[0], argv);
		error_errno(&err, EX_UNAVAILABLE, "%s: cannot be run", argv[0]);
		return message_error(&err);
	}
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	code = process_start(&process, &err);
	if (code == 0) {
		ssh_pid = process.pid;
		sigaction(SIGTERM, &pass, NULL);
		sigaction(SIGHUP, &pass, NULL);
	}
	if (code == 0 && client_asker())
		ssh_watch(process.pid, status);
	if (code == 0)
		code = process_wait(&process, &err);
	return code < 0 ? message_error(&err) : code;
}

int
main(int argc, char **argv)
{
	char **operands = argv + option_parse(&command, argc, argv), **rest;
	struct arguments words = {0};
	struct target target;
	struct cluster_status status = {0};
	struct login_files logins = {0};
	struct error err;
	int code;

	if (!operands[0])
		return option_misuse(&command, "missing argument CLUSTER");
	rest = operands + option_parse(&command, argc - (int)(operands - argv), operands);
	if (raw && (rest[0] || dry))
		return option_misuse(&command, "--raw excludes %s", dry ? "--dry-run" : "a COMMAND");
	target_operand_nodes(&command, operands[0], &chosen, &target);
	if (raw)
		return ssh_pass(&target, &err) < 0 ? message_error(&err) : 0;

	code = ssh_prepare_login(&target, &status, rest, &logins, &words, &err) < 0 ? message_error(&err) : 0;
	for (size_t i = 0; code == 0 && dry && i < words.count; i++)
		puts(words.list[i]);
	if (code == 0 && !dry)
		code = ssh_run(words.list, logins.folder.held.path != NULL, &status);

	status_release(&status);
	login_files_close(&logins);
	arguments_release(&words);
	target_release(&target);
	return message_end(code);
}
