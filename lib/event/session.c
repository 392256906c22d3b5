/* SPDX-License-Identifier: Apache-2.0 */
#include "event/session.h"

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"

/* Kills the process, which is of the session, and waits for its end until then. The descriptor comes first: what it
 * stands for does not change, so a look at the session behind it is about the same process. */
static void
session_end_member(pid_t pid, pid_t leader, int64_t until)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd end = {.fd = fd, .events = POLLIN};
	int64_t left = until - clock_monotonic_ms();

	if (fd < 0)
		return;
	if (getsid(pid) == leader && syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0) == 0)
		poll(&end, 1, left > 0 ? (int)left : 0);
	close(fd);
}

/* Kills all other processes of the session. Returns whether there were any; zombies do not count. */
static bool
session_end_members(pid_t leader, int64_t until)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	bool any = false;

	while (proc && (entry = readdir(proc))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (pid <= 0 || pid == leader || getsid(pid) != leader)
			continue;
		session_end_member(pid, leader, until);
		any = true;
	}
	if (proc)
		closedir(proc);
	return any;
}

/* Kills again as long as there were any: they may have started others before they were killed. */
void
session_end(pid_t leader)
{
	int64_t until = clock_monotonic_ms() + SESSION_GRACE_MS;

	while (session_end_members(leader, until) && clock_monotonic_ms() < until)
		continue;
}
