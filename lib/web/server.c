/* SPDX-License-Identifier: Apache-2.0 */
#include "web/server.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/process.h"
#include "event/supervise.h"
#include "http/certificate.h"
#include "http/client-certificate.h"
#include "http/exchange.h"
#include "http/listener.h"
#include "store/store.h"
#include "web/answer.h"
#include "web/asker.h"
#include "web/requests.h"
#include "web/followers.h"
#include "web/page.h"
#include "web/problem.h"
#include "web/proxy.h"
#include "web/route.h"
#include "web/runs.h"
#include "web/sweeper.h"
#include "web/tunnels.h"

enum {
	SERVER_BODY_MAX = 8 << 20,
	SERVER_BODY_UNKNOWN = 16 << 10, /* of who is not known yet */
	SERVER_IDLE_S = 60,
	SERVER_DRAIN_MS = 10 * 1000, /* at the end, for answers that somebody takes slowly */
};

struct server {
	struct supervisor supervisor;
	struct listener *listeners[SERVER_SOCKETS];
	bool is_for_provisioners[SERVER_SOCKETS];
	int count;
	struct sweeper *sweeper; /* where provisioners are served; or NULL */
	int epoll; /* of the listeners */
	struct certificate *certificate;
	struct client_authority *clients;
	struct store *store;
	const struct proxies *proxies;
	struct requests *requests;
	struct followers *followers;
	uint64_t heard; /* the last event that they were told of */
	struct runs *runs;
	struct tunnels *tunnels;
	bool no_terminal;
	bool ends;
	int64_t ended_ms; /* when the last command had */
};

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

/* Returns the routes that there are for a request. */
static const struct route *
server_table(const struct server *server, const struct http_exchange *exchange)
{
	for (int i = 0; i < server->count; i++)
		if (server->is_for_provisioners[i] && exchange->listener == server->listeners[i])
			return provisioner_routes;
	return route_table(exchange->path);
}

/* Finds out who asks, as the route has it said. */
static bool
server_find_asker(struct server *server, const struct route *route, struct asker *asker, struct http_exchange *exchange)
{
	if (route->answer == ROUTE_ERRAND)
		return asker_find_provisioner(asker, server->store, exchange);
	if (route->answer == ROUTE_SESSION_BEGUN || route->answer == ROUTE_SESSION_PROVIDER)
		return asker_find_unknown(asker, exchange);
	if (route_is_coopr(route->path))
		return asker_find_coopr(asker, server->store, exchange);
	return asker_find(asker, server->store, exchange);
}

/* Answers with what is printed from now on, too. */
static void
server_follow(struct server *server, const struct route_match *match, const struct asker *asker, struct http_exchange *exchange)
{
	if (server->ends)
		problem_answer(exchange, 503, "the server ends");
	else
		runs_follow(server->runs, exchange, match, asker);
}

static void
server_open_tunnel(struct server *server, const struct route_match *match, const struct asker *asker, struct http_exchange *exchange)
{
	if (server->ends)
		problem_answer(exchange, 503, "the server ends");
	else
		tunnels_start(server->tunnels, match, asker, exchange);
}

/* Returns whether requests can be answered: the store can be read, and the end has not begun; else the answer is 503. */
static bool
server_is_ready(const struct server *server, struct http_exchange *exchange)
{
	struct error err;
	int64_t number;

	if (!server->ends && store_changes(server->store, &number, &err) == 0)
		return true;
	problem_answer(exchange, 503, server->ends ? "the server ends" : err.text);
	return false;
}

/* Is called for each request that has arrived. */
static void
server_arrived(void *context, struct http_exchange *exchange)
{
	struct server *server = context;
	struct route_match match = {0};
	struct asker asker = {0};
	const char *allow;
	int status = route_find(server_table(server, exchange), exchange->method, exchange->path, &exchange->arena, &match, &allow);

	if (exchange->owner) {
		requests_arrived(server->requests, exchange);
		return;
	}
	if (!proxy_look(server->proxies, exchange))
		return;
	if (status) {
		problem_answer(exchange, status, NULL);
		if (allow)
			http_field_add(exchange, &exchange->answer.headers, "Allow", allow);
	} else if (http_field_find(&exchange->query, "")) {
		problem_answer(exchange, 400, "the query is malformed");
	} else if (strcmp(match.route->path, "/readyz") == 0 && !server_is_ready(server, exchange)) {
		;
	} else if (match.route->answer == ROUTE_OWN) {
		answer_own(match.route, exchange, !server->no_terminal);
	} else if (match.route->answer == ROUTE_FILE && server->no_terminal && strcmp(match.route->path, "/terminal") == 0) {
		problem_answer(exchange, 404, "this server has no terminals for browsers (coopr-serve --no-terminal)");
	} else if (match.route->answer == ROUTE_FILE) {
		page_answer(&match, exchange);
	} else if (server_is_followed(match.route, exchange)) {
		if (asker_find(&asker, server->store, exchange))
			followers_add(server->followers, exchange, &asker, match.variables[0]);
	} else if (match.route->answer == ROUTE_RUN) {
		if (asker_find(&asker, server->store, exchange))
			server_run_command(server, &match, &asker, exchange);
	} else if (route_follows(match.route, exchange)) {
		if (asker_find(&asker, server->store, exchange))
			server_follow(server, &match, &asker, exchange);
	} else if (match.route->answer == ROUTE_TUNNEL) {
		if (asker_find(&asker, server->store, exchange))
			server_open_tunnel(server, &match, &asker, exchange);
	} else if (match.route->answer == ROUTE_EVENTS) {
		problem_answer(exchange, 406, "events are told as they happen: say Accept: text/event-stream");
	} else if (server_find_asker(server, match.route, &asker, exchange)) {
		requests_add(server->requests, &match, &asker, exchange);
	}
	if (route_is_coopr(exchange->path))
		problem_make_text(exchange);
	asker_release(&asker);
}

/* Answers a body of more bytes than are taken. */
static void
server_answer_large(struct http_exchange *exchange, int limit)
{
	char *detail = memory_printf("the body has more than %d bytes", limit);

	problem_answer(exchange, 413, detail);
	free(detail);
}

/* Is called for each request that is refused as it comes. */
static void
server_refused(void *context, struct http_exchange *exchange, int status)
{
	(void)context;
	if (status == 413)
		server_answer_large(exchange, SERVER_BODY_MAX);
	else
		problem_answer(exchange, status, "the request is malformed");
	if (exchange->path && route_is_coopr(exchange->path))
		problem_make_text(exchange);
}

/* Returns whether more of a body comes than is kept for whoever sends it. */
static bool
server_brings_much(const struct http_exchange *exchange)
{
	const char *length = http_field_find(&exchange->headers, "Content-Length");

	return http_field_find(&exchange->headers, "Transfer-Encoding") || (length && strtoull(length, NULL, 10) > SERVER_BODY_UNKNOWN);
}

/* Refuses a large body of who may not ask, or may not bring one here. */
static void
server_admit(struct server *server, const struct route *route, struct http_exchange *exchange)
{
	struct asker asker = {0};

	if (route->body == ROUTE_NO_BODY || route->answer == ROUTE_SESSION_BEGUN || route->answer == ROUTE_SESSION_PROVIDER)
		server_answer_large(exchange, SERVER_BODY_UNKNOWN);
	else if (proxy_look(server->proxies, exchange))
		server_find_asker(server, route, &asker, exchange);
	if (exchange->answer.status && route_is_coopr(exchange->path))
		problem_make_text(exchange);
	asker_release(&asker);
}

/* Is called for each request of which the head has come: an upload begins at once. */
static void
server_begun(void *context, struct http_exchange *exchange)
{
	struct server *server = context;
	struct route_match match = {0};
	const char *allow;
	int status = route_find(server_table(server, exchange), exchange->method, exchange->path, &exchange->arena, &match, &allow);

	if (status ? server_brings_much(exchange) : match.route->body == ROUTE_UPLOAD)
		server_arrived(server, exchange);
	else if (status == 0 && server_brings_much(exchange))
		server_admit(server, match.route, exchange);
}

/* Is called for each part of an upload. */
static bool
server_take(void *context, struct http_exchange *exchange, const char *bytes, size_t length)
{
	struct server *server = context;

	return requests_take(server->requests, exchange, bytes, length);
}

/* Is called once nobody waits for an answer any more. */
static void
server_left(void *context, struct http_exchange *exchange)
{
	struct server *server = context;

	if (!exchange->owner)
		return;
	if (runs_left(server->runs, exchange) || tunnels_left(server->tunnels, exchange))
		return;
	if (exchange->answer.streams)
		followers_remove(server->followers, exchange);
	else
		requests_left(server->requests, exchange);
}

/* Is called where all that came for an answer that streams was taken. */
static void
server_drained(void *context, struct http_exchange *exchange)
{
	struct server *server = context;

	runs_drained(server->runs, exchange);
}

int
server_open(struct server **out, const struct server_options *options, struct error *err)
{
	struct server *server = memory_zeroed(1, sizeof *server);

	*out = server;
	server->certificate = options->certificate;
	server->clients = options->clients;
	server->store = options->store;
	server->proxies = options->proxies;
	server->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (server->epoll < 0)
		return error_errno(err, EX_OSERR, "epoll");
	if (supervise_init(&server->supervisor, err) < 0)
		return -1;
	server->followers = followers_open(&server->supervisor);
	server->requests = requests_open(&(struct requests_options){.supervisor = &server->supervisor, .store = options->store,
	    .children = options->children, .waiting = options->waiting});
	server->no_terminal = options->no_terminal;
	server->runs = runs_open(&server->supervisor, options->store, !options->no_terminal);
	if (tunnels_open(&server->tunnels, &server->supervisor, options->store, err) < 0)
		return -1;
	for (int i = 0; i < options->count; i++) {
		struct epoll_event event = {.events = EPOLLIN};

		if (listener_open(&server->listeners[i], &(struct listener_options){.fd = options->sockets[i].fd,
		    .body_max = SERVER_BODY_MAX, .connections = options->connections, .idle_s = SERVER_IDLE_S, .begun = server_begun, .refused = server_refused, .part = server_take,
		    .certificate = options->sockets[i].is_tcp ? options->certificate : NULL,
		    .clients = options->sockets[i].is_tcp ? options->clients : NULL, .tls_only_s = options->tls_only_s, .arrived = server_arrived,
		    .drained = server_drained, .left = server_left, .context = server}, err) < 0)
			return -1;
		server->is_for_provisioners[i] = options->sockets[i].is_for_provisioners;
		if (server->is_for_provisioners[i] && !server->sweeper)
			server->sweeper = sweeper_open(&server->supervisor);
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
	tunnels_end(server->tunnels);
	for (int i = 0; i < server->count; i++)
		listener_quiesce(server->listeners[i]);
}

static void
server_reload(struct server *server)
{
	struct error err;

	if (server->certificate && certificate_reload(server->certificate, &err) < 0)
		message("%s; the certificate that was read before is kept", err.text);
	if (server->clients && client_authority_reload(server->clients, &err) < 0)
		message("%s; what was read before is kept", err.text);
}

/* Returns whether it was told to end, and has nothing left to answer: or only answers that nobody takes in time. */
static bool
server_is_over(struct server *server)
{
	size_t exchanges = 0;

	if (!server->ends || server->supervisor.count > 0 || requests_wait(server->requests)) {
		server->ended_ms = clock_monotonic_ms();
		return false;
	}
	for (int i = 0; i < server->count; i++)
		exchanges += listener_exchanges(server->listeners[i]);
	return exchanges == 0 || clock_monotonic_ms() - server->ended_ms >= SERVER_DRAIN_MS;
}

/* Tells followers what has happened, of which what was looked at before says nothing. Returns as followers_turn does. */
static int64_t
server_tell(struct server *server)
{
	int64_t turn = server->ends ? -1 : followers_turn(server->followers);

	if (followers_last(server->followers) != server->heard) {
		server->heard = followers_last(server->followers);
		requests_change(server->requests);
	}
	return turn;
}

/* Has the sweeper do what is due. Returns the milliseconds to wait at most: wait, or less. */
static int64_t
server_sweep(struct server *server, int64_t wait)
{
	int64_t own = server->sweeper && !server->ends ? sweeper_turn(server->sweeper) : -1;

	return own >= 0 && (wait < 0 || own < wait) ? own : wait;
}

void
server_run(struct server *server)
{
	while (!server_is_over(server)) {
		/* What followers are told is sent by the listeners, who do not hear of it by themselves: so these are turned behind. */
		int64_t turn = server_tell(server), sign = runs_turn(server->runs);
		int64_t pass = tunnels_turn(server->tunnels), wait = server_listen(server);
		struct child *child = NULL;

		if (!server->ends && followers_have_come(server->followers))
			turn = 0;
		if (turn >= 0 && (wait < 0 || turn < wait))
			wait = turn;
		if (sign >= 0 && (wait < 0 || sign < wait))
			wait = sign;
		if (pass >= 0 && (wait < 0 || pass < wait))
			wait = pass;
		wait = server_sweep(server, wait);
		if (server->ends && (wait < 0 || wait > SERVER_DRAIN_MS))
			wait = SERVER_DRAIN_MS;
		requests_start(server->requests);
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
			else if (tunnels_have(server->tunnels, child))
				tunnels_send(server->tunnels, child);
			else
				requests_print(server->requests, child);
			break;
		case SUPERVISE_FED:
			if (tunnels_have(server->tunnels, child))
				tunnels_fed(server->tunnels, child);
			else
				requests_fed(child);
			break;
		case SUPERVISE_ENDED:
			if (runs_have(server->runs, child))
				runs_finish(server->runs, child);
			else if (tunnels_have(server->tunnels, child))
				tunnels_finish(server->tunnels, child);
			else if (!sweeper_has_ended(server->sweeper, child))
				requests_end(server->requests, child);
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
	tunnels_close(server->tunnels);
	for (int i = 0; i < server->count; i++)
		listener_close(server->listeners[i]);
	followers_close(server->followers);
	runs_close(server->runs);
	requests_close(server->requests);
	sweeper_close(server->sweeper);
	if (server->epoll >= 0)
		close(server->epoll);
	supervise_release(&server->supervisor);
	free(server);
}
