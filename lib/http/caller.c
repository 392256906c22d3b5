/* SPDX-License-Identifier: Apache-2.0 */
#include "http/caller.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <microhttpd.h>

#include "base/clock.h"
#include "http/exchange.h"

enum {
	CALLER_SENDS_MS = 75 * 1000, /* a silent one is ended before, by the library */
	CALLER_FINISHED_MS = 1000,
};

struct caller *
caller_of(const struct http_exchange *exchange)
{
	return MHD_get_connection_info(exchange->connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

void
caller_watch(struct caller *caller, int how)
{
	struct epoll_event event = {.events = EPOLLRDHUP | EPOLLET, .data.ptr = caller};

	epoll_ctl(caller->callers->epoll, how, caller->fd, &event);
}

void
caller_suspend(struct http_exchange *exchange)
{
	if (exchange->is_waiting)
		return;
	exchange->is_waiting = true;
	caller_watch(caller_of(exchange), EPOLL_CTL_MOD);
	MHD_suspend_connection(exchange->connection);
}

void
caller_resume(struct http_exchange *exchange)
{
	if (!exchange->is_waiting)
		return;
	exchange->is_waiting = false;
	MHD_resume_connection(exchange->connection);
}

void
caller_expect_nothing(struct caller *caller)
{
	struct caller_list *list = caller->waits;

	if (!list)
		return;
	*(caller->previous ? &caller->previous->next : &list->first) = caller->next;
	*(caller->next ? &caller->next->previous : &list->last) = caller->previous;
	caller->waits = NULL;
}

void
caller_expect(struct caller *caller)
{
	struct callers *callers = caller->callers;
	struct caller_list *list = caller->has_finished ? &callers->finished : &callers->sending;

	caller_expect_nothing(caller);
	caller->waits = list;
	caller->until_ms = clock_monotonic_ms() + (caller->has_finished ? CALLER_FINISHED_MS : CALLER_SENDS_MS);
	caller->next = NULL;
	caller->previous = list->last;
	*(list->last ? &list->last->next : &list->first) = caller;
	list->last = caller;
}

void
caller_finish(struct caller *caller)
{
	caller->has_finished = true;
	if (caller->waits)
		caller_expect(caller);
}

/* Ends those of a list. Returns as callers_end_slow does. */
static int64_t
callers_end(struct caller_list *list)
{
	int64_t now = list->first ? clock_monotonic_ms() : 0;
	struct caller *caller;

	while ((caller = list->first) && caller->until_ms <= now) {
		caller_expect_nothing(caller);
		shutdown(caller->fd, SHUT_RDWR);
	}
	return caller ? caller->until_ms - now : -1;
}

int64_t
callers_end_slow(struct callers *callers)
{
	int64_t sending = callers_end(&callers->sending), finished = callers_end(&callers->finished);

	return sending < 0 || (finished >= 0 && finished < sending) ? finished : sending;
}

void
caller_wait_late(struct caller *caller)
{
	struct callers *callers = caller->callers;

	caller->is_late = true;
	caller->next_late = NULL;
	*(callers->first_late ? &callers->last_late->next_late : &callers->first_late) = caller;
	callers->last_late = caller;
}

struct caller *
callers_take_late(struct callers *callers)
{
	struct caller *caller = callers->first_late;

	if (caller) {
		callers->first_late = caller->next_late;
		caller->is_late = false;
	}
	return caller;
}
