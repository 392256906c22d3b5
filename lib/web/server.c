/* SPDX-License-Identifier: Apache-2.0 */
#include "web/server.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/message.h"
#include "base/process.h"
#include "event/supervise.h"
#include "http/certificate.h"
#include "http/exchange.h"
#include "http/listener.h"
#include "web/answer.h"
#include "web/asker.h"
#include "web/call.h"
#include "web/followers.h"
#include "web/page.h"
#include "web/problem.h"
#include "web/route.h"
#include "web/runs.h"
#include "web/session.h"

enum {
	SERVER_BODY_MAX = 8 << 20,
	SERVER_OUTPUT_MAX = 256 << 20,
	SERVER_CALL_MS = 120 * 1000, /* a command that only begins an operation, or looks, takes no longer */
	SERVER_IDLE_S = 60,
	SERVER_DRAIN_MS = 10 * 1000, /* at the end, for answers that somebody takes slowly */
};

struct serving { /* a request that a command does */
	struct child child;
	struct call call;
	struct arguments environment;
	struct http_exchange *exchange; /* NULL: nobody waits for its answer any more */
	const struct route *route;
	char *session; /* that was shown; or NULL */
	struct serving *next; /* that waits for its turn */
};

struct server {
	struct supervisor supervisor;
	struct listener *listeners[SERVER_SOCKETS];
	int count;
	int epoll; /* of the listeners */
	struct certificate *certificate;
	struct store *store;
	unsigned children, waiting_max;
	struct serving *first, **last; /* that wait for their turn */
	unsigned waiting;
	struct followers *followers;
	struct runs *runs;
	bool ends;
	int64_t ended_ms; /* when the last command had */
};

static void
server_forget(struct serving *serving)
{
	if (serving->exchange)
		serving->exchange->owner = NULL;
	child_release(&serving->child);
	call_release(&serving->call);
	arguments_release(&serving->environment);
	free(serving->session);
	free(serving);
}

static void
server_answer(struct http_exchange *exchange)
{
	if (exchange->is_waiting)
		listener_answer(exchange);
}

/* Starts commands of those that wait, while there is room. */
static void
server_start_waiting(struct server *server)
{
	while (server->first && server->supervisor.count - runs_count(server->runs) < server->children) {
		struct serving *serving = server->first;
		struct http_exchange *exchange = serving->exchange;
		struct error err;

		server->first = serving->next;
		if (!server->first)
			server->last = &server->first;
		server->waiting--;
		if (exchange && supervise_start(&server->supervisor, &serving->child, &err) == 0)
			continue;
		if (exchange) {
			problem_answer(exchange, 503, err.text);
			server_answer(exchange);
		}
		server_forget(serving);
	}
}

/* Has the request done by its command. */
static void
server_call(struct server *server, const struct route_match *match, const struct asker *asker, struct http_exchange *exchange)
{
	struct serving *serving;
	struct problems problems = {0};

	if (server->waiting >= server->waiting_max) {
		problem_answer(exchange, 503, "too many requests wait for their turn; try again later");
		http_field_add(exchange, &exchange->answer.headers, "Retry-After", "1");
		return;
	}
	serving = memory_zeroed(1, sizeof *serving);
	if (call_make(&serving->call, match, exchange, &problems) < 0) {
		if (problems.total)
			problem_answer_all(exchange, &problems);
		else
			problem_answer(exchange, 503, "the command of this route cannot be run");
		server_forget(serving);
	} else {
		asker_environment(asker, &serving->environment);
		arguments_push(&serving->environment, "COOPR_MESSAGES=json");
		if (match->route->answer == ROUTE_SESSION_ENDED)
			session_order_end(asker, &serving->call.input);
		serving->session = asker->session ? memory_string(asker->session) : NULL;
		serving->route = match->route;
		serving->exchange = exchange;
		serving->child = (struct child){.argv = serving->call.argv.list, .environment = serving->environment.list,
		    .input = buffer_string(&serving->call.input), .input_length = serving->call.input.length,
		    .out_limit = SERVER_OUTPUT_MAX, .capture_err = true, .session = true, .timeout_ms = SERVER_CALL_MS, .owner = serving};
		exchange->owner = serving;
		*server->last = serving;
		server->last = &serving->next;
		server->waiting++;
	}
	problems_release(&problems);
}

/* Returns whether the request is answered with events as they happen. */
static bool
server_is_followed(const struct route *route, const struct http_exchange *exchange)
{
	return (route->answer == ROUTE_EVENTS || route->answer == ROUTE_RECORDS_EVENTS) && followers_are_wanted(exchange);
}

/* Has a command run for somebody at another machine; or tells one that does. */
static void
server_run_command(struct server *server, const struct route_match *match, const struct asker *asker, struct http_exchange *exchange)
{
	if (match->variables[0])
		runs_tell(server->runs, exchange, asker, match->variables[0]);
	else if (server->ends)
		problem_answer(exchange, 503, "the server ends");
	else
		runs_start(server->runs, exchange, asker);
}

/* Is called for each request that has arrived. */
static void
server_arrived(void *context, struct http_exchange *exchange)
{
	struct server *server = context;
	struct route_match match = {0};
	struct asker asker = {0};
	const char *allow;
	int status = route_find(exchange->method, exchange->path, &exchange->arena, &match, &allow);

	if (exchange->owner)
		return;
	if (status) {
		problem_answer(exchange, status, NULL);
		if (allow)
			http_field_add(exchange, &exchange->answer.headers, "Allow", allow);
	} else if (http_field_find(&exchange->query, "")) {
		problem_answer(exchange, 400, "the query is malformed");
	} else if (match.route->answer == ROUTE_OWN) {
		answer_own(match.route, exchange);
	} else if (match.route->answer == ROUTE_FILE) {
		page_answer(&match, exchange);
	} else if (server_is_followed(match.route, exchange)) {
		if (asker_find(&asker, server->store, exchange))
			followers_add(server->followers, exchange, &asker, match.variables[0]);
	} else if (match.route->answer == ROUTE_RUN) {
		if (asker_find(&asker, server->store, exchange))
			server_run_command(server, &match, &asker, exchange);
	} else if (match.route->answer == ROUTE_EVENTS) {
		problem_answer(exchange, 406, "events are told as they happen: say Accept: text/event-stream");
	} else if (match.route->answer == ROUTE_SESSION_BEGUN ? asker_find_unknown(&asker, exchange)
	                                                      : asker_find(&asker, server->store, exchange)) {
		server_call(server, &match, &asker, exchange);
	}
	asker_release(&asker);
}

/* Is called once nobody waits for an answer any more. A change goes on; what only looks is stopped. */
static void
server_left(void *context, struct http_exchange *exchange)
{
	struct server *server = context;
	struct serving *serving = exchange->owner;

	if (!serving)
		return;
	if (runs_left(server->runs, exchange))
		return;
	if (exchange->answer.streams) {
		followers_remove(server->followers, exchange);
		return;
	}
	serving->exchange = NULL;
	if (serving->child.pid > 0 && strcmp(serving->route->method, "GET") == 0)
		supervise_stop(&server->supervisor, &serving->child);
}

/* Is called where all that came for an answer that streams was taken. */
static void
server_drained(void *context, struct http_exchange *exchange)
{
	struct server *server = context;

	runs_drained(server->runs, exchange);
}

static void
server_ended(struct serving *serving)
{
	struct http_exchange *exchange = serving->exchange;

	if (exchange) {
		if (session_is_answer(serving->route))
			session_answer(serving->route, exchange, &serving->child, serving->session);
		else
			answer_call(serving->route, exchange, &serving->child);
		server_answer(exchange);
	}
	server_forget(serving);
}

int
server_open(struct server **out, const struct server_options *options, struct error *err)
{
	struct server *server = memory_zeroed(1, sizeof *server);

	*out = server;
	server->certificate = options->certificate;
	server->store = options->store;
	server->children = options->children;
	server->waiting_max = options->waiting;
	server->last = &server->first;
	server->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (server->epoll < 0)
		return error_errno(err, EX_OSERR, "epoll");
	if (supervise_init(&server->supervisor, err) < 0)
		return -1;
	server->followers = followers_open(&server->supervisor);
	server->runs = runs_open(&server->supervisor);
	for (int i = 0; i < options->count; i++) {
		struct epoll_event event = {.events = EPOLLIN};

		if (listener_open(&server->listeners[i], &(struct listener_options){.fd = options->sockets[i].fd,
		    .body_max = SERVER_BODY_MAX, .connections = options->connections, .idle_s = SERVER_IDLE_S,
		    .certificate = options->sockets[i].is_tcp ? options->certificate : NULL, .arrived = server_arrived,
		    .drained = server_drained, .left = server_left, .context = server}, err) < 0)
			return -1;
		server->count = i + 1;
		if (epoll_ctl(server->epoll, EPOLL_CTL_ADD, listener_descriptor(server->listeners[i]), &event) < 0)
			return error_errno(err, EX_OSERR, "epoll");
	}
	if (!supervise_watch(&server->supervisor, server->epoll, EPOLLIN))
		return error_set(err, EX_OSERR, "the sockets cannot be waited for");
	return 0;
}

/* Turns the listeners. Returns the milliseconds after which that is due again; -1: only when something comes. */
static int64_t
server_listen(struct server *server)
{
	int64_t wait = -1;

	for (int i = 0; i < server->count; i++) {
		int64_t own = listener_run(server->listeners[i]);

		if (own >= 0 && (wait < 0 || own < wait))
			wait = own;
	}
	return wait;
}

static void
server_begin_end(struct server *server)
{
	server->ends = true;
	followers_end(server->followers);
	runs_end(server->runs);
	for (int i = 0; i < server->count; i++)
		listener_quiesce(server->listeners[i]);
}

static void
server_reload(struct server *server)
{
	struct error err;

	if (server->certificate && certificate_reload(server->certificate, &err) < 0)
		message("%s; the certificate that was read before is kept", err.text);
}

/* Returns whether it was told to end, and has nothing left to answer: or only answers that nobody takes in time. */
static bool
server_is_over(struct server *server)
{
	size_t exchanges = 0;

	if (!server->ends || server->supervisor.count > 0 || server->first) {
		server->ended_ms = clock_monotonic_ms();
		return false;
	}
	for (int i = 0; i < server->count; i++)
		exchanges += listener_exchanges(server->listeners[i]);
	return exchanges == 0 || clock_monotonic_ms() - server->ended_ms >= SERVER_DRAIN_MS;
}

void
server_run(struct server *server)
{
	while (!server_is_over(server)) {
		/* What followers are told is sent by the listeners, who do not hear of it by themselves: so these are turned behind. */
		int64_t turn = server->ends ? -1 : followers_turn(server->followers), sign = runs_turn(server->runs);
		int64_t wait = server_listen(server);
		struct child *child = NULL;

		if (!server->ends && followers_have_come(server->followers))
			turn = 0;
		if (turn >= 0 && (wait < 0 || turn < wait))
			wait = turn;
		if (sign >= 0 && (wait < 0 || sign < wait))
			wait = sign;
		if (server->ends && (wait < 0 || wait > SERVER_DRAIN_MS))
			wait = SERVER_DRAIN_MS;
		server_start_waiting(server);
		switch (supervise_next(&server->supervisor, wait, &child)) {
		case SUPERVISE_SIGNAL:
			if (server->supervisor.signal == SIGHUP)
				server_reload(server);
			else
				server_begin_end(server);
			break;
		case SUPERVISE_OUTPUT:
			if (runs_have(server->runs, child))
				runs_send(server->runs, child);
			break;
		case SUPERVISE_ENDED:
			if (runs_have(server->runs, child))
				runs_finish(server->runs, child);
			else
				server_ended(child->owner);
			break;
		default:
			break;
		}
	}
}

void
server_release(struct server *server)
{
	if (!server)
		return;
	if (server->followers)
		followers_end(server->followers);
	for (int i = 0; i < server->count; i++)
		listener_close(server->listeners[i]);
	followers_close(server->followers);
	runs_close(server->runs);
	if (server->epoll >= 0)
		close(server->epoll);
	supervise_release(&server->supervisor);
	free(server);
}
