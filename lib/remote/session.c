/* SPDX-License-Identifier: Apache-2.0 */
#include "remote/session.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/terminal.h"
#include "remote/destination.h"
#include "remote/frame.h"
#include "remote/link.h"
#include "remote/parcel.h"

enum { SESSION_NAME_MAX = 64, SESSION_TYPED = 4096 };

struct session {
	const struct parcel *parcel;
	const struct parcel_terminal *terminal;
	struct link *link;
	struct buffer received;
	char name[SESSION_NAME_MAX + 1]; /* of the command that runs; "": it does not yet */
	int signals;       /* a signalfd */
	bool follows_input;
	bool has_left;     /* the reader of stdout has */
	int lost;          /* errno of the first write that failed otherwise */
	struct termios shown; /* the terminal's modes before typing was hidden */
	bool is_hidden;
	int code;          /* of the command; -1: it has not ended */
	int signal;        /* that has ended it, or 0 */
	struct error *err; /* of what could not be kept here; its text is "" where all is well */
};

static const int session_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH};

static void
session_tell(struct session *session, enum frame_kind kind, const void *bytes, size_t length)
{
	struct buffer frame = {0};

	frame_append(&frame, kind, bytes, length);
	link_tell(session->link, session->name, &frame);
	buffer_release(&frame);
}

static void
session_show_typing(struct session *session)
{
	if (session->is_hidden)
		tcsetattr(STDIN_FILENO, TCSAFLUSH, &session->shown);
	session->is_hidden = false;
}

static void
session_hide_typing(struct session *session)
{
	struct termios modes;

	if (session->is_hidden || tcgetattr(STDIN_FILENO, &session->shown) < 0)
		return;
	modes = session->shown;
	modes.c_lflag &= ~(tcflag_t)ECHO;
	session->is_hidden = tcsetattr(STDIN_FILENO, TCSAFLUSH, &modes) == 0;
}

/* Ends this process as the signal would have. */
static void
session_die(struct session *session, int number)
{
	struct sigaction action = {.sa_handler = SIG_DFL};
	struct rlimit none = {0};
	sigset_t set;

	session_show_typing(session);
	setrlimit(RLIMIT_CORE, &none);
	sigemptyset(&set);
	sigaddset(&set, number);
	sigaction(number, &action, NULL);
	raise(number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	_exit(128 + number);
}

/* Waits until the stream takes more. A signal that comes meanwhile ends us: nothing else could be done about it. */
static void
session_await(struct session *session, int fd)
{
	struct pollfd fds[2] = {{.fd = fd, .events = POLLOUT}, {.fd = session->signals, .events = POLLIN}};
	struct signalfd_siginfo info;

	while (poll(fds, 2, -1) < 0 && errno == EINTR)
		;
	if (!fds[0].revents && fds[1].revents && read(session->signals, &info, sizeof info) == sizeof info && info.ssi_signo != SIGWINCH)
		session_die(session, (int)info.ssi_signo);
}

/* Prints on stdout or stderr. What cannot be printed is lost, and said at the end. */
static void
session_print(struct session *session, int fd, const char *bytes, size_t length)
{
	while (length > 0 && !(fd == STDOUT_FILENO && (session->has_left || session->lost))) {
		ssize_t n;

		session_await(session, fd);
		n = write(fd, bytes, length < PIPE_BUF ? length : PIPE_BUF);
		if (n >= 0) {
			bytes += n;
			length -= (size_t)n;
		} else if (errno == EAGAIN || errno == EINTR) {
			continue;
		} else if (fd != STDOUT_FILENO) {
			return;
		} else if (errno == EPIPE) {
			session->has_left = true;
			session_tell(session, FRAME_LEFT, "", 0);
		} else {
			session->lost = errno;
		}
	}
}

static void
session_keep(struct session *session, const struct frame *frame)
{
	size_t length = strnlen(frame->bytes, frame->length);
	char *name;

	if (length == frame->length)
		return;
	name = memory_substring(frame->bytes, length);
	parcel_keep(session->parcel, name, frame->bytes + length + 1, frame->length - length - 1, session->err);
	free(name);
}

static void
session_take(struct session *session, const struct frame *frame)
{
	switch (frame->kind) {
	case FRAME_BEGUN:
		if (frame->length <= SESSION_NAME_MAX && strspn(frame->bytes, "0123456789abcdef") >= frame->length)
			memcpy(session->name, frame->bytes, frame->length);
		break;
	case FRAME_OUT:
		session_print(session, STDOUT_FILENO, frame->bytes, frame->length);
		break;
	case FRAME_ERR:
		session_print(session, STDERR_FILENO, frame->bytes, frame->length);
		break;
	case FRAME_ECHO:
		if (frame->length && *frame->bytes == 0)
			session_hide_typing(session);
		else
			session_show_typing(session);
		break;
	case FRAME_FILE:
		session_keep(session, frame);
		break;
	case FRAME_EXIT:
		session->code = frame->length > 0 ? (unsigned char)frame->bytes[0] : EX_PROTOCOL;
		session->signal = frame->length > 1 ? frame->bytes[1] : 0;
		break;
	default:
		break;
	}
}

/* Takes what the server sends. */
static void
session_receive(void *context, const char *bytes, size_t length)
{
	struct session *session = context;
	struct frame frame;
	size_t at = 0;

	buffer_append(&session->received, bytes, length);
	while (frame_take(session->received.data, session->received.length, &at, &frame) > 0)
		session_take(session, &frame);
	buffer_drop(&session->received, at);
}

static void
session_look_at_size(struct parcel_terminal *terminal)
{
	FILE *stream = terminal->is_terminal[1] ? stdout : stderr;

	if (terminal->is_terminal[1] || terminal->is_terminal[2]) {
		terminal->columns = (unsigned)terminal_width(stream);
		terminal->lines = (unsigned)terminal_height(stream);
	}
}

void
session_look(struct parcel_terminal *terminal)
{
	struct stat out, err;

	*terminal = (struct parcel_terminal){.is_terminal = {isatty(STDIN_FILENO), isatty(STDOUT_FILENO), isatty(STDERR_FILENO)}};
	terminal->is_joined = !terminal->is_terminal[1] && fstat(STDOUT_FILENO, &out) == 0 && fstat(STDERR_FILENO, &err) == 0 &&
	    out.st_dev == err.st_dev && out.st_ino == err.st_ino;
	session_look_at_size(terminal);
}

/* Hands the signal on. Where the server does not answer any more, or not yet, it ends us. */
static void
session_signal(struct session *session, int number, bool of_terminal)
{
	struct parcel_terminal now = *session->terminal;
	const char signal[2] = {(char)number, of_terminal};
	unsigned char size[4];

	if (number == SIGWINCH) {
		session_look_at_size(&now);
		size[0] = (unsigned char)(now.columns >> 8), size[1] = (unsigned char)now.columns;
		size[2] = (unsigned char)(now.lines >> 8), size[3] = (unsigned char)now.lines;
		if (*session->name)
			session_tell(session, FRAME_WINDOW, size, sizeof size);
		return;
	}
	if (!*session->name || link_is_telling(session->link))
		session_die(session, number);
	session_tell(session, FRAME_SIGNAL, signal, sizeof signal);
}

/* Sends what was typed. The end of the input is an empty line to a terminal, of which there is no end. */
static void
session_read_typed(struct session *session)
{
	bool is_terminal = session->terminal->is_terminal[1] || session->terminal->is_terminal[2];
	char typed[SESSION_TYPED];
	ssize_t n = read(STDIN_FILENO, typed, sizeof typed);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0) {
		session_tell(session, FRAME_INPUT, typed, (size_t)n);
		return;
	}
	session->follows_input = false;
	session_tell(session, FRAME_INPUT, "\n", is_terminal ? 1 : 0);
}

/* Returns where input is read now: nothing is, as long as the command has not taken what was read. */
static int
session_input(const struct session *session)
{
	return session->follows_input && *session->name && !link_is_telling(session->link) ? STDIN_FILENO : -1;
}

/* Looks at all that may have happened here. */
static void
session_look_around(struct session *session)
{
	struct pollfd fds[3] = {{.fd = session->signals, .events = POLLIN},
	    {.fd = session_input(session), .events = POLLIN}, {.fd = session->has_left ? -1 : STDOUT_FILENO}};
	struct signalfd_siginfo info;

	if (poll(fds, 3, 0) <= 0)
		return;
	if (fds[0].revents && read(session->signals, &info, sizeof info) == sizeof info)
		session_signal(session, (int)info.ssi_signo, info.ssi_code == SI_KERNEL);
	if (fds[1].revents)
		session_read_typed(session);
	if ((fds[2].revents & POLLERR) && *session->name) {
		session->has_left = true;
		session_tell(session, FRAME_LEFT, "", 0);
	}
}

/* Makes the signals that are not ignored readable. */
static int
session_catch_signals(struct session *session, struct error *err)
{
	struct sigaction action, ignore = {.sa_handler = SIG_IGN};
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof session_signals / sizeof *session_signals; i++)
		if (sigaction(session_signals[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			sigaddset(&set, session_signals[i]);
	sigaction(SIGPIPE, &ignore, NULL);
	sigprocmask(SIG_BLOCK, &set, NULL);
	session->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return session->signals < 0 ? error_errno(err, EX_OSERR, "signalfd") : 0;
}

/* Goes on until the command has ended: 0, or -1. */
static int
session_follow(struct session *session, struct error *err)
{
	int result = 1;

	while (session->code < 0 && result > 0) {
		const int descriptors[] = {session->signals, session_input(session),
		    session->has_left || !*session->name ? -1 : STDOUT_FILENO};

		result = link_turn(session->link, descriptors, sizeof descriptors / sizeof *descriptors, err);
		if (session->code < 0 && result > 0)
			session_look_around(session);
	}
	if (session->code >= 0)
		return 0;
	return result < 0 ? -1 : error_set(err, EX_PROTOCOL, "the server has not said how the command ended; it is none of coopr");
}

/* Returns whether a command that has ended by the signal has done so as people know it: they have sent it, or its reader has left. */
static bool
session_is_known(int number)
{
	for (size_t i = 0; i < sizeof session_signals / sizeof *session_signals; i++)
		if (session_signals[i] == number)
			return true;
	return number == SIGPIPE;
}

int
session_run(const struct destination *destination, const struct parcel *parcel, const struct parcel_terminal *terminal,
    struct error *err)
{
	struct error unkept = {0};
	struct session session = {.parcel = parcel, .terminal = terminal, .follows_input = parcel->follows_input, .code = -1, .err = &unkept};
	int result = session_catch_signals(&session, err);

	if (result == 0)
		result = link_open(&session.link, destination, &parcel->body, session_receive, &session, err);
	if (result == 0)
		result = session_follow(&session, err);
	session_show_typing(&session);
	link_close(session.link);
	buffer_release(&session.received);
	close(session.signals);
	if (result < 0)
		return -1;
	if (session.signal && session_is_known(session.signal))
		session_die(&session, session.signal);
	if (session.signal)
		return error_set(err, session.code, "%s: the command was killed there by signal %d; " LINK_REMEDY, destination->name, session.signal);
	if (session.lost) {
		errno = session.lost;
		return error_errno(err, EX_IOERR, "standard output");
	}
	*err = unkept;
	return unkept.code ? -1 : session.code;
}
