/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/start.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/location.h"
#include "base/lock.h"
#include "sandbox/ids.h"
#include "sandbox/limits.h"
#include "sandbox/network.h"
#include "sandbox/record.h"
#include "sandbox/root.h"
#include "sandbox/state.h"

enum {
	STACK_SIZE = 64 * 1024,
	FIRST_FREE = 16, /* descriptors from here on are none of sandbox-init's */
	/* These remain the host's, so that the machine's root has no say in them: nobody in it ever mounts anything. */
	NAMESPACES = CLONE_NEWNS | CLONE_NEWPID,
	NAMESPACES_UNCONFINED = NAMESPACES | CLONE_NEWUTS | CLONE_NEWNET | CLONE_NEWIPC,
};

struct launch {
	char *program, *folder; /* paths: a descriptor of ours would lead to the host's mounts, not to the child's */
	int null, life, console;
	int orders[2], report[2]; /* pipes: read end, write end */
	struct spaces spaces;     /* none: the machine is unconfined */
};

/* Gives the child the descriptors that sandbox-init expects, and no other. They are moved out of the way first, as each
 * may have any number. */
static int
start_arrange_descriptors(const struct launch *launch)
{
	int sources[] = {launch->null, launch->console, launch->console, launch->life, launch->orders[0],
	    launch->report[1], launch->spaces.user >= 0 ? launch->spaces.user : launch->null};
	int count = sizeof sources / sizeof *sources;

	for (int i = 0; i < count; i++)
		if ((sources[i] = fcntl(sources[i], F_DUPFD_CLOEXEC, FIRST_FREE)) < 0)
			return -1;
	for (int i = 0; i < count; i++)
		if (dup2(sources[i], i) < 0)
			return -1;
	return (int)syscall(SYS_close_range, count, ~0U, 0);
}

/* Runs in the child, the first of its process tree, in a session of its own. It never returns. */
static int
start_become_init(void *argument)
{
	const struct launch *launch = argument;
	char *argv[] = {(char[]){"init"}, NULL}, *environment[] = {(char[]){"container=coopr"}, NULL};
	struct report report = {.error = {0}};
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setsid();
	umask(022);
	for (int s = 1; s < NSIG; s++)
		signal(s, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if ((launch->spaces.user >= 0 && spaces_enter(&launch->spaces) < 0) || chdir(launch->folder) < 0 || start_arrange_descriptors(launch) < 0)
		_exit(EX_OSERR);
	execve(launch->program, argv, environment);
	error_errno(&report.error, EX_UNAVAILABLE, "%s: cannot be run", launch->program);
	if (write(START_REPORT, &report, sizeof report) < 0)
		_exit(EX_OSERR);
	_exit(EX_UNAVAILABLE);
}

static void
start_shut(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void
start_close_theirs(struct launch *launch)
{
	start_shut(&launch->null);
	start_shut(&launch->life);
	start_shut(&launch->console);
	start_shut(&launch->orders[0]);
	start_shut(&launch->report[1]);
}

static void
start_close_launch(struct launch *launch)
{
	start_close_theirs(launch);
	start_shut(&launch->orders[1]);
	start_shut(&launch->report[0]);
	spaces_close(&launch->spaces);
	free(launch->folder);
	free(launch->program);
}

static int
start_open_launch(int dir, const struct machine *machine, struct launch *launch, struct error *err)
{
	*launch = (struct launch){.folder = state_machine_path(machine->name), .orders = {-1, -1}, .report = {-1, -1},
	    .spaces = {-1, -1, -1, -1, -1, -1}};
	launch->program = location_installed("libexec/coopr/sandbox-init");
	launch->null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	launch->life = openat(dir, "life", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	launch->console = openat(dir, "console", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (launch->null < 0 || launch->life < 0 || launch->console < 0 || pipe2(launch->orders, O_CLOEXEC) < 0 ||
	    pipe2(launch->report, O_CLOEXEC) < 0 || flock(launch->life, LOCK_EX) < 0) {
		error_errno(err, EX_CANTCREAT, "the machine's folder");
		start_close_launch(launch);
		return -1;
	}
	if (machine->ids && spaces_open((uint32_t)strtoul(machine->ids, NULL, 10), &launch->spaces, err) < 0) {
		start_close_launch(launch);
		return -1;
	}
	return 0;
}

static int
start_order(const struct launch *launch, char what, struct error *err)
{
	if (write(launch->orders[1], &what, 1) == 1)
		return 0;
	return error_errno(err, EX_OSERR, "sandbox-init: takes no orders");
}

static int
start_read_report(const struct launch *launch, char notice[256], struct error *err)
{
	struct report report;
	ssize_t n;

	do
		n = read(launch->report[0], &report, sizeof report);
	while (n < 0 && errno == EINTR);
	if (n != sizeof report)
		return error_set(err, EX_OSERR, "sandbox-init: ended; the file \"console\" may tell why");
	memcpy(notice, report.notice, sizeof report.notice);
	if (report.error.code == 0)
		return 0;
	*err = report.error;
	return -1;
}

/* Gives the child its cable, reads its report, writes its pid to the record and orders it to live on without us. */
static int
start_bring_up(int dir, const struct launch *launch, struct machine *machine, const struct network *network, pid_t pid,
    char notice[256], struct error *err)
{
	struct pollfd report = {.fd = launch->report[0], .events = POLLIN};
	const pid_t connected = launch->spaces.user >= 0 ? launch->spaces.holder : pid; /* is in the machine's network */
	char answer;

	/* If the child wrote something or died before it was asked, what it wrote is the reason. */
	if ((network_connect(network, machine, connected, err) < 0 || start_order(launch, ORDER_CONNECTED, err) < 0) &&
	    poll(&report, 1, 0) <= 0)
		return -1;
	if (start_read_report(launch, notice, err) < 0)
		return -1;
	machine->pid = arena_printf(&machine->arena, "%d", (int)pid);
	if (machine_write(dir, machine, err) < 0 || start_order(launch, ORDER_LIVE, err) < 0)
		return -1;
	/* The init must have stopped dying with us before we may go. */
	if (read(launch->report[0], &answer, 1) != 1 || answer != ORDER_LIVE)
		return error_set(err, EX_OSERR, "sandbox-init: ended as it was to start");
	return 0;
}

/* Limits the child before it does anything, and brings it up. */
static int
start_limited(int dir, const struct launch *launch, struct machine *machine, const struct network *network, pid_t pid,
    char notice[256], struct error *err)
{
	struct buffer missing = {0};
	int result;

	limits_put(machine, pid, &missing);
	result = start_bring_up(dir, launch, machine, network, pid, notice, err);
	if (result == 0 && missing.length)
		root_tell(notice, "this host limits no %s of machines", missing.data);
	buffer_release(&missing);
	return result;
}

int
start_machine(int dir, struct machine *machine, const struct network *network, char notice[256],
    struct error *err)
{
	_Alignas(16) static char stack[STACK_SIZE];
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
	struct launch launch;
	int result = -1;
	pid_t pid;

	*notice = '\0';
	if (start_open_launch(dir, machine, &launch, err) < 0)
		return -1;
	sigaction(SIGPIPE, &ignore, &before);
	/* The lock of "life" goes over to the child: it belongs to the open file that both have, until we close ours. */
	pid = clone(start_become_init, stack + STACK_SIZE, (machine->ids ? NAMESPACES : NAMESPACES_UNCONFINED) | SIGCHLD, &launch);
	if (pid < 0)
		error_errno(err, errno == EPERM ? EX_NOPERM : EX_OSERR, "namespaces: cannot be made");
	start_close_theirs(&launch);
	if (pid > 0)
		result = start_limited(dir, &launch, machine, network, pid, notice, err);
	if (pid > 0 && result < 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	sigaction(SIGPIPE, &before, NULL);
	start_close_launch(&launch);
	return result;
}

/* Kills as the user of the machine's root: in a world (world/world.h) that is no more, nobody else may. */
static int
start_kill_as(int fd, const char *ids)
{
	uid_t uid = ids ? (uid_t)strtoul(ids, NULL, 10) : 0;
	pid_t child = uid ? fork() : -1;
	int status = -1;

	if (child == 0)
		_exit(setresuid(uid, uid, uid) < 0 || syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0) < 0);
	if (child > 0)
		waitpid(child, &status, 0);
	return status == 0 ? 0 : -1;
}

/* Kills the process and waits for its end. For the first process of a tree, that is the end of the tree. */
static int
start_kill_tree(pid_t pid, const char *ids, struct error *err)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd end = {.fd = fd, .events = POLLIN};

	if (fd < 0 && errno == ESRCH)
		return 0;
	if (fd < 0 || (syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0) < 0 && start_kill_as(fd, ids) < 0)) {
		error_errno(err, EX_OSERR, "process %d: cannot be killed", (int)pid);
		start_shut(&fd);
		return -1;
	}
	while (poll(&end, 1, -1) < 0 && errno == EINTR)
		continue;
	close(fd);
	return 0;
}

int
start_end(int dir, struct error *err)
{
	int life = openat(dir, "life", O_RDONLY | O_CLOEXEC), result = 0;
	struct machine machine = {.name = NULL};

	if (life < 0)
		return errno == ENOENT ? 0 : error_errno(err, EX_IOERR, "life");
	if (flock(life, LOCK_EX | LOCK_NB) < 0) {
		/* A pid in the record is of the process that holds the lock, so while that is held it is nobody else's. Without one,
		 * the init's plugin died before LIVE, and so does the init. */
		if (machine_read(dir, &machine, err) == 0 && machine.pid)
			result = start_kill_tree((pid_t)strtol(machine.pid, NULL, 10), machine.ids, err);
		machine_release(&machine);
		if (result == 0 && lock_wait(life, LOCK_EX) < 0)
			result = error_errno(err, EX_OSERR, "life: cannot be locked");
	}
	close(life);
	return result;
}

bool
start_is_alive(int dir)
{
	int life = openat(dir, "life", O_RDONLY | O_CLOEXEC);
	bool alive = life >= 0 && flock(life, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;

	if (life >= 0)
		close(life);
	return alive;
}
