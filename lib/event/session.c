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

/* Kills all other processes of the session, and waits for the end of each until then. Returns whether there were any; zombies do
 * not count. */
static bool
session_end_members(pid_t leader, int64_t until)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	bool any = false;

	while (proc && (entry = readdir(proc))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
		struct pollfd end = {.events = POLLIN};
		int64_t left;

		if (pid <= 0 || pid == leader || getsid(pid) != leader)
			continue;
		any = true;
		/* What the descriptor stands for does not change: the session is asked again, now surely of the process that it is. */
		end.fd = (int)syscall(SYS_pidfd_open, pid, 0);
		if (end.fd < 0)
			continue;
		left = until - clock_monotonic_ms();
		if (getsid(pid) == leader && syscall(SYS_pidfd_send_signal, end.fd, SIGKILL, NULL, 0) == 0)
			poll(&end, 1, left > 0 ? (int)left : 0);
		close(end.fd);
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
