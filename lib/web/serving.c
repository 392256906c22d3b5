/* SPDX-License-Identifier: Apache-2.0 */
#include "web/serving.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "confine/confine.h"
#include "http/exchange.h"
#include "http/printed.h"
#include "web/asker.h"
#include "web/condition.h"
#include "web/repeats.h"
#include "web/route.h"
#include "web/session.h"

enum {
	SERVING_PRINTED_MEMORY = 256 << 10, /* what a command prints that is more goes to a file, if it is passed on as it comes */
	SERVING_PRINTED_MAX = 64 << 20,     /* else it may print so much */
	SERVING_MS = CONFINE_ASKED_SECONDS * 1000, /* a command that only begins an operation, or looks, takes no longer; nor does a step of an upload */
};

void
serving_add(struct serving *serving, struct http_exchange *exchange)
{
	struct waiter *waiter = memory_zeroed(1, sizeof *waiter);

	waiter->exchange = exchange;
	waiter->next = serving->waiters;
	serving->waiters = waiter;
	exchange->owner = serving;
}

struct http_exchange *
serving_take(struct serving *serving)
{
	struct waiter *waiter = serving->waiters;
	struct http_exchange *exchange = waiter ? waiter->exchange : NULL;

	if (waiter) {
		serving->waiters = waiter->next;
		exchange->owner = NULL;
		free(waiter);
	}
	return exchange;
}

void
serving_leave(struct serving *serving, struct http_exchange *exchange)
{
	struct waiter **at = &serving->waiters, *waiter;

	while (*at && (*at)->exchange != exchange)
		at = &(*at)->next;
	waiter = *at;
	if (waiter)
		*at = waiter->next;
	free(waiter);
	exchange->owner = NULL;
}

int
serving_prepare(struct serving *serving, const struct route_match *match, const struct asker *asker, struct store *store, struct error *err)
{
	asker_environment(asker, &serving->environment);
	arguments_push(&serving->environment, "COOPR_MESSAGES=json");
	if (serving->repeat)
		repeat_begin(serving->repeat, serving, &serving->environment);
	if (match->route->answer == ROUTE_SESSION_ENDED)
		session_order_end(asker, &serving->call.input);
	serving->shared = serving->environment.count;
	serving->looks = serving->condition;
	serving->session = asker->session ? memory_string(asker->session) : NULL;
	serving->route = match->route;
	serving->uploads = match->route->body == ROUTE_UPLOAD;
	serving->user = memory_string(asker->user ? asker->user : "");
	serving->place = asker_place(asker);
	if (strcmp(match->route->method, "GET") == 0 || !asker->user)
		return 0;
	return grant_begin(&serving->grant, store, asker->user, &asker->limit, err);
}

bool
serving_is_over(struct serving *serving, struct store *store)
{
	const struct http_exchange *exchange = serving->waiters ? serving->waiters->exchange : NULL;

	if (serving->grant.user)
		serving->is_over |= grant_is_over(&serving->grant, store, exchange);
	return serving->is_over;
}

static bool
serving_prints_list(const struct serving *serving)
{
	return !serving->is_text && (serving->route->answer == ROUTE_RECORDS || serving->route->answer == ROUTE_RECORDS_EVENTS);
}

/* Returns whether what the command prints is passed on as it is, or as a list: then it may be much. */
static bool
serving_may_print_much(const struct serving *serving)
{
	enum route_answer answer = serving->route->answer;

	return serving->is_text || serving_prints_list(serving) || answer == ROUTE_BYTES || answer == ROUTE_WHOLE ||
	    (answer == ROUTE_ERRAND && strcmp(serving->route->method, "GET") == 0);
}

int
serving_take_output(struct serving *serving)
{
	if (!serving->output && serving_prints_list(serving))
		serving->output = printed_open(PRINTED_LINES, "application/json", serving->fields);
	else if (!serving->output)
		serving->output = printed_open(serving->route->answer == ROUTE_WHOLE ? PRINTED_WHOLE : PRINTED_AS_IS,
		    serving->is_text ? "text/plain; charset=utf-8" : "application/octet-stream", NULL);
	return printed_take(serving->output, &serving->child.out);
}

int
serving_make_child(struct serving *serving, struct store *store, struct error *err)
{
	const struct call *call = &serving->call;
	struct arguments *environment = &serving->environment;

	while (environment->count > serving->shared)
		free(environment->list[--environment->count]);
	environment->list[environment->count] = NULL;
	if (serving->looks)
		call = condition_look(serving->condition, store, err);
	else if (serving->condition)
		condition_tell(serving->condition, environment);
	if (!call)
		return -1;
	child_release(&serving->child);
	serving->child = (struct child){.argv = call->argv.list, .environment = environment->list, .input = buffer_string(&call->input),
	    .input_length = call->input.length, .out_limit = SERVING_PRINTED_MAX, .capture_err = true, .session = true,
	    .timeout_ms = SERVING_MS, .owner = serving};
	if (!serving->looks && serving_may_print_much(serving))
		serving->child.tell_out = SERVING_PRINTED_MEMORY;
	return 0;
}

int
serving_start(struct serving *serving, struct supervisor *supervisor, struct error *err)
{
	if (supervise_start(supervisor, &serving->child, err) < 0)
		return -1;
	confine_bound_process(serving->child.pid, CONFINE_ASKED_MEMORY, CONFINE_ASKED_SECONDS);
	return 0;
}

void
serving_free(struct serving *serving)
{
	while (serving_take(serving))
		;
	condition_release(serving->condition);
	child_release(&serving->child);
	printed_release(serving->output);
	call_release(&serving->call);
	arguments_release(&serving->environment);
	free(serving->session);
	free(serving->fields);
	free(serving->user);
	free(serving->place);
	grant_release(&serving->grant);
	free(serving);
}
