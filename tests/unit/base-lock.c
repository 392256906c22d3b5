/* SPDX-License-Identifier: Apache-2.0
 *
 * A lock that another process holds: who goes on is waited for, who is stopped is named; and the caller's own alarms and
 * signal mask are left alone.
 */
#include "base/lock.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "tap.h"

static char *path;
static volatile sig_atomic_t *alarms; /* the children see it, too */

static void
on_alarm(int number)
{
	(void)number;
	++*alarms;
}

/* A child that holds the lock, and is stopped or waits for a byte in its pipe; *tell is that. */
static pid_t
hold(bool stop, int *tell)
{
	int held[2], go[2];
	char byte = 0;
	pid_t child;

	if (pipe(held) < 0 || pipe(go) < 0 || (child = fork()) < 0)
		exit(EX_OSERR);
	if (child == 0) {
		int fd = open(path, O_RDWR | O_CLOEXEC);

		if (flock(fd, LOCK_EX) < 0 || write(held[1], &byte, 1) != 1 || (stop && raise(SIGSTOP) != 0) ||
		    (!stop && read(go[0], &byte, 1) != 1))
			_exit(1);
		_exit(0);
	}
	if (read(held[0], &byte, 1) != 1 || (stop && waitpid(child, NULL, WUNTRACED) != child))
		exit(EX_OSERR);
	close(held[0]);
	close(held[1]);
	close(go[0]);
	*tell = go[1];
	return child;
}

static void
test_stopped(int fd)
{
	char expected[64];
	struct error err;
	int tell, status;
	pid_t child = hold(true, &tell);

	snprintf(expected, sizeof expected, "is locked by process %d (base-lock), which is stopped", (int)child);
	tap_is_number(lock_unless_stopped(fd, LOCK_EX, &err), -1, "who is stopped is not waited for");
	tap_is_number(err.code, EX_TEMPFAIL, "... that is temporary");
	tap_ok(strstr(err.text, expected) && strstr(err.text, path), "... and told: %s", err.text);
	kill(child, SIGCONT);
	tap_is_number(lock_unless_stopped(fd, LOCK_EX, &err), 0, "when it goes on the lock is to be had");
	waitpid(child, &status, 0);
	flock(fd, LOCK_UN);
	close(tell);
}

/* The caller has alarms of its own, and blocks all signals but theirs. */
static void
test_signals(int fd)
{
	struct itimerval often = {{0, 10000}, {0, 10000}}, found, never = {{0, 0}, {0, 0}};
	struct sigaction action = {.sa_handler = on_alarm}, now;
	sigset_t all, before;
	int tell, status;
	pid_t child = hold(false, &tell), other = fork();

	if (other == 0) {
		while (*alarms < 5)
			sched_yield();
		_exit(write(tell, "", 1) == 1 ? 0 : 1);
	}
	sigaction(SIGALRM, &action, NULL);
	sigfillset(&all);
	sigdelset(&all, SIGALRM);
	sigprocmask(SIG_SETMASK, &all, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	tap_is_number(lock_wait(fd, LOCK_EX), 0, "who goes on is waited for, through all signals");
	getitimer(ITIMER_REAL, &found);
	setitimer(ITIMER_REAL, &never, NULL);
	sigprocmask(SIG_SETMASK, NULL, &before);
	sigaction(SIGALRM, NULL, &now);
	tap_ok(*alarms >= 5, "the caller's alarms came meanwhile");
	tap_is_number(found.it_interval.tv_usec, 10000, "... and go on");
	tap_ok(now.sa_handler == on_alarm, "... to the caller's handler");
	tap_ok(sigismember(&before, SIGRTMIN) == 1 && sigismember(&before, SIGALRM) == 0, "its signal mask is as it was");
	waitpid(child, &status, 0);
	waitpid(other, &status, 0);
	flock(fd, LOCK_UN);
	close(tell);
}

int
main(void)
{
	const char *tmp = getenv("TMPDIR");
	int fd;

	path = memory_printf("%s/base-lock.XXXXXX", tmp ? tmp : "/tmp");
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return EX_CANTCREAT;
	alarms = mmap(NULL, sizeof *alarms, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (alarms == MAP_FAILED)
		return EX_OSERR;
	test_stopped(fd);
	test_signals(fd);
	unlink(path);
	free(path);
	return tap_end();
}
