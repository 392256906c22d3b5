/* SPDX-License-Identifier: Apache-2.0 */
#include "web/repeats.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/process.h"
#include "content/content.h"
#include "http/exchange.h"
#include "store/audit.h"
#include "store/client.h"
#include "web/asker.h"
#include "web/call.h"
#include "web/problem.h"
#include "web/route.h"

enum {
	REPEATS_MAX = 4096,
	REPEATS_BYTES = 16 << 20, /* of answers, at most */
	REPEATS_ANSWER = 1 << 20, /* of one: what is larger is not remembered */
	REPEATS_MS = 24 * 3600 * 1000,
	REPEATS_KEY = 255, /* the length of what is sent */
};

struct repeat {
	char key[CONTENT_DIGEST_SIZE];  /* of user and rights, tenant, route and Idempotency-Key */
	char body[CONTENT_DIGEST_SIZE]; /* of what is asked for */
	char run[CLIENT_RUN_SIZE];
	char *user;
	const struct route *route;
	void *maker; /* NULL: it was done */
	int64_t made_ms;
	int status;
	const char *type;
	char *location; /* or NULL */
	struct buffer answer;
};

struct repeats {
	struct store *store;
	struct repeat *list[REPEATS_MAX]; /* the oldest first */
	size_t count, bytes;
};

struct repeats *
repeats_open(struct store *store)
{
	struct repeats *repeats = memory_zeroed(1, sizeof *repeats);

	repeats->store = store;
	return repeats;
}

/* Takes the request for what it asks: whose it is, and the words and the input of its command. Who reads the hashes, which are in the
 * audit log, could guess a password from them. So secrets are left out, and what is hashed begins with the key that was sent, which is
 * not kept. */
static void
repeat_identify(struct repeat *repeat, const struct route_match *match, const struct asker *asker, const struct call *call,
    const struct http_exchange *exchange, const char *key)
{
	struct buffer whose = {0}, what = {0};

	asker_identify(asker, &whose);
	buffer_netstring(&whose, exchange->method);
	buffer_netstring(&whose, exchange->path);
	buffer_netstring(&whose, key);
	buffer_netstring(&what, key);
	for (size_t i = 1; i < call->argv.count; i++) {
		buffer_netstring(&what, call->argv.list[i]);
		if (strncmp(call->argv.list[i], "--tenant=", 9) == 0)
			buffer_netstring(&whose, call->argv.list[i]);
	}
	buffer_append(&what, call->input.data + call->secrets, call->input.length - call->secrets);
	content_digest(whose.data, whose.length, repeat->key);
	content_digest(what.data, what.length, repeat->body);
	buffer_release(&whose);
	buffer_release(&what);
	repeat->user = memory_string(asker->user);
	repeat->route = match->route;
}

static void
repeat_free(struct repeat *repeat)
{
	buffer_release(&repeat->answer);
	free(repeat->location);
	free(repeat->user);
	free(repeat);
}

static void
repeats_remove(struct repeats *repeats, size_t at)
{
	repeats->bytes -= repeats->list[at]->answer.length;
	repeat_free(repeats->list[at]);
	repeats->count--;
	memmove(&repeats->list[at], &repeats->list[at + 1], (repeats->count - at) * sizeof repeats->list[0]);
}

/* Forgets what is a day old, and of the rest the oldest, as long as there is too much. What is being done stays. */
static void
repeats_trim(struct repeats *repeats)
{
	int64_t now = clock_monotonic_ms();

	for (size_t i = 0; i < repeats->count;) {
		const struct repeat *repeat = repeats->list[i];

		if (!repeat->maker && (now - repeat->made_ms > REPEATS_MS || repeats->count == REPEATS_MAX || repeats->bytes > REPEATS_BYTES))
			repeats_remove(repeats, i);
		else
			i++;
	}
}

static struct repeat *
repeats_recall(const struct repeats *repeats, const char *key)
{
	for (size_t i = repeats->count; i > 0; i--)
		if (strcmp(repeats->list[i - 1]->key, key) == 0)
			return repeats->list[i - 1];
	return NULL;
}

static void
repeats_mark(struct http_exchange *exchange)
{
	http_field_add(exchange, &exchange->answer.headers, "Idempotency-Replayed", "true");
}

/* Answers as before. */
static void
repeat_give(const struct repeat *repeat, struct http_exchange *exchange)
{
	exchange->answer.status = repeat->status;
	exchange->answer.type = repeat->type;
	buffer_append(&exchange->answer.body, repeat->answer.data, repeat->answer.length);
	if (repeat->location)
		http_field_add(exchange, &exchange->answer.headers, "Location", repeat->location);
	repeats_mark(exchange);
}

static void
repeats_refuse_other(struct http_exchange *exchange)
{
	problem_answer(exchange, 422, "another request was sent with this Idempotency-Key; a new request needs a new one");
}

/* Answers with what the audit log knows of what was done. */
static void
repeats_answer_known(const struct route *route, const struct audit_record *record, struct http_exchange *exchange)
{
	char at[CLOCK_RFC3339_SIZE];
	char *text;

	if (route->answer == ROUTE_DONE) {
		exchange->answer.status = 204;
	} else if (route->answer == ROUTE_BEGUN && record->cluster) {
		exchange->answer.status = 202;
		exchange->answer.type = "application/json";
		buffer_printf(&exchange->answer.body, "{\"cluster\":\"%s\",\"kind\":\"begun\"}\n", record->cluster);
		text = memory_printf("/v1/clusters/%s", record->cluster);
		http_field_add(exchange, &exchange->answer.headers, "Location", text);
		free(text);
	} else {
		text = memory_printf("the request with this Idempotency-Key was carried out at %s (%s %s); what it was answered is not known any "
		    "more", clock_rfc3339(record->at_ms, at), record->action, record->object);
		problem_answer(exchange, 409, text);
		free(text);
	}
	repeats_mark(exchange);
}

/* Answers a request that a server has carried out which does not remember it. Returns false where there was none. */
static bool
repeats_answer_from_log(struct repeats *repeats, const struct repeat *repeat, struct http_exchange *exchange)
{
	struct audit_list list = {0};
	struct error err;
	const char *request;

	if (audit_find_request(repeats->store, repeat->user, repeat->key, &list, &err) < 0) {
		problem_answer(exchange, 503, err.text);
	} else if (list.count > 0) {
		request = list.list[0].request + strlen(repeat->key) + 1;
		if (strncmp(request, repeat->body, strlen(repeat->body)) == 0)
			repeats_answer_known(repeat->route, &list.list[0], exchange);
		else
			repeats_refuse_other(exchange);
	}
	audit_list_release(&list);
	return exchange->answer.status != 0;
}

/* Returns the key that was sent; NULL where there is none that counts, or it cannot be one. */
static const char *
repeats_key(const struct route_match *match, const struct asker *asker, struct http_exchange *exchange)
{
	const char *key = http_field_find(&exchange->headers, "Idempotency-Key");

	if (!key || !asker->user || strcmp(match->route->method, "GET") == 0)
		return NULL;
	if (*key && strlen(key) <= REPEATS_KEY)
		return key;
	problem_answer(exchange, 400, "an Idempotency-Key has 1 to 255 characters");
	return NULL;
}

struct repeat *
repeats_find(struct repeats *repeats, const struct route_match *match, const struct asker *asker, const struct call *call,
    struct http_exchange *exchange)
{
	const char *key = repeats_key(match, asker, exchange);
	struct repeat *repeat, *known;

	if (!key)
		return NULL;
	repeat = memory_zeroed(1, sizeof *repeat);
	repeat_identify(repeat, match, asker, call, exchange, key);
	repeats_trim(repeats);
	known = repeats_recall(repeats, repeat->key);
	if (known && strcmp(known->body, repeat->body) != 0) {
		repeats_refuse_other(exchange);
	} else if (known && !known->maker) {
		repeat_give(known, exchange);
	} else if (!known && repeats->count == REPEATS_MAX) {
		problem_answer(exchange, 503, "too many requests that may be sent again wait for their turn; try again later");
	} else if (!known && !repeats_answer_from_log(repeats, repeat, exchange)) {
		repeats->list[repeats->count++] = repeat;
		return repeat;
	}
	repeat_free(repeat);
	return exchange->answer.status ? NULL : known;
}

void *
repeat_maker(const struct repeat *repeat)
{
	return repeat->maker;
}

void
repeat_begin(struct repeat *repeat, void *maker, struct arguments *environment)
{
	repeat->maker = maker;
	client_make_run(repeat->run);
	arguments_printf(environment, "%s=%s %s %s", CLIENT_ASKER_REQUEST, repeat->key, repeat->body, repeat->run);
}

/* Returns whether this run of the request has changed something; else sets others to whether another run has. */
static bool
repeat_has_changed(struct repeats *repeats, const struct repeat *repeat, bool *others)
{
	struct audit_list list = {0};
	struct error ignored; /* then the log knows it later */
	bool changed = false;

	if (audit_find_request(repeats->store, repeat->user, repeat->key, &list, &ignored) == 0)
		for (size_t i = 0; i < list.count; i++)
			changed |= strcmp(strrchr(list.list[i].request, ' ') + 1, repeat->run) == 0;
	*others = list.count > 0;
	audit_list_release(&list);
	return changed;
}

void
repeat_revise(struct repeats *repeats, const struct repeat *repeat, struct http_exchange *exchange)
{
	struct http_answer refused = exchange->answer;
	bool others;

	if (refused.is_file || repeat_has_changed(repeats, repeat, &others) || !others)
		return;
	if (refused.status < 400) {
		repeats_mark(exchange);
		return;
	}
	exchange->answer = (struct http_answer){0};
	if (!repeats_answer_from_log(repeats, repeat, exchange)) {
		exchange->answer = refused;
		return;
	}
	free(refused.headers.list);
	buffer_release(&refused.body);
}

void
repeat_end(struct repeats *repeats, struct repeat *repeat, const struct http_exchange *exchange)
{
	const struct http_answer *answer = exchange ? &exchange->answer : NULL;
	const char *location = answer ? http_field_find(&answer->headers, "Location") : NULL;
	size_t at = 0;
	bool others;

	while (repeats->list[at] != repeat)
		at++;
	if (!answer || answer->is_file || answer->body.length > REPEATS_ANSWER || repeat->route->answer == ROUTE_RECORD_ONCE ||
	    (answer->status != 204 && !repeat_has_changed(repeats, repeat, &others))) {
		repeats_remove(repeats, at);
		return;
	}
	repeat->maker = NULL;
	repeat->made_ms = clock_monotonic_ms();
	repeat->status = answer->status;
	repeat->type = answer->type;
	repeat->location = location ? memory_string(location) : NULL;
	buffer_append(&repeat->answer, answer->body.data, answer->body.length);
	repeats->bytes += answer->body.length;
}

void
repeats_close(struct repeats *repeats)
{
	if (!repeats)
		return;
	for (size_t i = 0; i < repeats->count; i++)
		repeat_free(repeats->list[i]);
	free(repeats);
}
