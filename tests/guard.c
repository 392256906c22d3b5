/* SPDX-License-Identifier: Apache-2.0
 *
 * guard [-t SECONDS] DIR COMMAND [ARGUMENT]...
 *
 * Runs a test program so that nothing of it can stay behind, however it ends. The guard is the
 * subreaper of all that COMMAND starts: a daemon that leaves its session becomes our child. When COMMAND
 * has ended, or the guard is interrupted, or its parent dies, or the time is up, what still runs is killed,
 * what is mounted below DIR is unmounted, and each such thing is a line on stdout:
 *
 *	left behind: process 4711 (sshd)
 *
 * As root, COMMAND gets a network namespace of its own, so that tests that make bridges can run at the same
 * time; a link that is left there is reported too, and goes with the namespace. Elsewhere links are others' too.
 *
 * Exit code: that of COMMAND, 128 + signal where one ended it or us; 124 when the time was up.
 * What COMMAND prints goes to stdout as well, so it belongs in a file.
 */
#include <fcntl.h>
#include <linux/close_range.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/option.h"
#include "base/process.h"

enum {
	GRACE_MS = 2000, /* for what is about to end when its test does */
	EXIT_TIME_UP = 124,
};

static long limit_s;
static const struct option_spec options[] = {
	OPTION_NUMBER('t', "time", &limit_s, "SECONDS", "kill COMMAND after so many seconds"),
	OPTION_END
};
static const struct command command = {
	"guard", "COMMAND: [-t SECONDS] DIR COMMAND [ARGUMENT]...",
	"run a test program and leave nothing of it behind", options, NULL};

/* The guard's mask: these are waited for, never handled. */
static sigset_t
watched_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	return set;
}

static void
raise_loopback(void)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq request = {.ifr_name = "lo"};

	if (fd < 0)
		return;
	if (ioctl(fd, SIOCGIFFLAGS, &request) == 0) {
		request.ifr_flags |= IFF_UP;
		ioctl(fd, SIOCSIFFLAGS, &request);
	}
	close(fd);
}

/* The names of all links as "/lo/eth0/"; the caller frees it. */
static char *
link_names(void)
{
	struct if_nameindex *links = if_nameindex();
	struct buffer names = {0};

	buffer_byte(&names, '/');
	for (size_t i = 0; links && links[i].if_index; i++)
		buffer_printf(&names, "%s/", links[i].if_name);
	if_freenameindex(links);
	return buffer_take(&names);
}

static void
report_new_links(const char *before)
{
	char *now = link_names(), *state = NULL;

	for (char *name = strtok_r(now, "/", &state); name; name = strtok_r(NULL, "/", &state)) {
		char *framed = memory_printf("/%s/", name);

		if (!strstr(before, framed))
			printf("left behind: link %s\n", name);
		free(framed);
	}
	free(now);
}

/* Our children, as the kernel lists them: "12 34 ". */
static void
read_children(struct buffer *out)
{
	char *path = memory_printf("/proc/self/task/%d/children", (int)getpid());
	struct error err;

	buffer_clear(out);
	if (file_read(AT_FDCWD, path, 1 << 20, out, &err) < 0)
		exit(message_error(&err));
	free(path);
}

static void
report_process(long pid)
{
	char *path = memory_printf("/proc/%ld/comm", pid);
	struct buffer name = {0};
	struct error err;

	if (file_read(AT_FDCWD, path, 4096, &name, &err) == 0)
		printf("left behind: process %ld (%.*s)\n", pid, (int)strcspn(name.data, "\n"), name.data);
	buffer_release(&name);
	free(path);
}

/* Kills what is left, generation by generation: the children of a killed process become ours. */
static void
kill_children(bool report)
{
	struct buffer children = {0};

	for (;;) {
		while (waitpid(-1, NULL, WNOHANG) > 0)
			continue;
		read_children(&children);
		if (!children.length)
			break;
		for (char *next = children.data; *next && *next != '\n';) {
			long pid = strtol(next, &next, 10);

			if (report && pid > 0)
				report_process(pid);
			if (pid > 0)
				kill((pid_t)pid, SIGKILL);
			next += strspn(next, " ");
		}
		waitpid(-1, NULL, 0);
	}
	buffer_release(&children);
}

/* Gives what is about to end the time to do so. */
static void
let_children_end(void)
{
	int64_t until = clock_monotonic_ms() + GRACE_MS;
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	for (;;) {
		int64_t left = until - clock_monotonic_ms();
		struct timespec wait = {left / 1000, left % 1000 * 1000000};
		pid_t pid;

		while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
			continue;
		if (pid < 0 || left <= 0)
			return;
		sigtimedwait(&child, NULL, &wait);
	}
}

/* The mount points below dir, oldest first. */
static struct arguments
mounts_below(const char *dir)
{
	FILE *table = fopen("/proc/self/mounts", "re");
	struct arguments found = {0};
	char point[4096];

	while (table && fscanf(table, "%*s %4095s %*[^\n]", point) == 1)
		if (strncmp(point, dir, strlen(dir)) == 0 && point[strlen(dir)] == '/')
			arguments_push(&found, point);
	if (table)
		fclose(table);
	return found;
}

static void
unmount_below(const char *dir)
{
	struct arguments mounts = mounts_below(dir);

	for (size_t i = mounts.count; i > 0; i--) {
		printf("left behind: mount %s\n", mounts.list[i - 1]);
		umount2(mounts.list[i - 1], MNT_DETACH | UMOUNT_NOFOLLOW);
	}
	arguments_release(&mounts);
}

/* Waits for the command: true and its exit code, or false and why it is to be killed. */
static bool
wait_for(pid_t pid, int *code)
{
	const sigset_t watched = watched_signals();
	int64_t until = clock_monotonic_ms() + limit_s * 1000;

	for (;;) {
		int64_t left = limit_s ? until - clock_monotonic_ms() : INT32_MAX;
		struct timespec wait = {left / 1000, left % 1000 * 1000000};
		int status, signal = left > 0 ? sigtimedwait(&watched, NULL, &wait) : -1;
		pid_t ended;

		if (signal > 0 && signal != SIGCHLD) {
			*code = 128 + signal;
			return false;
		}
		while ((ended = waitpid(-1, &status, WNOHANG)) > 0)
			if (ended == pid) {
				*code = process_exit_code(status);
				return true;
			}
		if (left <= 0) {
			*code = EXIT_TIME_UP;
			return false;
		}
	}
}

/* Returns whether the network is ours alone. */
static bool
become_guard(void)
{
	const sigset_t watched = watched_signals();
	pid_t parent = getppid();

	close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
	sigprocmask(SIG_BLOCK, &watched, NULL);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		exit(EX_TEMPFAIL);
	if (geteuid() != 0 || unshare(CLONE_NEWNET) < 0)
		return false;
	raise_loopback();
	return true;
}

int
main(int argc, char **argv)
{
	struct process child = {.in = PROCESS_NULL, .out = PROCESS_INHERIT, .err = STDOUT_FILENO,
	    .group = true, .die_with_us = true};
	struct error err;
	char *links;
	bool ended;
	int code;

	argv += option_parse(&command, argc, argv);
	if (!argv[0] || !argv[1])
		return option_misuse(&command, "expected DIR and COMMAND");
	links = become_guard() ? link_names() : NULL;

	child.argv = argv + 1;
	if (process_start(&child, &err) < 0)
		return message_error(&err);
	ended = wait_for(child.pid, &code);

	if (ended)
		let_children_end();
	kill_children(ended);
	unmount_below(argv[0]);
	if (links)
		report_new_links(links);
	free(links);
	return message_end(code);
}
