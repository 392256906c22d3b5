/* SPDX-License-Identifier: Apache-2.0 */
#include "base/lock.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
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

/* Returns what to say of the holder; the caller's to free. */
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

/* Does nothing: that the signal came interrupts flock. */
static void
lock_on_tick(int number)
{
	(void)number;
}

/* Starts ticks, which come to this thread alone, and by a signal that is for nothing else: neither an alarm of the program nor its other
 * threads are concerned. Where one came just before flock, the next one interrupts it. False where no timer is to be had. */
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

/* Looks for the holder after some milliseconds (tick 0), then each second. Returns true if it is not waited for any more. */
typedef bool lock_look(int fd, int tick, void *context);

static int
lock_wait_and_look(int fd, int how, lock_look *look, void *context)
{
	timer_t timer;
	sigset_t before;
	bool ticking = lock_start_ticks(&timer, &before), over = false;
	int result, saved;

	for (int tick = 0; !over && (result = flock(fd, how)) < 0 && errno == EINTR; tick++)
		over = look(fd, tick, context);
	saved = over ? EWOULDBLOCK : errno;
	if (ticking) {
		timer_delete(timer);
		sigprocmask(SIG_SETMASK, &before, NULL);
	}
	errno = saved;
	return result;
}

static bool
lock_tell_once(int fd, int tick, void *told)
{
	struct holder holder = {0};
	char *text;

	if (*(bool *)told || !lock_holder(fd, &holder) || (!holder.stopped && tick < LOCK_PATIENCE_S))
		return false;
	text = lock_describe(fd, &holder);
	message_notice(text);
	free(text);
	*(bool *)told = true;
	return false;
}

static bool
lock_refuse_stopped(int fd, int tick, void *err)
{
	struct holder holder = {0};
	char *text;

	(void)tick;
	if (!lock_holder(fd, &holder) || !holder.stopped)
		return false;
	text = lock_describe(fd, &holder);
	error_set(err, EX_TEMPFAIL, "%s", text);
	free(text);
	return true;
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
	bool told = false;
	int result = lock_try(fd, how);

	return result > 0 ? lock_wait_and_look(fd, how, lock_tell_once, &told) : result;
}

int
lock_unless_stopped(int fd, int how, struct error *err)
{
	int result = lock_try(fd, how);

	err->code = 0;
	if (result > 0)
		result = lock_wait_and_look(fd, how, lock_refuse_stopped, err);
	return result < 0 && !err->code ? error_errno(err, EX_OSERR, "lock") : result;
}
