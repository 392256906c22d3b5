/* SPDX-License-Identifier: Apache-2.0 */
#include "web/serving.h"

#include <stdlib.h>

#include "base/memory.h"
#include "confine/confine.h"
#include "http/exchange.h"
#include "web/asker.h"
#include "web/condition.h"
#include "web/repeats.h"
#include "web/route.h"
#include "web/session.h"

enum {
	SERVING_OUTPUT_MAX = 256 << 20,
	SERVING_MEMORY = 2047 << 20,
	SERVING_MS = 120 * 1000, /* a command that only begins an operation, or looks, takes no longer; nor does a step of an upload */
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

void
serving_prepare(struct serving *serving, const struct route_match *match, const struct asker *asker)
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
	    .input_length = call->input.length, .out_limit = SERVING_OUTPUT_MAX, .capture_err = true, .session = true,
	    .timeout_ms = SERVING_MS, .owner = serving};
	return 0;
}

int
serving_start(struct serving *serving, struct supervisor *supervisor, struct error *err)
{
	if (supervise_start(supervisor, &serving->child, err) < 0)
		return -1;
	confine_bound_process(serving->child.pid, SERVING_MEMORY, SERVING_MS / 1000);
	return 0;
}

void
serving_free(struct serving *serving)
{
	while (serving_take(serving))
		;
	condition_release(serving->condition);
	child_release(&serving->child);
	call_release(&serving->call);
	arguments_release(&serving->environment);
	free(serving->session);
	free(serving->user);
	free(serving);
}
