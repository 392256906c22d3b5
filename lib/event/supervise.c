/* SPDX-License-Identifier: Apache-2.0 */
#include "event/supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "event/pipes.h"
#include "event/session.h"

int
supervise_init(struct supervisor *supervisor, struct error *err)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	sigset_t set;

	*supervisor = (struct supervisor){.epoll = epoll_create1(EPOLL_CLOEXEC), .signals.fd = -1,
	    .deadline = INT64_MAX};
	for (int i = 0; i < SUPERVISE_WATCHED; i++)
		supervisor->watched[i].fd = -1;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigaction(SIGPIPE, &ignore, NULL);
	sigprocmask(SIG_BLOCK, &set, NULL);
	supervisor->signals.fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (supervisor->epoll < 0 || supervisor->signals.fd < 0 ||
	    pipes_await(supervisor, &supervisor->signals, EPOLLIN) < 0)
		return error_errno(err, EX_OSERR, "epoll and signalfd");
	return 0;
}

void
supervise_release(struct supervisor *supervisor)
{
	pipes_shut(&supervisor->signals);
	close(supervisor->epoll);
}

bool
supervise_watch(struct supervisor *supervisor, int fd, uint32_t events)
{
	for (int i = 0; i < SUPERVISE_WATCHED; i++) {
		struct supervised_end *end = &supervisor->watched[i];

		if (end->fd >= 0)
			continue;
		end->fd = fd;
		if (pipes_await(supervisor, end, events) == 0)
			return true;
		end->fd = -1;
		return false;
	}
	return false;
}

void
supervise_unwatch(struct supervisor *supervisor, int fd)
{
	for (int i = 0; i < SUPERVISE_WATCHED; i++) {
		if (supervisor->watched[i].fd != fd)
			continue;
		epoll_ctl(supervisor->epoll, EPOLL_CTL_DEL, fd, NULL);
		supervisor->watched[i].fd = -1;
	}
}

/* Sets when a measure is to be taken next against the child. The supervisor's deadline is the earliest of all, or earlier if the
 * child that had it has ended. */
static void
supervise_set_deadline(struct supervisor *supervisor, struct child *child, int64_t deadline)
{
	child->deadline = deadline;
	if (deadline < supervisor->deadline)
		supervisor->deadline = deadline;
}

/* Adds all ends of the child to the loop. */
static int
supervise_enter(struct supervisor *supervisor, struct child *child)
{
	if (child->exit_end.fd < 0 || pipes_await(supervisor, &child->exit_end, EPOLLIN) < 0 ||
	    pipes_await(supervisor, &child->in_end, EPOLLOUT) < 0 || pipes_await(supervisor, &child->out_end,
	    EPOLLIN) < 0)
		return -1;
	return child->err_end.fd >= 0 ? pipes_await(supervisor, &child->err_end, EPOLLIN) : 0;
}

/* Adds the child, which runs, to those that are supervised. */
static void
supervise_begin(struct supervisor *supervisor, struct child *child)
{
	supervise_set_deadline(supervisor, child, child->timeout_ms ? clock_monotonic_ms() + child->timeout_ms : INT64_MAX);
	child->previous = NULL;
	child->next = supervisor->children;
	if (child->next)
		child->next->previous = child;
	supervisor->children = child;
	supervisor->count++;
}

int
supervise_start(struct supervisor *supervisor, struct child *child, struct error *err)
{
	struct supervised_end none = {.fd = -1, .child = child};

	child->in_end = child->out_end = child->err_end = child->exit_end = none;
	if (pipes_start(child, err) < 0) {
		pipes_shut_all(child);
		return -1;
	}
	/* The descriptor becomes readable when the process ends; it is closed in what others start. */
	child->exit_end.fd = (int)syscall(SYS_pidfd_open, child->pid, 0);
	if (supervise_enter(supervisor, child) < 0) {
		error_errno(err, EX_OSERR, "%s: cannot be supervised", child->argv[0]);
		kill(-child->pid, SIGKILL);
		waitpid(child->pid, NULL, 0);
		pipes_shut_all(child);
		return -1;
	}
	supervise_begin(supervisor, child);
	return 0;
}

int
supervise_adopt(struct supervisor *supervisor, struct child *child, const int theirs[4], struct error *err)
{
	struct supervised_end *ends[4] = {&child->in_end, &child->out_end, &child->err_end, &child->exit_end};

	child->pid = 0;
	for (int i = 0; i < 4; i++) {
		*ends[i] = (struct supervised_end){.fd = theirs[i], .child = child};
		fcntl(theirs[i], F_SETFL, O_NONBLOCK);
	}
	if (supervise_enter(supervisor, child) < 0) {
		error_errno(err, EX_OSERR, "a session cannot be supervised");
		pipes_shut_all(child);
		return -1;
	}
	supervise_begin(supervisor, child);
	return 0;
}

/* Sends SIGTERM at first, SIGKILL when called again. Closes the control socket of one that is not a process. */
static void
supervise_kill(struct supervisor *supervisor, struct child *child)
{
	if (child->pid == 0)
		shutdown(child->exit_end.fd, SHUT_RDWR);
	else
		kill(-child->pid, child->told_to_end ? SIGKILL : SIGTERM);
	supervise_set_deadline(supervisor, child, child->told_to_end ? INT64_MAX : clock_monotonic_ms() + SUPERVISE_GRACE_MS);
	child->told_to_end = true;
}

void
supervise_signal(const struct child *child, int signal, bool group)
{
	if (child->pid > 0)
		kill(group ? -child->pid : child->pid, signal);
}

void
supervise_stop(struct supervisor *supervisor, struct child *child)
{
	if (child->told_to_end)
		return;
	child->stopped = true;
	supervise_kill(supervisor, child);
}

void
supervise_extend(struct supervisor *supervisor, struct child *child)
{
	if (!child->told_to_end && !child->stopped)
		supervise_set_deadline(supervisor, child, clock_monotonic_ms() + child->timeout_ms);
}

void
supervise_ask(struct supervisor *supervisor, struct child *child, int64_t grace_ms)
{
	if (child->stopped || child->told_to_end)
		return;
	child->stopped = true;
	pipes_shut(&child->in_end);
	supervise_set_deadline(supervisor, child, clock_monotonic_ms() + grace_ms);
}

/* Waits for the process, whose number is its group's and nobody else's until then. */
static void
supervise_reap(struct child *child)
{
	siginfo_t how = {.si_code = CLD_EXITED};

	if (child->told_to_end)
		kill(-child->pid, SIGKILL);
	/* A killed child could not end its own children. */
	if (child->session && waitid(P_PID, (id_t)child->pid, &how, WEXITED | WNOWAIT) == 0 && how.si_code != CLD_EXITED)
		session_end(child->pid);
	pipes_read_rest(child);
	while (waitpid(child->pid, &child->wait_status, 0) < 0 && errno == EINTR)
		;
}

static void
supervise_finish(struct supervisor *supervisor, struct child *child)
{
	if (child->pid > 0)
		supervise_reap(child);
	else
		pipes_read_rest(child);
	pipes_shut_all(child);
	/* Events of this batch that are still to be looked at must not reach what has ended. */
	for (int i = supervisor->event_next; i < supervisor->event_count; i++) {
		struct supervised_end *end = supervisor->events[i].data.ptr;

		if (end && end->child == child)
			supervisor->events[i].data.ptr = NULL;
	}
	*(child->previous ? &child->previous->next : &supervisor->children) = child->next;
	if (child->next)
		child->next->previous = child->previous;
	supervisor->count--;
}

/* Returns whether the event is one for the caller, and sets *kind. */
static bool
supervise_child_event(struct supervisor *supervisor, struct supervised_end *end, uint32_t events,
    enum supervise_event *kind)
{
	struct child *child = end->child;

	*kind = SUPERVISE_OUTPUT;
	if (end == &child->exit_end) {
		if (child->pid == 0 && pipes_read_control(child) > 0)
			return true;
		supervise_finish(supervisor, child);
		*kind = SUPERVISE_ENDED;
		return true;
	}
	if (end->fd < 0)
		return false;
	if (end == &child->in_end) {
		*kind = SUPERVISE_FED;
		if (child->in_quiet && (events & (EPOLLERR | EPOLLHUP)))
			pipes_shut(&child->in_end);
		else if (pipes_feed(child))
			pipes_await_input(supervisor, child, 0);
		return child->tell_fed && (child->in_quiet || child->in_end.fd < 0);
	}
	if (end == &child->out_end)
		return pipes_read_out(child, PIPES_CHUNK) > 0 && child->tell_out && child->out.length >= child->tell_out;
	return pipes_read_err(child, PIPES_CHUNK) > 0;
}

static bool
supervise_own_event(struct supervisor *supervisor, const struct supervised_end *end, enum supervise_event *kind)
{
	struct signalfd_siginfo info;

	if (end != &supervisor->signals) {
		supervisor->ready = end->fd;
		*kind = SUPERVISE_READY;
		return end->fd >= 0;
	}
	*kind = SUPERVISE_SIGNAL;
	if (read(end->fd, &info, sizeof info) != sizeof info)
		return false;
	supervisor->signal = (int)info.ssi_signo;
	return true;
}

/* Ends the children whose time is over. Returns when the next one's is; before that there is nothing to look at. */
static int64_t
supervise_keep_time(struct supervisor *supervisor, int64_t now)
{
	int64_t next = INT64_MAX;

	if (now < supervisor->deadline)
		return supervisor->deadline;

	for (struct child *child = supervisor->children; child; child = child->next) {
		if (child->deadline <= now) {
			child->timed_out |= !child->told_to_end && !child->stopped;
			supervise_kill(supervisor, child);
		}
		if (child->deadline < next)
			next = child->deadline;
	}
	supervisor->deadline = next;
	return next;
}

/* Fills the batch. Returns false if until came first. */
static bool
supervise_wait_events(struct supervisor *supervisor, int64_t until)
{
	for (;;) {
		int64_t now = clock_monotonic_ms(), next = supervise_keep_time(supervisor, now), wait;

		if (until < next)
			next = until;
		wait = next == INT64_MAX ? -1 : next <= now ? 0 : next - now;
		if (wait > 3600 * 1000)
			wait = 3600 * 1000;
		supervisor->event_next = 0;
		supervisor->event_count = epoll_wait(supervisor->epoll, supervisor->events, SUPERVISE_BATCH, (int)wait);
		if (supervisor->event_count > 0)
			return true;
		if (until <= clock_monotonic_ms())
			return false;
	}
}

enum supervise_event
supervise_next(struct supervisor *supervisor, int64_t wait_ms, struct child **child)
{
	int64_t until = wait_ms < 0 ? INT64_MAX : clock_monotonic_ms() + wait_ms;
	enum supervise_event kind;

	for (;;) {
		while (supervisor->event_next < supervisor->event_count) {
			const struct epoll_event *event = &supervisor->events[supervisor->event_next++];
			struct supervised_end *end = event->data.ptr;
			bool tell = false;

			if (end)
				tell = end->child ? supervise_child_event(supervisor, end, event->events, &kind)
				                  : supervise_own_event(supervisor, end, &kind);
			if (tell) {
				*child = end->child;
				return kind;
			}
		}
		if (!supervise_wait_events(supervisor, until))
			return SUPERVISE_TIME;
	}
}
