/* SPDX-License-Identifier: Apache-2.0
 *
 * sandbox-init: the first process of a sandbox machine. It is started by the provider sandbox only, in new namespaces
 * and in the machine's folder, and becomes what the file "machine" there says (sandbox/start.h tells how the two talk).
 * Then it starts sshd and waits for whatever ends below it.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/message.h"
#include "base/process.h"
#include "sandbox/filter.h"
#include "sandbox/ids.h"
#include "sandbox/network.h"
#include "sandbox/privilege.h"
#include "sandbox/record.h"
#include "sandbox/root.h"
#include "sandbox/start.h"

enum { BLOCK = 4096, CONSOLE_MAX = 64 * 1024 };

static int
sandbox_await(char expected, struct error *err)
{
	char order;

	if (read(START_ORDERS, &order, 1) == 1 && order == expected)
		return 0;
	return error_set(err, EX_UNAVAILABLE, "the provider has gone: no order came");
}

/* Lives on without the provider, which may end from now on. */
static int
sandbox_detach(struct error *err)
{
	char answer = ORDER_LIVE;

	if (prctl(PR_SET_PDEATHSIG, 0) == 0 && write(START_REPORT, &answer, 1) == 1)
		return 0;
	return error_errno(err, EX_OSERR, "the provider has gone");
}

static int
sandbox_become(const struct machine *machine, char *notice, struct error *err)
{
	struct network network;
	struct root root;

	if (network_parse(machine->network, &network, err) < 0 || root_enter(machine, START_USER, &root, notice, err) < 0 ||
	    root_mount(machine, &root, err) < 0 || root_prepare(machine, &root, err) < 0 ||
	    root_mount_proc(err) < 0 || root_leave(&root, err) < 0)
		return -1;
	if (sandbox_await(ORDER_CONNECTED, err) < 0)
		return -1;
	/* It has been put into its control groups: they become the root of what it sees of them. */
	if (unshare(CLONE_NEWCGROUP) < 0)
		return error_errno(err, EX_OSERR, "control groups: no namespace");
	if ((machine->ids && ids_become_root(START_USER, err) < 0) || prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 ||
	    network_inside(&network, machine->address, machine->route, err) < 0 ||
	    filter_install(err) < 0)
		return -1;
	return privilege_drop(err);
}

/* Starts sshd. What it says, with -e, comes at *said. */
static pid_t
sandbox_start_sshd(int *said)
{
	char *argv[] = {(char[]){"/usr/sbin/sshd"}, (char[]){"-D"}, (char[]){"-e"}, (char[]){"-f"},
	    (char[]){"/etc/ssh/sshd_config"}, NULL};
	char *environment[] = {(char[]){"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
	    (char[]){"HOME=/root"}, (char[]){"container=coopr"}, NULL};
	struct process sshd = {.argv = argv, .environment = environment, .in = PROCESS_NULL, .group = true};
	int ends[2] = {-1, -1}, result;
	struct error err;

	if (pipe2(ends, O_CLOEXEC) < 0)
		error_errno(&err, EX_OSERR, "pipe");
	sshd.out = sshd.err = ends[1];
	result = ends[1] < 0 ? -1 : process_start(&sshd, &err);
	close(ends[1]);
	*said = ends[0];
	return result < 0 ? (message_error(&err), -1) : sshd.pid;
}

/* Copies what sshd says to our own output, the console, while there is room: that is a file of the host, and the machine's root may put anything
 * into sshd's place. Returns false at the end. */
static bool
sandbox_hear(int said, size_t *room)
{
	char block[BLOCK];
	ssize_t got = read(said, block, sizeof block);
	size_t kept = got <= 0 ? 0 : (size_t)got < *room ? (size_t)got : *room;

	*room -= kept;
	if (kept > 0)
		file_write_all(STDERR_FILENO, block, kept);
	return got > 0 || (got < 0 && errno == EINTR);
}

static void
sandbox_wake(int signal)
{
	(void)signal;
}

/* Waits for whatever ends, and for what sshd says: the orphans of a process tree become children of its first process. */
static void
sandbox_reap(pid_t sshd, int said)
{
	struct pollfd poll = {.fd = said, .events = POLLIN};
	size_t room = CONSOLE_MAX;
	sigset_t none;
	pid_t pid;
	int status;

	sigemptyset(&none);
	sigaction(SIGCHLD, &(const struct sigaction){.sa_handler = sandbox_wake}, NULL);
	for (;;) {
		while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
			if (pid == sshd)
				message("sshd has ended with %d", process_exit_code(status));
		if (ppoll(&poll, 1, NULL, &none) > 0 && !sandbox_hear(said, &room))
			poll.fd = -1;
	}
}

int
main(void)
{
	struct machine machine = {.name = NULL};
	struct report report = {.error = {0}};
	sigset_t child;
	pid_t sshd;
	int said;

	message_program("sandbox-init");
	for (int fd = START_LIFE; fd <= START_USER; fd++)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);

	if (machine_read(AT_FDCWD, &machine, &report.error) < 0 ||
	    sandbox_become(&machine, report.notice, &report.error) < 0)
		message_error(&report.error);
	if (write(START_REPORT, &report, sizeof report) != sizeof report || report.error.code != 0)
		_exit(EX_UNAVAILABLE);
	if (sandbox_await(ORDER_LIVE, &report.error) < 0 || sandbox_detach(&report.error) < 0)
		_exit(message_error(&report.error));

	close(START_USER);
	close(START_ORDERS);
	close(START_REPORT);
	sshd = sandbox_start_sshd(&said);
	sandbox_reap(sshd, said);
}
