/* SPDX-License-Identifier: Apache-2.0 */
#include "event/pipes.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "event/pty.h"
#include "event/supervise.h"

enum { PIPES_TERMINAL_REST = 1 << 20 }; /* of a terminal, which others may hold and write to */

/* Opens a pipe, of which the end that is ours (0: to read, 1: to write) is left in end. Returns the other. */
static int
pipes_open_pipe(struct supervised_end *end, int ours)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -1;
	fcntl(fds[ours], F_SETFL, O_NONBLOCK);
	end->fd = fds[ours];
	return fds[!ours];
}

/* Opens the three streams, of which theirs are the child's ends: PROCESS_INHERIT where it has ours, -1 as well where that failed. */
static void
pipes_open(struct child *child, int theirs[3])
{
	const struct child_terminal *terminal = &child->terminal;
	struct supervised_end *end = terminal->out ? &child->out_end : &child->err_end;
	int slave = terminal->out || terminal->err ? pty_open(terminal, &end->fd) : -1;

	if (slave >= 0 && terminal->in)
		child->in_end.fd = fcntl(end->fd, F_DUPFD_CLOEXEC, 0);
	theirs[0] = terminal->in ? fcntl(slave, F_DUPFD_CLOEXEC, 0) : pipes_open_pipe(&child->in_end, 1);
	theirs[1] = terminal->out ? fcntl(slave, F_DUPFD_CLOEXEC, 0) : pipes_open_pipe(&child->out_end, 0);
	if (terminal->err)
		theirs[2] = fcntl(slave, F_DUPFD_CLOEXEC, 0);
	else if (child->joined)
		theirs[2] = fcntl(theirs[1], F_DUPFD_CLOEXEC, 0);
	else
		theirs[2] = child->capture_err ? pipes_open_pipe(&child->err_end, 0) : PROCESS_INHERIT;
	if (slave >= 0)
		close(slave);
}

int
pipes_start(struct child *child, struct error *err)
{
	bool has_err = child->terminal.err || child->joined || child->capture_err;
	int theirs[3], result;
	struct process process;

	pipes_open(child, theirs);
	process = (struct process){.argv = child->argv, .environment = child->environment, .in = theirs[0], .out = theirs[1],
	    .err = theirs[2], .group = true, .session = child->session, .controls = child->terminal.out || child->terminal.err,
	    .folder = child->folder, .die_with_us = child->die_with_us, .confinement = child->confinement};
	if (theirs[0] < 0 || theirs[1] < 0 || (has_err && theirs[2] < 0))
		result = error_errno(err, EX_OSERR, "%s: pipe", child->argv[0]);
	else
		result = process_start(&process, err);
	for (int i = 0; i < 3; i++)
		if (theirs[i] >= 0)
			close(theirs[i]);
	child->pid = process.pid;
	return result;
}

int
pipes_await(struct supervisor *supervisor, struct supervised_end *end, uint32_t events)
{
	struct epoll_event event = {.events = events, .data.ptr = end};

	end->supervisor = supervisor;
	return epoll_ctl(supervisor->epoll, EPOLL_CTL_ADD, end->fd, &event);
}

void
pipes_shut(struct supervised_end *end)
{
	if (end->fd < 0)
		return;
	if (end->supervisor)
		epoll_ctl(end->supervisor->epoll, EPOLL_CTL_DEL, end->fd, NULL);
	close(end->fd);
	end->fd = -1;
}

void
pipes_shut_all(struct child *child)
{
	pipes_shut(&child->in_end);
	pipes_shut(&child->out_end);
	pipes_shut(&child->err_end);
	pipes_shut(&child->exit_end);
}

/* Writes some of what is left. Returns false if the pipe takes no more for now. */
static bool
pipes_feed_from(struct child *child, const char *bytes, size_t length, size_t *written)
{
	ssize_t n = write(child->in_end.fd, bytes, length);

	*written = n > 0 ? (size_t)n : 0;
	if (n < 0 && errno != EAGAIN && errno != EINTR)
		pipes_shut(&child->in_end);
	return *written == length;
}

static size_t
pipes_fed_left(const struct child *child)
{
	return child->fed.length - child->fed_used;
}

void
pipes_wipe(struct child *child)
{
	if (child->wipe_input && child->fed.length > 0)
		explicit_bzero(child->fed.data, child->fed.length);
}

void
pipes_wipe_room(struct child *child, size_t length)
{
	struct buffer room = {0};

	if (child->fed.length + length < child->fed.capacity)
		return;
	buffer_room(&room, 2 * (pipes_fed_left(child) + length));
	buffer_append(&room, child->fed.data + child->fed_used, pipes_fed_left(child));
	pipes_wipe(child);
	buffer_release(&child->fed);
	child->fed = room;
	child->fed_used = 0;
}

bool
pipes_feed(struct child *child)
{
	size_t n;

	if (child->input_length > 0) {
		if (!pipes_feed_from(child, child->input, child->input_length, &n) && child->in_end.fd >= 0) {
			child->input += n;
			child->input_length -= n;
			return false;
		}
		child->input_length = 0;
	}
	if (child->in_end.fd >= 0 && pipes_fed_left(child) > 0) {
		pipes_feed_from(child, child->fed.data + child->fed_used, pipes_fed_left(child), &n);
		child->fed_used += n;
		/* A child that is fed all the time may never have read all: drop what is written once that is more than the rest. */
		if (child->fed_used > pipes_fed_left(child) && !child->wipe_input) {
			buffer_drop(&child->fed, child->fed_used);
			child->fed_used = 0;
		}
		if (child->in_end.fd >= 0 && pipes_fed_left(child) > 0)
			return false;
	}
	pipes_wipe(child);
	buffer_clear(&child->fed);
	child->fed_used = 0;
	if (!child->hold_input)
		pipes_shut(&child->in_end);
	return true;
}

void
pipes_await_input(struct supervisor *supervisor, struct child *child, uint32_t events)
{
	struct epoll_event event = {.events = events, .data.ptr = &child->in_end};

	if (child->in_end.fd >= 0 && child->in_quiet == (events != 0)) {
		epoll_ctl(supervisor->epoll, EPOLL_CTL_MOD, child->in_end.fd, &event);
		child->in_quiet = events == 0;
	}
}

/* Reads once, at most limit bytes, of which keep go to the buffer. */
static size_t
pipes_read(struct supervised_end *end, struct buffer *to, size_t keep, size_t limit)
{
	char bytes[PIPES_CHUNK];
	ssize_t n = read(end->fd, bytes, limit < PIPES_CHUNK ? limit : PIPES_CHUNK);

	if (n > 0) {
		buffer_append(to, bytes, (size_t)n < keep ? (size_t)n : keep);
		return (size_t)n;
	}
	if (n == 0 || (errno != EAGAIN && errno != EINTR))
		pipes_shut(end);
	return 0;
}

size_t
pipes_read_out(struct child *child, size_t limit)
{
	size_t room = child->out.length < child->out_limit ? child->out_limit - child->out.length : 0;
	size_t n = pipes_read(&child->out_end, &child->out, room, limit);

	child->out_total += n;
	return n;
}

size_t
pipes_read_err(struct child *child, size_t limit)
{
	return pipes_read(&child->err_end, &child->err, SIZE_MAX, limit);
}

size_t
pipes_read_control(struct child *child)
{
	return pipes_read(&child->exit_end, &child->control, SIZE_MAX, PIPES_CHUNK);
}

/* Returns how many bytes are in the pipe at this moment. */
static size_t
pipes_waiting(const struct supervised_end *end)
{
	int bytes = 0;

	return end->fd >= 0 && ioctl(end->fd, FIONREAD, &bytes) == 0 ? (size_t)bytes : 0;
}

void
pipes_read_rest(struct child *child)
{
	const struct child_terminal *terminal = &child->terminal;
	/* What was written to a terminal arrives only when it is read. */
	size_t left = terminal->out ? PIPES_TERMINAL_REST : pipes_waiting(&child->out_end), n;

	while (left > 0 && child->out_end.fd >= 0 && (n = pipes_read_out(child, left)) > 0)
		left -= n;
	left = terminal->err && !terminal->out ? PIPES_TERMINAL_REST : pipes_waiting(&child->err_end);
	while (left > 0 && child->err_end.fd >= 0 && (n = pipes_read_err(child, left)) > 0)
		left -= n;
}

void
child_release(struct child *child)
{
	buffer_release(&child->out);
	buffer_release(&child->err);
	buffer_release(&child->control);
	pipes_wipe(child);
	buffer_release(&child->fed);
}
