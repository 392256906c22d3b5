/* SPDX-License-Identifier: Apache-2.0 */
#include "base/lock.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/holder.h"
#include "base/memory.h"
#include "base/message.h"

#ifndef sigev_notify_thread_id /* the name that the C library's manual has for it */
#define sigev_notify_thread_id _sigev_un._tid
#endif

enum { FIRST_TICK_MS = 20 }; /* most are held for less */

/* Returns a message about the holder, which the caller frees. */
static char *
lock_describe(int fd, const struct holder *holder)
{
	char link[40], path[4096];
	ssize_t length;

	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	length = readlink(link, path, sizeof path - 1);
	path[length < 0 ? 0 : length] = '\0';
	if (holder->stopped)
		return memory_printf("%s is locked by process %d (%s), which is stopped; kill -CONT %d resumes it", path,
		    holder->pid, holder->name, holder->pid);
	return memory_printf("%s is locked by process %d (%s); waiting for it", path, holder->pid, holder->name);
}

/* Does nothing: the arrival of the signal interrupts flock. */
static void
lock_on_tick(int number)
{
	(void)number;
}

/* Starts ticks. They come to this thread alone, by a signal that nothing else uses, so that neither an alarm of the program nor
 * its other threads notice. If one comes just before flock, the next one interrupts it. Returns false if there is no timer. */
static bool
lock_start_ticks(timer_t *timer, sigset_t *before)
{
	const struct sigaction interrupt = {.sa_handler = lock_on_tick};
	const struct itimerspec times = {{1, 0}, {0, FIRST_TICK_MS * 1000 * 1000}};
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN};
	sigset_t tick;

	event.sigev_notify_thread_id = gettid();
	if (timer_create(CLOCK_MONOTONIC, &event, timer) < 0)
		return false;
	sigaction(SIGRTMIN, &interrupt, NULL);
	sigemptyset(&tick);
	sigaddset(&tick, SIGRTMIN);
	sigprocmask(SIG_UNBLOCK, &tick, before);
	timer_settime(*timer, 0, &times, NULL);
	return true;
}

/* Waits for a lock that another process holds, and looks for that process after some milliseconds, then each second. Without
 * err it tells once who holds the lock; with err it fails if that process is stopped. */
static int
lock_wait_for_holder(int fd, int how, struct error *err)
{
	timer_t timer;
	sigset_t before;
	bool ticking = lock_start_ticks(&timer, &before), told = false;
	int result, saved = 0;

	for (int tick = 0; !saved && (result = flock(fd, how)) < 0 && errno == EINTR; tick++) {
		struct holder holder = {0};
		char *text;

		if (told || !holder_find(fd, &holder) || (!holder.stopped && (err || tick < LOCK_PATIENCE_S)))
			continue;
		text = lock_describe(fd, &holder);
		if (err) {
			error_set(err, EX_TEMPFAIL, "%s", text);
			saved = EWOULDBLOCK;
		} else {
			message_notice(text);
			told = true;
		}
		free(text);
	}
	saved = saved ? saved : errno;
	if (ticking) {
		timer_delete(timer);
		sigprocmask(SIG_SETMASK, &before, NULL);
	}
	errno = saved;
	return result;
}

/* Returns 0; 1 if another process holds the lock; -1 with errno. */
static int
lock_try(int fd, int how)
{
	if (flock(fd, how | LOCK_NB) == 0)
		return 0;
	return errno == EWOULDBLOCK || errno == EINTR ? 1 : -1;
}

int
lock_wait(int fd, int how)
{
	int result = lock_try(fd, how);

	return result > 0 ? lock_wait_for_holder(fd, how, NULL) : result;
}

int
lock_unless_stopped(int fd, int how, struct error *err)
{
	int result = lock_try(fd, how);

	err->code = 0;
	if (result > 0)
		result = lock_wait_for_holder(fd, how, err);
	return result < 0 && !err->code ? error_errno(err, EX_OSERR, "lock") : result;
}

bool
lock_is_current(int fd, const char *path)
{
	struct stat ours, there;

	return fstat(fd, &ours) == 0 && stat(path, &there) == 0 && ours.st_ino == there.st_ino &&
	    ours.st_dev == there.st_dev;
}
