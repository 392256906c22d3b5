/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/world/world.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/lock.h"
#include "base/memory.h"
#include "sandbox/world/subordinate.h"

enum { ATTEMPTS = 100, HELD = 3 };

/* Returns the path of something of the world, or of its folder; the caller frees it. */
static char *
world_path(const char *below)
{
	char *state = location_state(), *path = memory_printf("%s/sandbox-world%s%s", state, *below ? "/" : "", below);

	free(state);
	return path;
}

/* Locks the file "use". Returns its descriptor. */
static int
world_lock(int how, struct error *err)
{
	char *folder = world_path(""), *path = world_path("use");
	int fd = -1;

	for (int attempt = 0; attempt < ATTEMPTS && fd < 0; attempt++) {
		if (file_make_dirs(AT_FDCWD, folder, 0700, err) < 0)
			break;
		fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		if (fd < 0 && errno == ENOENT)
			continue; /* it was ended meanwhile */
		if (fd < 0 || lock_wait(fd, how) < 0) {
			error_errno(err, EX_CANTCREAT, "%s", path);
			break;
		}
		if (lock_is_current(fd, path))
			break;
		close(fd);
		fd = -1;
		error_set(err, EX_TEMPFAIL, "%s: is made and removed again all the time", path);
	}
	free(path);
	free(folder);
	return fd;
}

pid_t
world_holder(void)
{
	char *path = world_path("held"), text[16] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	pid_t pid = 0;

	if (fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK && read(fd, text, sizeof text - 1) > 0)
		pid = (pid_t)strtol(text, NULL, 10);
	if (fd >= 0)
		close(fd);
	free(path);
	return pid;
}

/* Brings the loopback up: what the world sends to its own addresses takes that way. */
static void
world_bring_up(void)
{
	struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd >= 0) {
		ioctl(fd, SIOCSIFFLAGS, &request);
		close(fd);
	}
}

/* Runs in the process that holds the world; held is its lock, ready the end of a pipe that tells that the namespaces are there. */
static _Noreturn void
world_hold(int held, int ready)
{
	int null = open("/dev/null", O_RDWR);
	char byte = 'r';

	setsid();
	for (int s = 1; s < NSIG; s++)
		signal(s, SIG_DFL);
	prctl(PR_SET_NAME, "coopr-world");
	if (chdir("/") < 0 || unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0)
		_exit(1);
	world_bring_up();
	/* It has new privileges, and so is nobody's to look at: but the user shall enter. */
	prctl(PR_SET_DUMPABLE, 1);
	if (write(ready, &byte, 1) != 1 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0 || dup2(held, HELD) < 0)
		_exit(1);
	syscall(SYS_close_range, HELD + 1, ~0U, 0);
	for (;;)
		pause();
}

static int
world_tell(int held, pid_t pid, struct error *err)
{
	char text[16];
	int length = snprintf(text, sizeof text, "%d\n", (int)pid);

	if (ftruncate(held, 0) < 0 || pwrite(held, text, (size_t)length, 0) != length)
		return error_errno(err, EX_CANTCREAT, "sandbox-world/held");
	return 0;
}

/* Waits for the namespaces of the process, and gives them their ids. */
static int
world_complete(int held, int ready, pid_t pid, struct error *err)
{
	char byte;

	if (read(ready, &byte, 1) != 1)
		return error_set(err, EX_NOPERM, "the kernel gives users who are not root no namespaces "
		    "(sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns)");
	return subordinate_map(pid, err) < 0 ? -1 : world_tell(held, pid, err);
}

static int
world_make(struct error *err)
{
	char *path = world_path("held");
	int held = file_open(AT_FDCWD, path, O_RDWR | O_CREAT, 0600, err), ready[2] = {-1, -1}, result = -1;
	pid_t pid = -1;

	free(path);
	if (held >= 0 && (flock(held, LOCK_EX) < 0 || pipe2(ready, O_CLOEXEC) < 0 || (pid = fork()) < 0))
		error_errno(err, EX_OSERR, "sandbox-world");
	if (pid == 0)
		world_hold(held, ready[1]);
	if (ready[1] >= 0)
		close(ready[1]);
	if (pid > 0 && (result = world_complete(held, ready[0], pid, err)) < 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	if (ready[0] >= 0)
		close(ready[0]);
	if (held >= 0)
		close(held); /* the holder keeps the lock */
	return result;
}

/* Makes the world if there is none. */
static int
world_need(struct error *err)
{
	int use = world_lock(LOCK_EX, err), result;

	if (use < 0)
		return -1;
	result = world_holder() ? 0 : world_make(err);
	close(use);
	return result;
}

static int
world_join(pid_t pid, const char *name, int type)
{
	char *path = memory_printf("/proc/%d/ns/%s", (int)pid, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC), result = fd < 0 ? -1 : setns(fd, type);

	if (fd >= 0)
		close(fd);
	free(path);
	return result;
}

int
world_enter(struct error *err)
{
	char *state = location_state();
	pid_t pid = 0;
	int use = -1;

	setenv("COOPR_STATE", state, 1); /* root's would be another */
	free(state);
	for (int attempt = 0; attempt < ATTEMPTS && !pid; attempt++) {
		use = world_lock(LOCK_SH, err);
		if (use < 0)
			return -1;
		pid = world_holder();
		if (pid)
			break;
		close(use);
		if (world_need(err) < 0)
			return -1;
	}
	if (pid && world_join(pid, "user", CLONE_NEWUSER) == 0 && world_join(pid, "net", CLONE_NEWNET) == 0 &&
	    setgroups(0, NULL) == 0 && prctl(PR_SET_DUMPABLE, 1) == 0)
		return use;
	close(use);
	return error_errno(err, EX_OSERR, "sandbox-world: cannot be entered");
}

void
world_end(int use)
{
	char *names[] = {world_path("held"), world_path("use"), world_path("")};
	pid_t pid;

	if (flock(use, LOCK_EX | LOCK_NB) == 0 && (pid = world_holder()) != 0) {
		kill(pid, SIGKILL);
		unlink(names[0]);
		unlink(names[1]);
		rmdir(names[2]);
	}
	close(use);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		free(names[i]);
}
