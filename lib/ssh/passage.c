/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/passage.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/process.h"
#include "model/take/task.h"
#include "ssh/bastion.h"
#include "ssh/ssh.h"

enum { PASSAGE_CONNECT_MS = 10 * 1000 };

/* Waits until a connection is there, or has failed. Returns 0, or what errno would say. */
static int
passage_await(int fd)
{
	struct pollfd wait = {.fd = fd, .events = POLLOUT};
	int failure = 0;
	socklen_t size = sizeof failure;

	if (poll(&wait, 1, PASSAGE_CONNECT_MS) <= 0)
		return ETIMEDOUT;
	return getsockopt(fd, SOL_SOCKET, SO_ERROR, &failure, &size) < 0 ? errno : failure;
}

/* Connects to one address, in time. Returns the descriptor; -1 with errno. */
static int
passage_connect(const struct addrinfo *to)
{
	int fd = socket(to->ai_family, to->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, to->ai_protocol), yes = 1, failure;

	if (fd < 0)
		return -1;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
	if (connect(fd, to->ai_addr, to->ai_addrlen) == 0)
		return fd;
	failure = errno == EINPROGRESS ? passage_await(fd) : errno;
	if (failure == 0)
		return fd;
	close(fd);
	errno = failure;
	return -1;
}

/* Waits until the other end has said that it is an sshd: nothing is sent to anything else. */
static int
passage_greet(struct passage *passage, const char *name, struct error *err)
{
	static const char greeting[] = "SSH-";
	struct passage_way *back = &passage->back;
	struct pollfd wait = {.fd = passage->fd, .events = POLLIN};
	ssize_t n = 1;

	while (n > 0 && back->length < sizeof greeting - 1) {
		if (poll(&wait, 1, PASSAGE_CONNECT_MS) <= 0)
			return error_set(err, EX_TEMPFAIL, "%s: its sshd does not answer", name);
		n = read(passage->fd, back->bytes + back->length, sizeof back->bytes - back->length);
		back->length += n > 0 ? (size_t)n : 0;
	}
	if (back->length >= sizeof greeting - 1 && memcmp(back->bytes, greeting, sizeof greeting - 1) == 0)
		return 0;
	return error_set(err, back->length ? EX_PROTOCOL : EX_TEMPFAIL, back->length ? "%s: what answers there is no sshd"
	    : "%s: its sshd has closed the connection", name);
}

/* Connects from here. */
static int
passage_reach(struct passage *passage, const struct machine *machine, struct error *err)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
	struct addrinfo *list = NULL;
	char port[16], name[SSH_NAME_SIZE];
	int failure;

	snprintf(port, sizeof port, "%u", (unsigned)(unsigned short)machine->port);
	failure = getaddrinfo(machine->address, port, &hints, &list);
	if (failure)
		return error_set(err, EX_TEMPFAIL, "%s: %s", ssh_name(machine, name), gai_strerror(failure));
	for (const struct addrinfo *at = list; at && passage->fd < 0; at = at->ai_next)
		passage->fd = passage_connect(at);
	freeaddrinfo(list);
	if (passage->fd < 0)
		return error_errno(err, EX_TEMPFAIL, "%s: cannot be reached", ssh_name(machine, name));
	return 0;
}

/* Has an ssh connect from the bastion, which ends with the passage. */
static int
passage_reach_through(struct passage *passage, const struct machine *machine, struct error *err)
{
	struct process process = {.out = -1, .err = PROCESS_INHERIT, .die_with_us = true};
	struct arguments argv = {0};
	struct buffer line = {0};
	int ends[2] = {-1, -1}, known_hosts = memfd_create("bastion", MFD_CLOEXEC), result = bastion_check(machine, err);
	char path[64];

	bastion_add_known_host(machine, &line);
	if (result == 0 && (known_hosts < 0 || file_write_all(known_hosts, line.data, line.length) < 0 ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0))
		result = error_errno(err, EX_OSERR, "a way through the bastion");
	if (result == 0) {
		snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)getpid(), known_hosts); /* it stays open as long as this process is there */
		bastion_push(machine, path, &argv);
		process.argv = argv.list;
		process.in = process.out = ends[1];
		result = process_start(&process, err);
	}
	if (result == 0) {
		passage->fd = ends[0];
		fcntl(passage->fd, F_SETFL, O_NONBLOCK);
	} else if (ends[0] >= 0) {
		close(ends[0]);
	}
	if (ends[1] >= 0)
		close(ends[1]);
	arguments_release(&argv);
	buffer_release(&line);
	return result;
}

int
passage_open(struct passage *passage, const struct machine *machine, struct error *err)
{
	char name[SSH_NAME_SIZE];

	passage->fd = -1;
	if ((machine->bastion.host ? passage_reach_through(passage, machine, err) : passage_reach(passage, machine, err)) < 0)
		return -1;
	passage->there = (struct passage_way){.from = STDIN_FILENO, .to = passage->fd};
	passage->back = (struct passage_way){.from = passage->fd, .to = STDOUT_FILENO};
	fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK);
	fcntl(STDOUT_FILENO, F_SETFL, O_NONBLOCK);
	passage->moved_ms = clock_monotonic_ms();
	return passage_greet(passage, ssh_name(machine, name), err);
}

/* Reads or writes, whatever the way is ready for. Returns whether it has moved something; a way that ends is marked. */
static bool
passage_move(struct passage_way *way)
{
	bool reads = way->sent == way->length;
	ssize_t n = reads ? read(way->from, way->bytes, sizeof way->bytes) : write(way->to, way->bytes + way->sent, way->length - way->sent);

	if (n > 0 && reads) {
		way->length = (size_t)n;
		way->sent = 0;
	} else if (n > 0) {
		way->sent += (size_t)n;
	} else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
		way->ended = true;
	}
	return n > 0;
}

/* Returns what the way waits for. */
static struct pollfd
passage_awaits(const struct passage_way *way)
{
	bool reads = way->sent == way->length;

	return (struct pollfd){.fd = way->ended ? -1 : reads ? way->from : way->to, .events = reads ? POLLIN : POLLOUT};
}

int
passage_turn(struct passage *passage, int wait_ms)
{
	struct pollfd ends[] = {passage_awaits(&passage->there), passage_awaits(&passage->back)};
	bool moved = false;

	if (poll(ends, 2, wait_ms) < 0)
		return 1;
	if (ends[0].revents) {
		moved |= passage_move(&passage->there);
		if (passage->there.ended)
			shutdown(passage->fd, SHUT_WR);
	}
	if (ends[1].revents)
		moved |= passage_move(&passage->back);
	if (moved)
		passage->moved_ms = clock_monotonic_ms();
	return passage->back.ended ? 0 : 1;
}

void
passage_close(struct passage *passage)
{
	if (passage->fd >= 0)
		close(passage->fd);
}
