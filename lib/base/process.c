/* SPDX-License-Identifier: Apache-2.0 */
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"

enum { PATH_BYTES = 256 };

static void
process_push_owned(struct arguments *arguments, char *text)
{
	if (arguments->count + 2 > arguments->capacity) {
		arguments->capacity = 2 * (arguments->count + 2);
		arguments->list = memory_resize(arguments->list, arguments->capacity, sizeof(char *));
	}
	arguments->list[arguments->count++] = text;
	arguments->list[arguments->count] = NULL;
}

void
arguments_push(struct arguments *arguments, const char *text)
{
	process_push_owned(arguments, memory_string(text));
}

void
arguments_push_all(struct arguments *arguments, ...)
{
	const char *text;
	va_list ap;

	va_start(ap, arguments);
	while ((text = va_arg(ap, const char *)))
		arguments_push(arguments, text);
	va_end(ap);
}

void
arguments_printf(struct arguments *arguments, const char *format, ...)
{
	char *text;
	va_list ap;

	va_start(ap, format);
	text = memory_vprintf(format, ap);
	va_end(ap);
	process_push_owned(arguments, text);
}

void
arguments_release(struct arguments *arguments)
{
	for (size_t i = 0; i < arguments->count; i++)
		free(arguments->list[i]);
	free(arguments->list);
	*arguments = (struct arguments){0};
}

/* Returns a copy of the descriptor that is to be a stream of the child (PROCESS_INHERIT: own), above 2 so that no dup2 below can
 * hit it. */
static int
process_source_of(int stream, int own)
{
	int fd = stream == PROCESS_NULL ? open("/dev/null", O_RDWR | O_CLOEXEC) : stream == PROCESS_INHERIT ? own : stream;

	return fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

static int
process_redirect(const struct process *process)
{
	int in = process_source_of(process->in, 0), out = process_source_of(process->out, 1),
	    err = process_source_of(process->err, 2);

	if ((in < 0 && process->in != PROCESS_INHERIT) || (out < 0 && process->out != PROCESS_INHERIT) ||
	    (err < 0 && process->err != PROCESS_INHERIT))
		return -1;
	if ((in >= 0 && dup2(in, 0) < 0) || (out >= 0 && dup2(out, 1) < 0) || (err >= 0 && dup2(err, 2) < 0))
		return -1;
	return 0;
}

/* Puts the confinement in force. Returns -1 if that fails, although the kernel has it: the program is not run then. */
static int
process_confine(const struct confinement *confinement)
{
	if (!confinement)
		return 0;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	if (confinement->domain >= 0 && syscall(SYS_landlock_restrict_self, confinement->domain, 0) < 0)
		return -1;
	/* A kernel without such filters says EINVAL. */
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, confinement->calls) < 0 && errno != EINVAL ? -1 : 0;
}

/* Becomes the program, or returns with errno. What administrators run is found also where PATH does not name its folder, as that of
 * cron(8) does not. */
static void
process_execute(const struct process *process)
{
	static const char *const further[] = {"/usr/sbin", "/sbin"};
	char *const *environment = process->environment ? process->environment : environ;
	char path[PATH_BYTES];

	execvpe(process->argv[0], process->argv, environment);
	for (size_t i = 0; errno == ENOENT && !strchr(process->argv[0], '/') && i < sizeof further / sizeof *further; i++)
		if (snprintf(path, sizeof path, "%s/%s", further[i], process->argv[0]) < (int)sizeof path)
			execve(path, process->argv, environment);
}

/* Makes the terminal among the streams that of the session. */
static void
process_control(const struct process *process)
{
	for (int stream = 0; process->controls && stream <= 2; stream++)
		if (ioctl(stream, TIOCSCTTY, 0) == 0)
			return;
}

/* Becomes the program, in the child, which has our memory until then; never returns. Leaves errno in *reason on failure. */
static void
process_become(const struct process *process, pid_t parent, volatile int *reason)
{
	struct sigaction action = {.sa_handler = SIG_DFL};
	sigset_t none;

	/* Ask first, then look: a parent that died before the prctl would go unnoticed. */
	if (process->die_with_us && (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent))
		_exit(EX_OSERR);
	if (process->session)
		setsid();
	else if (process->group)
		setpgid(0, 0);
	if (process_redirect(process) == 0 && (!process->folder || chdir(process->folder) == 0)) {
		process_control(process);
		for (int s = 1; s < NSIG; s++)
			sigaction(s, &action, NULL);
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		if (process_confine(process->confinement) == 0)
			process_execute(process);
	}
	*reason = errno;
	_exit(EX_UNAVAILABLE);
}

/* Starts the child with vfork: copying the tables of a large process would cost more than all else, and we wait for the exec in
 * any case. No signal of ours may be handled in the child. */
int
process_start(struct process *process, struct error *err)
{
	volatile int reason = 0;
	pid_t parent = getpid(), pid;
	sigset_t all, before;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	pid = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork) */
	if (pid == 0)
		process_become(process, parent, &reason); /* NOLINT(clang-analyzer-unix.Vfork): it changes nothing of ours but that */
	sigprocmask(SIG_SETMASK, &before, NULL);
	process->pid = pid;
	if (process->pid < 0)
		return error_errno(err, EX_OSERR, "%s: fork", process->argv[0]);
	if (reason == 0)
		return 0;
	waitpid(process->pid, NULL, 0);
	errno = reason;
	return error_errno(err, reason == ENOENT || reason == EACCES ? EX_UNAVAILABLE : EX_OSERR,
	    "%s: cannot be run", process->argv[0]);
}

char *
process_user(uid_t uid)
{
	const struct passwd *user = getpwuid(uid);

	return user ? memory_string(user->pw_name) : memory_printf("uid %u", (unsigned)uid);
}

int
process_exit_code(int wait_status)
{
	return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

char *
process_end_text(int code)
{
	return code > 128 ? memory_printf("was killed by signal %d", code - 128) : memory_printf("ended with exit code %d", code);
}

int
process_wait(struct process *process, struct error *err)
{
	int status;

	while (waitpid(process->pid, &status, 0) < 0)
		if (errno != EINTR)
			return error_errno(err, EX_OSERR, "%s: wait", process->argv[0]);
	return process_exit_code(status);
}

/* One end for each stream that process_run serves; fd is -1 once it is done. */
struct exchange {
	int in, out, log;
	const char *input;
	size_t length;
	struct buffer *out_buffer, *log_buffer;
	size_t limit;
};

static void
process_shut(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void
process_feed(struct exchange *x)
{
	ssize_t n = write(x->in, x->input, x->length);

	if (n > 0) {
		x->input += n;
		x->length -= (size_t)n;
	}
	if (x->length == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		process_shut(&x->in);
}

static void
process_drain(int *fd, struct buffer *buffer, size_t limit)
{
	char bytes[16 * 1024];
	ssize_t n = read(*fd, bytes, sizeof bytes);

	if (n > 0 && buffer->length < limit)
		buffer_append(buffer, bytes,
		    (size_t)n < limit - buffer->length ? (size_t)n : limit - buffer->length);
	else if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
		process_shut(fd);
}

/* Serves the streams of the process until they are at their end; once it has ended, until nothing is in them, or enough was read: what it
 * has left behind may have them, too. */
static void
process_converse(struct exchange *x, pid_t pid)
{
	int exit = (int)syscall(SYS_pidfd_open, pid, 0);

	while (x->in >= 0 || x->out >= 0 || x->log >= 0) {
		struct pollfd fds[4] = {
			{.fd = x->in, .events = POLLOUT},
			{.fd = x->out, .events = POLLIN},
			{.fd = x->log, .events = POLLIN},
			{.fd = exit, .events = POLLIN},
		};

		if (poll(fds, 4, -1) < 0)
			continue;
		if (fds[0].revents)
			process_feed(x);
		if (fds[1].revents)
			process_drain(&x->out, x->out_buffer, x->limit);
		if (fds[2].revents)
			process_drain(&x->log, x->log_buffer, x->limit);
		if (!fds[3].revents)
			continue;
		process_shut(&x->in);
		if (!fds[1].revents || x->out_buffer->length >= x->limit)
			process_shut(&x->out);
		if (!fds[2].revents || x->log_buffer->length >= x->limit)
			process_shut(&x->log);
	}
	process_shut(&exit);
}

static int
process_open_pipe(int ours[static 1], int theirs[static 1], bool we_write)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	*ours = ends[we_write];
	*theirs = ends[!we_write];
	return 0;
}

int
process_run(char *const *argv, const void *input, size_t length, struct buffer *out,
    struct buffer *log, size_t limit, struct error *err)
{
	return process_run_confined(NULL, argv, input, length, out, log, limit, err);
}

int
process_run_confined(const struct confinement *confinement, char *const *argv, const void *input, size_t length,
    struct buffer *out, struct buffer *log, size_t limit, struct error *err)
{
	bool ours = length == PROCESS_OUR_INPUT;
	struct process child = {.argv = argv, .in = ours ? PROCESS_INHERIT : PROCESS_NULL, .out = PROCESS_INHERIT, .err = PROCESS_INHERIT,
	    .confinement = confinement};
	struct exchange x = {-1, -1, -1, input, ours ? 0 : length, out, log, limit};
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
	int result = -1;

	if ((x.length && process_open_pipe(&x.in, &child.in, true) < 0) || (out &&
	    process_open_pipe(&x.out, &child.out, false) < 0) ||
	    (log && process_open_pipe(&x.log, &child.err, false) < 0)) {
		error_errno(err, EX_OSERR, "%s: pipe", argv[0]);
	} else {
		if (x.in >= 0)
			fcntl(x.in, F_SETFL, O_NONBLOCK);
		result = process_start(&child, err);
	}
	for (int i = 0; i < 3; i++)
		process_shut((int *[]){&child.in, &child.out, &child.err}[i]);
	if (result == 0) {
		sigaction(SIGPIPE, &ignore, &before);
		process_converse(&x, child.pid);
		sigaction(SIGPIPE, &before, NULL);
		return process_wait(&child, err);
	}
	process_shut(&x.in);
	process_shut(&x.out);
	process_shut(&x.log);
	return -1;
}
