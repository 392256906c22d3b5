/* SPDX-License-Identifier: Apache-2.0 */
#include "web/condition.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "event/supervise.h"
#include "http/exchange.h"
#include "store/audit.h"
#include "store/client.h"
#include "web/answer.h"
#include "web/call.h"
#include "web/problem.h"
#include "web/route.h"

enum { CONDITION_TIMES = 16 }; /* that a change is begun anew, while others change something all the time */

struct condition {
	char *match, *none; /* what was sent, If-Match and If-None-Match; both NULL: nothing, though one is wanted */
	bool makes;         /* the change may make what is not there */
	const struct route *route; /* that looks */
	struct call call;
	int64_t seen; /* of the audit log, the newest record before the look */
	int times;
	bool is_named; /* the environment has the request already */
};

static bool
condition_is_shown(struct http_exchange *look, struct route_match *match)
{
	const char *allow;

	return route_find(route_table(look->path), "GET", look->path, &look->arena, match, &allow) == 0 && match->route->answer == ROUTE_RECORD;
}

/* Finds the route that shows what the path of a change is of: that of the path itself, or of the one above. */
static bool
condition_find(const struct http_exchange *change, struct http_exchange *look, struct route_match *match)
{
	const char *slash = strrchr(change->path, '/');

	look->method = "GET";
	look->path = change->path;
	if (condition_is_shown(look, match))
		return true;
	look->path = arena_printf(&look->arena, "%.*s", (int)(slash - change->path), change->path);
	return condition_is_shown(look, match);
}

/* Returns whether a change of the route replaces or removes what is shown at its path, and so wants a condition. */
static bool
condition_is_wanted(const struct route_match *match, const struct http_exchange *look, const char *path, const struct call *change)
{
	for (size_t i = 0; i < change->argv.count; i++)
		if (strcmp(change->argv.list[i], "--dry-run") == 0 || strcmp(change->argv.list[i], "--save=-") == 0)
			return false;
	return strcmp(match->route->method, "POST") != 0 && strcmp(look->path, path) == 0;
}

/* Makes the call of the command that looks, for the tenant of the change. */
static struct condition *
condition_make(const struct route_match *match, struct http_exchange *look, const struct call *change)
{
	struct condition *condition = memory_zeroed(1, sizeof *condition);
	struct problems problems = {0};

	condition->route = match->route;
	for (size_t i = 0; i < change->argv.count; i++)
		if (strncmp(change->argv.list[i], "--tenant=", 9) == 0)
			http_field_add(look, &look->query, "tenant", change->argv.list[i] + 9);
	if (call_make(&condition->call, match, look, &problems) < 0) {
		condition_release(condition);
		condition = NULL;
	}
	problems_release(&problems);
	return condition;
}

struct condition *
condition_take(const struct route_match *match, const struct call *change, struct http_exchange *exchange)
{
	const char *if_match = http_field_find(&exchange->headers, "If-Match");
	const char *if_none = http_field_find(&exchange->headers, "If-None-Match");
	struct http_exchange look = {0};
	struct route_match look_match = {0};
	struct condition *condition = NULL;
	bool has = if_match || if_none, can;

	if (strcmp(match->route->method, "GET") == 0)
		return NULL;
	can = condition_find(exchange, &look, &look_match);
	if (has && !can) {
		problem_answer(exchange, 400, "GET shows no record at this path; send neither If-Match nor If-None-Match");
	} else if (if_none && strcmp(if_none, "*") != 0) {
		problem_answer(exchange, 400, "expected If-None-Match: *, for what is not there yet");
	} else if (has || (can && condition_is_wanted(match, &look, exchange->path, change))) {
		condition = condition_make(&look_match, &look, change);
		if (!condition)
			problem_answer(exchange, 503, "the command of this route cannot be run");
	}
	if (condition) {
		condition->match = if_match ? memory_string(if_match) : NULL;
		condition->makes = strcmp(match->route->method, "PUT") == 0;
		condition->is_named = http_field_find(&exchange->headers, "Idempotency-Key");
		condition->none = if_none ? memory_string(if_none) : NULL;
	}
	http_exchange_release(&look);
	return condition;
}

const struct call *
condition_look(struct condition *condition, struct store *store, struct error *err)
{
	condition->times++;
	return audit_newest(store, &condition->seen, err) < 0 ? NULL : &condition->call;
}

/* Returns whether a list of tags has one. */
static bool
condition_lists(const char *list, const char *tag)
{
	return strcmp(list, "*") == 0 || (tag && strstr(list, tag));
}

bool
condition_holds(const struct condition *condition, const struct child *child)
{
	struct http_exchange shown = {.method = "GET"};
	bool holds;

	answer_call(condition->route, &shown, child, NULL);
	if (shown.answer.status == 200)
		holds = condition->match && !condition->none && condition_lists(condition->match, http_field_find(&shown.answer.headers, "ETag"));
	else
		holds = shown.answer.status == 404 && condition->none && !condition->match;
	http_exchange_release(&shown);
	return holds;
}

void
condition_answer(const struct condition *condition, const struct child *child, struct http_exchange *exchange)
{
	struct http_exchange shown = {.method = "GET"};

	answer_call(condition->route, &shown, child, NULL);
	if (!condition->match && !condition->none && (shown.answer.status == 200 || (shown.answer.status == 404 && condition->makes)))
		problem_answer(exchange, 428, "send If-Match with the ETag that GET has answered, If-Match: * for whatever is there, or "
		    "If-None-Match: * for what is not there yet");
	else if (shown.answer.status == 200 && condition->none)
		problem_answer(exchange, 412, "it is there already");
	else if (shown.answer.status == 200)
		problem_answer(exchange, 412, "it is not what you have seen any more; look again, and then decide");
	else if (shown.answer.status == 404 && condition->match)
		problem_answer(exchange, 412, "it is not there any more");
	else
		answer_call(condition->route, exchange, child, NULL);
	http_exchange_release(&shown);
}

void
condition_tell(const struct condition *condition, struct arguments *environment)
{
	char run[CLIENT_RUN_SIZE];

	arguments_printf(environment, "%s=%" PRId64, CLIENT_ASKER_SEEN, condition->seen);
	client_make_run(run);
	if (!condition->is_named)
		arguments_printf(environment, "%s=- - %s", CLIENT_ASKER_REQUEST, run);
}

bool
condition_is_late(const struct condition *condition, const struct child *child)
{
	return process_exit_code(child->wait_status) == EX_TEMPFAIL && condition->times < CONDITION_TIMES &&
	    strstr(buffer_string(&child->err), AUDIT_LATE);
}

void
condition_release(struct condition *condition)
{
	if (!condition)
		return;
	call_release(&condition->call);
	free(condition->match);
	free(condition->none);
	free(condition);
}
