/* SPDX-License-Identifier: Apache-2.0 */
#include "web/tunnels.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/process.h"
#include "event/supervise.h"
#include "http/exchange.h"
#include "http/listener.h"
#include "http/upgrade.h"
#include "login/grant.h"
#include "web/asker.h"
#include "web/call.h"
#include "web/problem.h"

#define TUNNEL_PROTOCOL "ssh" /* of the header Upgrade */

enum {
	TUNNELS_MAX = 128,
	TUNNELS_OF_USER = 32,
	TUNNELS_EVENTS = 32,
	TUNNEL_PART = 32 << 10,
	TUNNEL_KEPT = 256 << 10, /* bytes that the command has not taken: then nothing more is read */
	TUNNEL_LOOK_MS = 1000,
};

struct tunnel {
	struct child child;
	struct call call;
	struct arguments environment;
	struct http_exchange *exchange; /* NULL: nobody waits any more */
	struct grant grant;
	int fd;             /* of the connection; -1: it is one of HTTP yet */
	bool input_ended;   /* nothing comes from there any more */
	bool over;          /* the command has ended */
	struct tunnel *next;
};

struct tunnels {
	struct supervisor *supervisor;
	struct store *store;
	struct tunnel *first;
	int epoll; /* of the connections */
	int64_t look_ms;
};

int
tunnels_open(struct tunnels **out, struct supervisor *supervisor, struct store *store, struct error *err)
{
	struct tunnels *tunnels = memory_zeroed(1, sizeof *tunnels);

	*out = tunnels;
	tunnels->supervisor = supervisor;
	tunnels->store = store;
	tunnels->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (tunnels->epoll < 0 || !supervise_watch(supervisor, tunnels->epoll, EPOLLIN))
		return error_errno(err, EX_OSERR, "epoll");
	return 0;
}

static size_t
tunnels_of_user(const struct tunnels *tunnels, const char *user)
{
	size_t count = 0;

	for (const struct tunnel *tunnel = tunnels->first; tunnel; tunnel = tunnel->next)
		count += !user || strcmp(tunnel->grant.user, user) == 0;
	return count;
}

static void
tunnels_forget(struct tunnels *tunnels, struct tunnel *tunnel)
{
	struct tunnel **at = &tunnels->first;

	while (*at && *at != tunnel)
		at = &(*at)->next;
	if (*at)
		*at = tunnel->next;
	child_release(&tunnel->child);
	call_release(&tunnel->call);
	arguments_release(&tunnel->environment);
	grant_release(&tunnel->grant);
	free(tunnel);
}

/* Waits for what the connection is wanted for: bytes, as long as the command takes them, and room for what the command has said. */
static void
tunnel_await(struct tunnels *tunnels, struct tunnel *tunnel)
{
	struct epoll_event event = {.data.ptr = tunnel};
	bool held = tunnel->child.fed.length - tunnel->child.fed_used > TUNNEL_KEPT;

	if (!tunnel->input_ended && !held && !tunnel->over)
		event.events |= EPOLLIN;
	if (tunnel->child.out.length)
		event.events |= EPOLLOUT;
	epoll_ctl(tunnels->epoll, EPOLL_CTL_MOD, tunnel->fd, &event);
}

/* Gives the connection back, and ends the command where it has not. */
static void
tunnel_close(struct tunnels *tunnels, struct tunnel *tunnel)
{
	struct http_exchange *exchange = tunnel->exchange;

	if (tunnel->fd >= 0) {
		epoll_ctl(tunnels->epoll, EPOLL_CTL_DEL, tunnel->fd, NULL);
		tunnel->fd = -1;
		tunnel->exchange = NULL;
		exchange->owner = NULL;
		upgrade_end(exchange);
	}
	if (tunnel->over) {
		tunnels_forget(tunnels, tunnel);
		return;
	}
	buffer_clear(&tunnel->child.out);
	supervise_hold_output(tunnels->supervisor, &tunnel->child, false);
	supervise_stop(tunnels->supervisor, &tunnel->child);
}

/* Writes what the command has said. Returns false where the connection is gone. */
static bool
tunnel_write(struct tunnels *tunnels, struct tunnel *tunnel)
{
	struct buffer *said = &tunnel->child.out;
	ssize_t n = said->length ? upgrade_write(tunnel->exchange, said->data, said->length) : 0;

	if (n < 0 && errno != EAGAIN && errno != EINTR)
		return false;
	buffer_drop(said, n > 0 ? (size_t)n : 0);
	if (!tunnel->over)
		supervise_hold_output(tunnels->supervisor, &tunnel->child, said->length > 0);
	return true;
}

/* Hands the command what has come. Returns false where the connection is gone. */
static bool
tunnel_read(struct tunnels *tunnels, struct tunnel *tunnel)
{
	char bytes[TUNNEL_PART];
	ssize_t n;

	do {
		n = upgrade_read(tunnel->exchange, bytes, sizeof bytes);
		if (n > 0)
			supervise_feed(tunnels->supervisor, &tunnel->child, bytes, (size_t)n);
	} while (n > 0 && upgrade_has_read(tunnel->exchange));
	if (n == 0) {
		tunnel->input_ended = true;
		supervise_end_input(tunnels->supervisor, &tunnel->child);
	}
	return n >= 0 || errno == EAGAIN || errno == EINTR;
}

/* Makes the command, and starts it. Returns false where the request is answered already. */
static bool
tunnel_start(struct tunnels *tunnels, struct tunnel *tunnel, const struct route_match *match, const struct asker *asker,
    struct http_exchange *exchange)
{
	struct problems problems = {0};
	struct error err;
	bool made = call_make(&tunnel->call, match, exchange, &problems) == 0;

	if (!made && problems.total)
		problem_answer_all(exchange, &problems);
	else if (!made)
		problem_answer(exchange, 503, "the command of this route cannot be run");
	problems_release(&problems);
	if (!made)
		return false;
	asker_environment(asker, &tunnel->environment);
	arguments_push(&tunnel->environment, "COOPR_MESSAGES=json");
	tunnel->child = (struct child){.argv = tunnel->call.argv.list, .environment = tunnel->environment.list, .hold_input = true,
	    .out_limit = SIZE_MAX, .tell_out = 1, .tell_fed = true, .capture_err = true, .session = true, .owner = tunnel};
	if (supervise_start(tunnels->supervisor, &tunnel->child, &err) == 0)
		return true;
	problem_answer_error(exchange, &err);
	return false;
}

void
tunnels_start(struct tunnels *tunnels, const struct route_match *match, const struct asker *asker, struct http_exchange *exchange)
{
	const char *wanted = http_field_find(&exchange->headers, "Upgrade");
	struct tunnel *tunnel;
	struct error err;

	if (!wanted || strcasecmp(wanted, TUNNEL_PROTOCOL) != 0) {
		problem_answer(exchange, 426, "this is no answer of HTTP: say Connection: Upgrade and Upgrade: " TUNNEL_PROTOCOL);
		http_field_add(exchange, &exchange->answer.headers, "Upgrade", TUNNEL_PROTOCOL);
		return;
	}
	if (tunnels_of_user(tunnels, NULL) >= TUNNELS_MAX || tunnels_of_user(tunnels, asker->user) >= TUNNELS_OF_USER) {
		problem_answer(exchange, 503, "too many connections to nodes; close some, or try again later");
		http_field_add(exchange, &exchange->answer.headers, "Retry-After", "10");
		return;
	}
	tunnel = memory_zeroed(1, sizeof *tunnel);
	tunnel->fd = -1;
	if (grant_begin(&tunnel->grant, tunnels->store, asker->user, &asker->limit, &err) < 0) {
		problem_answer_error(exchange, &err);
		tunnels_forget(tunnels, tunnel);
		return;
	}
	if (!tunnel_start(tunnels, tunnel, match, asker, exchange)) {
		tunnels_forget(tunnels, tunnel);
		return;
	}
	tunnel->next = tunnels->first;
	tunnels->first = tunnel;
	tunnel->exchange = exchange;
	exchange->owner = tunnel;
}

bool
tunnels_have(const struct tunnels *tunnels, const struct child *child)
{
	const struct tunnel *tunnel = tunnels->first;

	while (tunnel && &tunnel->child != child)
		tunnel = tunnel->next;
	return tunnel;
}

/* Makes the connection one to the node, whose first words are there. */
static void
tunnel_upgrade(struct tunnels *tunnels, struct tunnel *tunnel)
{
	struct epoll_event event = {.data.ptr = tunnel};
	struct buffer *said = &tunnel->child.out, all = {0};

	tunnel->fd = upgrade_begin(tunnel->exchange, TUNNEL_PROTOCOL, &all);
	buffer_append(&all, said->data, said->length);
	buffer_release(said);
	*said = all;
	epoll_ctl(tunnels->epoll, EPOLL_CTL_ADD, tunnel->fd, &event);
}

void
tunnels_send(struct tunnels *tunnels, struct child *child)
{
	struct tunnel *tunnel = child->owner;

	if (!tunnel->exchange) {
		buffer_clear(&child->out);
		return;
	}
	if (tunnel->fd < 0 && child->out.length)
		tunnel_upgrade(tunnels, tunnel);
	if (tunnel->fd >= 0 && tunnel_write(tunnels, tunnel))
		tunnel_await(tunnels, tunnel);
	else if (tunnel->fd >= 0)
		tunnel_close(tunnels, tunnel);
}

void
tunnels_fed(struct tunnels *tunnels, struct child *child)
{
	struct tunnel *tunnel = child->owner;

	if (tunnel->fd >= 0)
		tunnel_await(tunnels, tunnel);
}

void
tunnels_finish(struct tunnels *tunnels, struct child *child)
{
	struct tunnel *tunnel = child->owner;
	struct http_exchange *exchange = tunnel->exchange;

	tunnel->over = true;
	if (exchange && tunnel->fd < 0) {
		exchange->owner = NULL;
		problem_answer_exit(exchange, process_exit_code(child->wait_status), true, &child->err);
		listener_answer(exchange);
	} else if (tunnel->fd >= 0 && tunnel_write(tunnels, tunnel) && child->out.length) {
		tunnel_await(tunnels, tunnel);
		return;
	}
	tunnel_close(tunnels, tunnel);
}

bool
tunnels_left(struct tunnels *tunnels, struct http_exchange *exchange)
{
	struct tunnel *tunnel = tunnels->first;

	while (tunnel && tunnel->exchange != exchange)
		tunnel = tunnel->next;
	if (!tunnel)
		return false;
	tunnel->exchange = NULL;
	exchange->owner = NULL;
	tunnel->fd = -1;
	tunnel_close(tunnels, tunnel);
	return true;
}

/* Ends what was begun with rights that are there no more. */
static void
tunnels_look(struct tunnels *tunnels)
{
	for (struct tunnel *tunnel = tunnels->first; tunnel; tunnel = tunnel->next)
		if (!tunnel->over && grant_is_over(&tunnel->grant, tunnels->store, tunnel->exchange))
			supervise_stop(tunnels->supervisor, &tunnel->child);
}

/* Moves bytes of the connections that are ready. */
static void
tunnels_move(struct tunnels *tunnels)
{
	struct epoll_event events[TUNNELS_EVENTS];
	int count = epoll_wait(tunnels->epoll, events, TUNNELS_EVENTS, 0);

	for (int i = 0; i < count; i++) {
		struct tunnel *tunnel = events[i].data.ptr;
		bool there = true;

		if (events[i].events & EPOLLOUT)
			there = tunnel_write(tunnels, tunnel);
		if (there && (events[i].events & EPOLLIN))
			there = tunnel_read(tunnels, tunnel);
		if (there && !(tunnel->over && tunnel->child.out.length == 0) &&
		    ((events[i].events & EPOLLIN) || !(events[i].events & (EPOLLERR | EPOLLHUP))))
			tunnel_await(tunnels, tunnel);
		else
			tunnel_close(tunnels, tunnel);
	}
}

int64_t
tunnels_turn(struct tunnels *tunnels)
{
	int64_t now = clock_monotonic_ms();

	if (!tunnels->first)
		return -1;
	tunnels_move(tunnels);
	if (now >= tunnels->look_ms) {
		tunnels_look(tunnels);
		tunnels->look_ms = now + TUNNEL_LOOK_MS;
	}
	return tunnels->look_ms - now;
}

void
tunnels_end(struct tunnels *tunnels)
{
	for (struct tunnel *tunnel = tunnels->first; tunnel; tunnel = tunnel->next)
		if (!tunnel->over)
			supervise_stop(tunnels->supervisor, &tunnel->child);
}

void
tunnels_close(struct tunnels *tunnels)
{
	if (!tunnels)
		return;
	while (tunnels->first) {
		tunnels->first->over = true;
		tunnel_close(tunnels, tunnels->first);
	}
	if (tunnels->epoll >= 0)
		close(tunnels->epoll);
	free(tunnels);
}
