/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/reach.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/process.h"
#include "sandbox/maker.h"

enum {
	PAUSE_FIRST_MS = 5,
	PAUSE_LOOK_MS = 80,
	PAUSE_LAST_MS = 200,
	OUTPUT_LIMIT = 64 * 1024,
};

/* Waits for an event at fd. Returns false if there is none before the deadline. */
static bool
reach_wait_for(int fd, short events, int64_t deadline)
{
	struct pollfd wait = {.fd = fd, .events = events};
	int64_t left;

	while ((left = deadline - clock_monotonic_ms()) > 0) {
		int ready = poll(&wait, 1, (int)(left < 1000 ? left : 1000));

		if (ready > 0 || (ready < 0 && errno != EINTR))
			return ready > 0;
	}
	return false;
}

/* Waits for a greeting, once. Returns 0, or -1 with errno. */
static int
reach_greet(const char *address, int64_t deadline)
{
	struct sockaddr_in peer = {.sin_family = AF_INET, .sin_port = htons(22)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), reason = ETIMEDOUT;
	socklen_t length = sizeof reason;
	char greeting[4];

	if (fd < 0)
		return -1;
	inet_pton(AF_INET, address, &peer.sin_addr);
	if (connect(fd, (struct sockaddr *)&peer, sizeof peer) == 0 ||
	    (errno == EINPROGRESS && reach_wait_for(fd, POLLOUT, deadline)))
		getsockopt(fd, SOL_SOCKET, SO_ERROR, &reason, &length);
	else if (errno != EINPROGRESS)
		reason = errno;
	if (reason == 0 && reach_wait_for(fd, POLLIN, deadline))
		reason = recv(fd, greeting, sizeof greeting, MSG_WAITALL) == sizeof greeting &&
		    memcmp(greeting, "SSH-", sizeof greeting) == 0 ? 0 : ECONNRESET;
	else if (reason == 0)
		reason = ETIMEDOUT;
	close(fd);
	errno = reason;
	return reason == 0 ? 0 : -1;
}

/* Returns whether the machine is seen to have ended. */
static bool
reach_has_ended(const struct maker *maker, const char *name)
{
	struct found_list now = {.list = NULL};
	struct error ignored;
	bool ended = maker->find(name, NULL, &now, &ignored) == 0 && (now.count == 0 || now.list->state != MACHINE_RUNNING);

	found_release(&now);
	return ended;
}

/* Waits until the machine answers at port 22 of address with ssh's greeting, until deadline, or until it is seen to have ended, which
 * is looked at when it takes longer than it should. */
static int
reach_greeting(const struct maker *maker, const char *name, const char *address, int64_t deadline, struct error *err)
{
	int64_t pause = PAUSE_FIRST_MS;

	while (reach_greet(address, deadline) < 0) {
		int reason = errno;
		struct timespec time = {.tv_nsec = (long)pause * 1000 * 1000};

		if (pause >= PAUSE_LOOK_MS && reach_has_ended(maker, name))
			return error_set(err, EX_UNAVAILABLE, "%s: the machine has ended", address);
		errno = reason;
		if (clock_monotonic_ms() + pause >= deadline)
			return error_errno(err, EX_UNAVAILABLE, "%s: no sshd answers", address);
		nanosleep(&time, NULL);
		pause = pause * 2 < PAUSE_LAST_MS ? pause * 2 : PAUSE_LAST_MS;
	}
	return 0;
}

/* Returns whether lines of ssh-keyscan, "ADDRESS TYPE KEY", begin with that key. */
static bool
reach_has_key(const struct buffer *lines, const char *address, const char *host_key)
{
	size_t skip = strlen(address) + 1, length = strlen(host_key);

	return lines->length >= skip + length && memcmp(lines->data, address, skip - 1) == 0 &&
	    memcmp(lines->data + skip, host_key, length) == 0 && strchr("\n ", lines->data[skip + length]);
}

/* Checks that the sshd at address has the private part of host_key. */
static int
reach_key(const char *address, const char *host_key, struct error *err)
{
	struct arguments arguments = {0};
	struct buffer out = {0}, log = {0};
	int code;

	arguments_push_all(&arguments, "ssh-keyscan", "-T", "10", "-t", "ed25519", "--", address, NULL);
	code = process_run(arguments.list, NULL, 0, &out, &log, OUTPUT_LIMIT, err);
	if (code >= 0)
		code = 0;
	if (code == 0 && out.length == 0)
		code = error_set(err, EX_UNAVAILABLE, "%s: its sshd gives no host key: %.*s", address,
		    log.data ? (int)strcspn(log.data, "\n") : 0, buffer_string(&log));
	else if (code == 0 && !reach_has_key(&out, address, host_key))
		code = error_set(err, EX_PROTOCOL,
		    "%s: answers with another host key than it was made with; delete it and create it again", address);
	buffer_release(&out);
	buffer_release(&log);
	arguments_release(&arguments);
	return code;
}

int
reach_confirm(const struct maker *maker, const char *name, int64_t timeout_ms, struct found_list *found, struct error *err)
{
	int64_t deadline = clock_monotonic_ms() + timeout_ms;
	const struct machine *machine;

	if (maker->find(name, NULL, found, err) < 0)
		return -1;
	if (found->count == 0)
		return error_set(err, EX_UNAVAILABLE, "%s: there is no such machine; create it", name);
	if (found->list->state != MACHINE_RUNNING)
		return error_set(err, EX_UNAVAILABLE, "%s: is %s; delete it and create it again", name,
		    machine_state_name(found->list->state));
	machine = &found->list->machine;
	if (reach_greeting(maker, name, machine->address, deadline, err) < 0 ||
	    reach_key(machine->address, machine->host_key, err) < 0)
		return error_prefix(err, "%s", name);
	return 0;
}
