/* SPDX-License-Identifier: Apache-2.0 */
#include "event/pty.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "event/supervise.h"

static void
pty_set_size(int fd, unsigned columns, unsigned lines)
{
	struct winsize size = {.ws_col = (unsigned short)columns, .ws_row = (unsigned short)lines};

	ioctl(fd, TIOCSWINSZ, &size);
}

int
pty_open(const struct child_terminal *terminal, int *ours)
{
	int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK), theirs;
	struct termios modes;

	*ours = fd;
	if (fd < 0 || unlockpt(fd) < 0)
		return -1;
	theirs = ioctl(fd, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (theirs < 0 || tcgetattr(theirs, &modes) < 0)
		return theirs;
	pty_set_size(fd, terminal->columns, terminal->lines);
	if (terminal->whole)
		return theirs;
	/* EXTPROC: the flags for echo and lines are the child's to set, and somebody else's to follow. */
	modes.c_lflag |= EXTPROC;
	modes.c_oflag &= ~(tcflag_t)OPOST;
	modes.c_iflag &= ~(tcflag_t)(ICRNL | IXON);
	tcsetattr(theirs, TCSANOW, &modes);
	return theirs;
}

static int
pty_end(const struct child *child)
{
	return child->terminal.out ? child->out_end.fd : child->terminal.err ? child->err_end.fd : -1;
}

bool
pty_echoes(const struct child *child)
{
	struct termios modes;

	return pty_end(child) < 0 || tcgetattr(pty_end(child), &modes) < 0 || (modes.c_lflag & ECHO);
}

void
pty_resize(const struct child *child, unsigned columns, unsigned lines)
{
	if (pty_end(child) >= 0)
		pty_set_size(pty_end(child), columns, lines);
}
