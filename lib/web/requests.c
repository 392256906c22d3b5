/* SPDX-License-Identifier: Apache-2.0 */
#include "web/requests.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/process.h"
#include "event/supervise.h"
#include "http/downloads.h"
#include "http/exchange.h"
#include "http/listener.h"
#include "http/printed.h"
#include "web/answer.h"
#include "web/asker.h"
#include "web/call.h"
#include "web/condition.h"
#include "web/problem.h"
#include "web/recent.h"
#include "web/repeats.h"
#include "web/route.h"
#include "web/serving.h"
#include "web/session.h"

#define REQUESTS_OVER "the login or the role with which this was asked for has ended meanwhile"

enum {
	REQUESTS_PART = 2,  /* of the commands that run, so much of all at most is a user's: a half */
	REQUESTS_SHARE = 4, /* of those that wait, a quarter */
	REQUESTS_UPLOADS = 32,
	REQUESTS_UPLOADS_OF_USER = 4, /* as many as a tenant has places for (resource/upload.h) */
	REQUESTS_FED = 256 << 10, /* bytes that the command has not read: then no more are taken */
	REQUESTS_STEP = 64 << 10, /* bytes that come in that time at least */
};

struct requests {
	struct requests_options options;
	struct serving *first, **last; /* that wait for their turn */
	unsigned waiting;
	struct serving *running;
	struct recent *recent;
	struct repeats *repeats;
	struct downloads *downloads;
};

struct requests *
requests_open(const struct requests_options *options)
{
	struct requests *requests = memory_zeroed(1, sizeof *requests);

	requests->options = *options;
	requests->last = &requests->first;
	requests->recent = recent_open(options->store);
	requests->repeats = repeats_open(options->store);
	requests->downloads = downloads_open();
	return requests;
}

static bool
requests_look(const struct route *route)
{
	return strcmp(route->method, "GET") == 0;
}

static void
requests_send(struct http_exchange *exchange)
{
	if (exchange->is_waiting)
		listener_answer(exchange);
}

static void
requests_forget(struct requests *requests, struct serving *serving)
{
	if (serving->recent)
		recent_end(requests->recent, serving->recent, NULL);
	if (serving->repeat)
		repeat_end(requests->repeats, serving->repeat, NULL);
	serving_free(serving);
}

/* Has the command wait for its turn. */
static void
requests_queue(struct requests *requests, struct serving *serving)
{
	serving->next = NULL;
	*requests->last = serving;
	requests->last = &serving->next;
	requests->waiting++;
}

/* Returns how many there are in a list that upload, or that do not, of a user, or of all (NULL), from a place, or from anywhere (NULL). */
static unsigned
requests_count(const struct serving *list, bool uploads, const char *user, const char *place)
{
	unsigned count = 0;

	for (; list; list = list->next)
		count += list->uploads == uploads && (!user || strcmp(list->user, user) == 0) && (!place || strcmp(list->place, place) == 0);
	return count;
}

/* Returns whether those in a list are as much of all as may be of one user. All who are not known yet have together what a user has, and those
 * of one place as much of that: so who asks to log in all the time keeps only neighbours from it. */
static bool
requests_are_a_share(const struct serving *list, const char *user, const char *place, unsigned all, unsigned share)
{
	return requests_count(list, false, user, NULL) >= all / share ||
	    (*place && requests_count(list, false, user, place) >= all / share / share);
}

/* Returns whether another request would be too many: of all, or of its user, who leaves room for others. */
static bool
requests_are_too_many(const struct requests *requests, const struct route *route, const struct asker *asker)
{
	const char *user = asker->user ? asker->user : "";
	char *place = asker_place(asker);
	bool many;

	if (route->body == ROUTE_UPLOAD)
		many = requests_count(requests->running, true, NULL, NULL) >= REQUESTS_UPLOADS ||
		    requests_count(requests->running, true, user, NULL) >= REQUESTS_UPLOADS_OF_USER;
	else
		many = requests->waiting >= requests->options.waiting ||
		    requests_are_a_share(requests->first, user, place, requests->options.waiting, REQUESTS_SHARE);
	free(place);
	return many;
}

static void
requests_add_running(struct requests *requests, struct serving *serving)
{
	serving->next = requests->running;
	requests->running = serving;
}

/* Starts the command of an upload, of which only the head has come. */
static void
requests_upload(struct requests *requests, struct serving *serving, struct http_exchange *exchange)
{
	struct error err;

	if (serving_make_child(serving, requests->options.store, &err) == 0)
		serving->child.hold_input = serving->child.tell_fed = true;
	if (!serving->child.hold_input || serving_start(serving, requests->options.supervisor, &err) < 0) {
		problem_answer(exchange, 503, err.text);
		requests_forget(requests, serving);
		return;
	}
	exchange->takes_parts = true;
	requests_add_running(requests, serving);
}

static void
requests_refuse(struct http_exchange *exchange, const char *reason)
{
	problem_answer(exchange, 503, reason);
	http_field_add(exchange, &exchange->answer.headers, "Retry-After", "1");
}

/* Has the command run, unless it has been for the same request before. */
static void
requests_once(struct requests *requests, struct serving *serving, const struct route_match *match, const struct asker *asker,
    struct http_exchange *exchange)
{
	struct repeat *repeat = repeats_find(requests->repeats, match, asker, &serving->call, exchange);
	bool runs = repeat && repeat_maker(repeat), uploads = match->route->body == ROUTE_UPLOAD;
	const char *fields = route_fields(match->route, exchange);
	struct error err;

	if (runs && uploads)
		requests_refuse(exchange, "the same upload is on its way; try again later");
	else if (runs)
		serving_add(repeat_maker(repeat), exchange);
	else
		serving->repeat = repeat;
	if (!runs && !exchange->answer.status)
		serving->condition = condition_take(match, &serving->call, exchange);
	if (runs || exchange->answer.status) {
		requests_forget(requests, serving);
		return;
	}
	if (serving_prepare(serving, match, asker, requests->options.store, &err) < 0) {
		problem_answer_error(exchange, &err);
		requests_forget(requests, serving);
		return;
	}
	serving->is_text = route_is_text(match->route, exchange);
	serving->fields = fields ? memory_string(fields) : NULL;
	serving->recent = recent_begin(requests->recent, match->route, asker, exchange, serving);
	serving_add(serving, exchange);
	if (uploads)
		requests_upload(requests, serving, exchange);
	else
		requests_queue(requests, serving);
}

/* Makes the command of a request. */
static void
requests_make(struct requests *requests, const struct route_match *match, const struct asker *asker, struct http_exchange *exchange)
{
	struct serving *serving = memory_zeroed(1, sizeof *serving);
	struct problems problems = {0};

	if (call_make(&serving->call, match, exchange, &problems) == 0) {
		requests_once(requests, serving, match, asker, exchange);
	} else {
		if (problems.total)
			problem_answer_all(exchange, &problems);
		else
			problem_answer(exchange, 503, "the command of this route cannot be run");
		requests_forget(requests, serving);
	}
	problems_release(&problems);
}

void
requests_add(struct requests *requests, const struct route_match *match, const struct asker *asker, struct http_exchange *exchange)
{
	struct recent_answer *recent = recent_find(requests->recent, match->route, asker, exchange);

	if (recent && recent_maker(recent)) {
		serving_add(recent_maker(recent), exchange);
	} else if (recent) {
		recent_give(recent, exchange);
		answer_spare(exchange);
	} else if (requests_are_too_many(requests, match->route, asker)) {
		requests_refuse(exchange, match->route->body == ROUTE_UPLOAD ? "too many uploads are on their way; try again later"
		                                                             : "too many requests wait for their turn; try again later");
	} else {
		requests_make(requests, match, asker, exchange);
	}
}

bool
requests_take(struct requests *requests, struct http_exchange *exchange, const char *bytes, size_t length)
{
	struct serving *serving = exchange->owner;
	struct supervisor *supervisor = requests->options.supervisor;

	serving->came += length;
	if (serving->came >= REQUESTS_STEP) {
		serving->came = 0;
		supervise_extend(supervisor, &serving->child);
	}
	return supervise_feed(supervisor, &serving->child, bytes, length) < REQUESTS_FED;
}

void
requests_fed(struct child *child)
{
	struct serving *serving = child->owner;

	/* What has come whole waits for its answer. */
	if (child->hold_input && serving->waiters)
		requests_send(serving->waiters->exchange);
}

void
requests_arrived(struct requests *requests, struct http_exchange *exchange)
{
	struct serving *serving = exchange->owner;

	supervise_extend(requests->options.supervisor, &serving->child);
	/* Without the end of its input the command does nothing. */
	if (serving_is_over(serving, requests->options.store))
		supervise_stop(requests->options.supervisor, &serving->child);
	else
		supervise_end_input(requests->options.supervisor, &serving->child);
}

void
requests_left(struct requests *requests, struct http_exchange *exchange)
{
	struct serving *serving = exchange->owner;

	if (exchange->answer.is_file) {
		downloads_remove(requests->downloads, exchange);
		return;
	}
	serving_leave(serving, exchange);
	/* The end of an input that is not whole would be taken for the end of the upload: it stays open. */
	if (serving->waiters || serving->child.pid <= 0 || !(requests_look(serving->route) || serving->child.hold_input))
		return;
	supervise_stop(requests->options.supervisor, &serving->child);
	/* Nobody else is to wait for what is stopped. */
	if (serving->recent)
		recent_end(requests->recent, serving->recent, NULL);
	serving->recent = NULL;
}

void
requests_print(struct requests *requests, struct child *child)
{
	struct serving *serving = child->owner;

	if (child->tell_out && child->out.length >= child->tell_out && serving_take_output(serving) < 0)
		supervise_stop(requests->options.supervisor, child);
}

/* Takes the first that waits for its turn, of a user who leaves room for others; NULL: there is none. */
static struct serving *
requests_take_turn(struct requests *requests)
{
	struct serving **at = &requests->first, *serving;

	while (*at && requests_are_a_share(requests->running, (*at)->user, (*at)->place, requests->options.children, REQUESTS_PART))
		at = &(*at)->next;
	serving = *at;
	if (!serving)
		return NULL;
	*at = serving->next;
	if (!*at)
		requests->last = at;
	requests->waiting--;
	return serving;
}

void
requests_start(struct requests *requests)
{
	struct serving *serving;

	while (requests_count(requests->running, false, NULL, NULL) < requests->options.children && (serving = requests_take_turn(requests))) {
		struct http_exchange *exchange;
		struct error err;

		if (serving_is_over(serving, requests->options.store))
			error_set(&err, EX_NOPERM, REQUESTS_OVER);
		else if (serving->waiters && serving_make_child(serving, requests->options.store, &err) == 0 &&
		    serving_start(serving, requests->options.supervisor, &err) == 0) {
			requests_add_running(requests, serving);
			continue;
		}
		while ((exchange = serving_take(serving))) {
			problem_answer(exchange, serving->is_over ? 403 : 503, err.text);
			requests_send(exchange);
		}
		requests_forget(requests, serving);
	}
}

/* Answers one who waits; one that is answered already is answered the same way. */
static void
requests_answer(struct requests *requests, struct serving *serving, struct http_exchange *exchange)
{
	if (serving->is_over)
		problem_answer(exchange, 403, REQUESTS_OVER);
	else if (serving->looks)
		condition_answer(serving->condition, &serving->child, exchange);
	else if (session_is_answer(serving->route))
		session_answer(serving->route, exchange, &serving->child, serving->session);
	else if (serving->output && downloads_are_too_many(requests->downloads, serving->user))
		requests_refuse(exchange, "too many large answers are on their way; try again later");
	else
		answer_call(serving->route, exchange, &serving->child, serving->output);
	if (serving->repeat)
		repeat_revise(requests->repeats, serving->repeat, exchange);
	if (exchange->answer.is_file)
		downloads_add(requests->downloads, serving->user, exchange);
	if (route_is_coopr(serving->route->path))
		problem_make_text(exchange);
}

/* Takes what has ended from the list. Who has not sent an upload in time is cut off: there is nothing to answer before it has come. */
static void
requests_remove_running(struct requests *requests, struct serving *serving)
{
	struct serving **at = &requests->running;
	struct http_exchange *exchange;

	while (*at != serving)
		at = &(*at)->next;
	*at = serving->next;
	if (serving->uploads && serving->child.timed_out && serving->child.hold_input && (exchange = serving_take(serving)))
		listener_cut(exchange);
}

void
requests_end(struct requests *requests, struct child *child)
{
	struct serving *serving = child->owner;
	struct http_exchange *exchange;

	if (!requests_look(serving->route))
		requests_change(requests);
	requests_remove_running(requests, serving);
	if (serving->output)
		serving_take_output(serving);
	if (serving->condition &&
	    (serving->looks ? condition_holds(serving->condition, child) : condition_is_late(serving->condition, child))) {
		serving->looks = !serving->looks;
		requests_queue(requests, serving);
		return;
	}
	while ((exchange = serving_take(serving))) {
		requests_answer(requests, serving, exchange);
		if (serving->recent)
			recent_end(requests->recent, serving->recent, exchange);
		serving->recent = NULL;
		if (serving->repeat)
			repeat_end(requests->repeats, serving->repeat, exchange);
		serving->repeat = NULL;
		answer_spare(exchange);
		requests_send(exchange);
	}
	requests_forget(requests, serving);
}

bool
requests_wait(const struct requests *requests)
{
	return requests->first != NULL;
}

void
requests_change(struct requests *requests)
{
	recent_change(requests->recent);
}

void
requests_close(struct requests *requests)
{
	if (!requests)
		return;
	recent_close(requests->recent);
	repeats_close(requests->repeats);
	downloads_close(requests->downloads);
	free(requests);
}
