/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/world/relay.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "sandbox/record.h"
#include "sandbox/state.h"

enum { BLOCK = 64 * 1024, BACKLOG = 128, SSH = 22,
	LISTENER = 3, LOCK = 4, END = 5, WORLD = 6 /* descriptors of the relay: its socket, its lock, the processes with which it ends: the
	machine's first, and the holder of the world */ };

int
relay_socket(struct error *err)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return fd < 0 ? error_errno(err, EX_OSERR, "relay: no socket") : fd;
}

static int
relay_open(const struct machine *machine, int flags)
{
	char *folder = state_machine_path(machine->name), *path = memory_printf("%s/relay", folder);
	int fd = open(path, flags | O_CLOEXEC, 0600);

	free(path);
	free(folder);
	return fd;
}

bool
relay_find(struct machine *machine)
{
	char text[64] = "", address[16], port[6];
	int fd = relay_open(machine, O_RDONLY);
	bool works = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK && read(fd, text, sizeof text - 1) > 0 &&
	    sscanf(text, "%15[0-9.] %5[0-9]", address, port) == 2;

	if (fd >= 0)
		close(fd);
	if (works) {
		machine->access = arena_string(&machine->arena, address);
		machine->port = arena_string(&machine->arena, port);
	}
	return works;
}

/* Passes on what there is from one to the other. Returns false at the end of what comes. */
static bool
relay_pass(int from, int to)
{
	static char block[BLOCK];
	ssize_t n = read(from, block, sizeof block);

	if (n < 0 && errno == EINTR)
		return true;
	if (n > 0 && file_write_all(to, block, (size_t)n) == 0)
		return true;
	shutdown(to, SHUT_WR);
	return false;
}

/* Passes on what two sockets say, until both have ended or the machine has. */
static void
relay_pump(int one, int other)
{
	struct pollfd all[] = {{.fd = one, .events = POLLIN}, {.fd = other, .events = POLLIN}, {.fd = END, .events = POLLIN},
	    {.fd = WORLD, .events = POLLIN}};

	while (all[0].fd >= 0 || all[1].fd >= 0) {
		if ((poll(all, 4, -1) < 0 && errno != EINTR) || all[2].revents || all[3].revents)
			return;
		for (int i = 0; i < 2; i++)
			if (all[i].fd >= 0 && all[i].revents && !relay_pass(all[i].fd, i == 0 ? other : one))
				all[i].fd = -1;
	}
}

/* Serves one connection, in a process of its own. */
static _Noreturn void
relay_serve(int connection, const struct sockaddr_in *machine)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	/* It does not keep the lock: a connection may end later than the relay. */
	close(LISTENER);
	close(LOCK);
	if (fd >= 0 && connect(fd, (const struct sockaddr *)machine, sizeof *machine) == 0)
		relay_pump(connection, fd);
	_exit(0);
}

static _Noreturn void
relay_run(const struct sockaddr_in *machine)
{
	struct pollfd all[] = {{.fd = LISTENER, .events = POLLIN}, {.fd = END, .events = POLLIN}, {.fd = WORLD, .events = POLLIN}};

	for (;;) {
		int connection;

		if ((poll(all, 3, -1) < 0 && errno != EINTR) || all[1].revents || all[2].revents)
			_exit(0);
		connection = all[0].revents ? accept4(LISTENER, NULL, NULL, SOCK_CLOEXEC) : -1;
		if (connection >= 0 && fork() == 0)
			relay_serve(connection, machine);
		if (connection >= 0)
			close(connection);
	}
}

/* Becomes the relay: keeps its descriptors and nothing else of the process that it was. */
static _Noreturn void
relay_become(const int kept[4], const struct machine *machine)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(SSH)};
	int fds[4], null = open("/dev/null", O_RDWR);

	inet_pton(AF_INET, machine->address, &to.sin_addr);
	setsid();
	for (int s = 1; s < NSIG; s++)
		signal(s, SIG_DFL);
	signal(SIGCHLD, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	prctl(PR_SET_NAME, "coopr-relay");
	for (int i = 0; i < 4; i++)
		if ((fds[i] = fcntl(kept[i], F_DUPFD, 16)) < 0)
			_exit(1);
	for (int i = 0; i < 3; i++)
		if (dup2(null, i) < 0)
			_exit(1);
	for (int i = 0; i < 4; i++)
		if (dup2(fds[i], LISTENER + i) < 0)
			_exit(1);
	if (chdir("/") < 0)
		_exit(1);
	syscall(SYS_close_range, WORLD + 1, ~0U, 0);
	relay_run(&to);
}

/* Has the socket listen, and says where in the machine and in the file. */
static int
relay_listen(int fd, int file, struct machine *machine, struct error *err)
{
	struct sockaddr_in at = {.sin_family = AF_INET};
	socklen_t length = sizeof at;
	char *text;
	int result;

	machine->access = arena_printf(&machine->arena, "127%s", strchr(machine->address, '.'));
	inet_pton(AF_INET, machine->access, &at.sin_addr);
	if (bind(fd, (struct sockaddr *)&at, sizeof at) < 0 || listen(fd, BACKLOG) < 0 || getsockname(fd, (struct sockaddr *)&at, &length) < 0)
		return error_errno(err, EX_OSERR, "%s: the relay cannot listen", machine->access);
	machine->port = arena_printf(&machine->arena, "%u", (unsigned)ntohs(at.sin_port));
	text = memory_printf("%s %s\n", machine->access, machine->port);
	result = ftruncate(file, 0) < 0 || file_write_all(file, text, strlen(text)) < 0 ? error_errno(err, EX_CANTCREAT, "relay") : 0;
	free(text);
	return result;
}

static int
relay_watch(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

int
relay_start(int socket, pid_t holder, struct machine *machine, struct error *err)
{
	const int kept[4] = {socket, relay_open(machine, O_RDWR | O_CREAT), relay_watch(atoi(machine->pid)), relay_watch(holder)};
	int result = -1;
	pid_t pid = -1;

	if (kept[1] < 0 || kept[2] < 0 || kept[3] < 0 || flock(kept[1], LOCK_EX | LOCK_NB) < 0)
		error_errno(err, EX_UNAVAILABLE, "%s: no relay", machine->name);
	else if (relay_listen(socket, kept[1], machine, err) == 0 && (pid = fork()) < 0)
		error_errno(err, EX_OSERR, "relay");
	if (pid == 0)
		relay_become(kept, machine);
	if (pid > 0)
		result = 0;
	for (int i = 1; i < 4; i++)
		if (kept[i] >= 0)
			close(kept[i]);
	return result;
}
