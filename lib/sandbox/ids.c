/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/ids.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/keyctl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"

enum { RANGES = 4094, FILE_LIMIT = 1024 * 1024, LINK_SIZE = 512, STACK_SIZE = 16 * 1024 };

/* Reads where the installation's ranges begin and how many there are. */
static void
ids_read_bounds(uint32_t *first, uint32_t *count)
{
	static const char user[] = "coopr:";
	struct buffer text = {0};
	struct error ignored;
	unsigned start, length;

	*first = IDS_FIRST;
	*count = RANGES;
	if (file_read(AT_FDCWD, "/etc/subuid", FILE_LIMIT, &text, &ignored) < 0)
		buffer_clear(&text);
	for (const char *line = buffer_string(&text); *line; line += strcspn(line, "\n"), line += *line == '\n')
		if (strncmp(line, user, strlen(user)) == 0 && sscanf(line + strlen(user), "%9u:%9u", &start, &length) == 2 &&
		    start >= IDS_COUNT && length >= IDS_COUNT) {
			*first = start;
			*count = length / IDS_COUNT;
		}
	buffer_release(&text);
}

/* Returns whether the link at path in sandbox is the machine's. */
static bool
ids_is_of(int sandbox, const char *path, const char *machine)
{
	char owner[LINK_SIZE];
	ssize_t n = readlinkat(sandbox, path, owner, sizeof owner);

	return n == (ssize_t)strlen(machine) && memcmp(owner, machine, (size_t)n) == 0;
}

int
ids_claim(int sandbox, const char *machine, uint32_t *first, struct error *err)
{
	uint32_t start, count, i;
	bool done = false;

	if (mkdirat(sandbox, "ids", 0700) < 0 && errno != EEXIST)
		return error_errno(err, EX_CANTCREAT, "ids");
	ids_read_bounds(&start, &count);
	for (i = 0; i < count && !done; i++) {
		char path[sizeof "ids/4294967295"];

		snprintf(path, sizeof path, "ids/%u", i);
		done = symlinkat(machine, sandbox, path) == 0 || (errno == EEXIST && ids_is_of(sandbox, path, machine));
		if (!done && errno != EEXIST)
			return error_errno(err, EX_CANTCREAT, "%s", path);
	}
	if (!done)
		return error_set(err, EX_UNAVAILABLE, "all ranges of user ids (%u) are taken; delete machines, or give the user "
		    "\"coopr\" more in /etc/subuid", count);
	*first = start + (i - 1) * IDS_COUNT;
	return 0;
}

void
ids_release(int sandbox, const char *machine)
{
	int fd = openat(sandbox, "ids", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *claims = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	while (claims && (entry = readdir(claims)))
		if (ids_is_of(fd, entry->d_name, machine))
			unlinkat(fd, entry->d_name, 0);
	if (claims)
		closedir(claims);
}

struct holder {
	int wait, other; /* a pipe's ends */
};

/* Runs in the process that holds the namespaces: until the pipe is closed, as it is when its maker is killed. */
static int
spaces_hold(void *argument)
{
	const struct holder *holder = argument;
	char byte;

	close(holder->other);
	while (read(holder->wait, &byte, 1) < 0 && errno == EINTR)
		continue;
	_exit(0);
}

static int
spaces_write_map(pid_t pid, const char *file, uint32_t first)
{
	char *path = memory_printf("/proc/%d/%s", (int)pid, file), *text = memory_printf("0 %u %d\n", first, IDS_COUNT);
	int fd = open(path, O_WRONLY | O_CLOEXEC), result = -1;

	if (fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text))
		result = 0;
	if (fd >= 0)
		close(fd);
	free(text);
	free(path);
	return result;
}

static int
spaces_open_one(pid_t pid, const char *name)
{
	char *path = memory_printf("/proc/%d/ns/%s", (int)pid, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	free(path);
	return fd;
}

int
spaces_open(uint32_t first, struct spaces *spaces, struct error *err)
{
	_Alignas(16) static char stack[STACK_SIZE];
	int ends[2] = {-1, -1};
	struct holder holder;

	*spaces = (struct spaces){-1, -1, -1, -1, -1, -1};
	if (pipe2(ends, O_CLOEXEC) < 0)
		return error_errno(err, EX_OSERR, "namespaces");
	holder = (struct holder){ends[0], ends[1]};
	spaces->end = ends[1];
	spaces->holder = clone(spaces_hold, stack + STACK_SIZE,
	    CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | SIGCHLD, &holder);
	close(ends[0]);
	if (spaces->holder > 0 && spaces_write_map(spaces->holder, "uid_map", first) == 0 &&
	    spaces_write_map(spaces->holder, "gid_map", first) == 0 &&
	    (spaces->user = spaces_open_one(spaces->holder, "user")) >= 0 &&
	    (spaces->net = spaces_open_one(spaces->holder, "net")) >= 0 &&
	    (spaces->ipc = spaces_open_one(spaces->holder, "ipc")) >= 0 &&
	    (spaces->uts = spaces_open_one(spaces->holder, "uts")) >= 0)
		return 0;
	error_errno(err, errno == EPERM ? EX_NOPERM : EX_OSERR, "user namespace: cannot be made");
	spaces_close(spaces);
	return -1;
}

int
spaces_enter(const struct spaces *spaces)
{
	return setns(spaces->net, CLONE_NEWNET) < 0 || setns(spaces->ipc, CLONE_NEWIPC) < 0 ||
	    setns(spaces->uts, CLONE_NEWUTS) < 0 ? -1 : 0;
}

void
spaces_close(struct spaces *spaces)
{
	int fds[] = {spaces->user, spaces->net, spaces->ipc, spaces->uts, spaces->end};

	for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	if (spaces->holder > 0)
		waitpid(spaces->holder, NULL, 0);
	*spaces = (struct spaces){-1, -1, -1, -1, -1, -1};
}

int
ids_become_root(int user, struct error *err)
{
	/* A kernel without keyrings has none to inherit. */
	if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL, 0, 0, 0) < 0 && errno != ENOSYS)
		return error_errno(err, EX_OSERR, "keyring: no new one");
	if (setns(user, CLONE_NEWUSER) < 0 || setgroups(0, NULL) < 0 || setresgid(0, 0, 0) < 0 || setresuid(0, 0, 0) < 0)
		return error_errno(err, EX_OSERR, "user namespace: cannot be entered");
	close(user);
	return 0;
}
