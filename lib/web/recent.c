/* SPDX-License-Identifier: Apache-2.0 */
#include "web/recent.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "http/exchange.h"
#include "store/store.h"
#include "web/asker.h"
#include "web/route.h"

enum {
	RECENT_MS = 100,
	RECENT_PLACES = 1024,     /* one for each hash: what has the same as another takes its place */
	RECENT_BYTES = 64 << 20,  /* of answers, at most */
};

struct recent_answer {
	char *key;
	void *maker;     /* NULL: it is made */
	uint64_t epoch;  /* when it was looked for */
	int64_t made_ms;
	const char *type;
	char *tag;
	struct buffer body;
};

struct recent {
	struct store *store;
	int64_t version; /* of the store */
	uint64_t epoch;  /* changes with whatever changes */
	struct recent_answer *places[RECENT_PLACES];
	size_t bytes;
};

struct recent *
recent_open(struct store *store)
{
	struct recent *recent = memory_zeroed(1, sizeof *recent);

	recent->store = store;
	return recent;
}

/* Releases an answer, unless it is still being made: its maker does then. */
static void
recent_release(struct recent *recent, struct recent_answer *answer)
{
	if (!answer || answer->maker)
		return;
	recent->bytes -= answer->body.length;
	buffer_release(&answer->body);
	free(answer->tag);
	free(answer->key);
	free(answer);
}

void
recent_change(struct recent *recent)
{
	recent->epoch++;
}

/* Notices a change of the store that others have made. */
static void
recent_look(struct recent *recent)
{
	struct error ignored; /* then it counts as changed */
	int64_t version;

	if (store_changes(recent->store, &version, &ignored) == 0 && version == recent->version)
		return;
	recent->version = version;
	recent_change(recent);
}

/* Returns all that the answer depends on; NULL where it is no answer to looking at something of the store. */
static char *
recent_key(const struct route *route, const struct asker *asker, const struct http_exchange *exchange)
{
	const char *accept = http_field_find(&exchange->headers, "Accept");
	struct buffer key = {0};

	if (strcmp(route->method, "GET") != 0 || !route->command || route->answer == ROUTE_SESSION)
		return NULL;
	buffer_printf(&key, "%" PRId64 " ", asker->limit.token);
	asker_identify(asker, &key);
	buffer_netstring(&key, accept);
	buffer_netstring(&key, exchange->path);
	for (size_t i = 0; i < exchange->query.count; i++) {
		buffer_netstring(&key, exchange->query.list[i].name);
		buffer_netstring(&key, exchange->query.list[i].value);
	}
	return key.data;
}

static struct recent_answer **
recent_place(struct recent *recent, const char *key)
{
	return &recent->places[hash_text(HASH_START, key) % RECENT_PLACES];
}

struct recent_answer *
recent_find(struct recent *recent, const struct route *route, const struct asker *asker, const struct http_exchange *exchange)
{
	char *key = recent_key(route, asker, exchange);
	struct recent_answer *answer = key ? *recent_place(recent, key) : NULL;

	recent_look(recent);
	if (answer && (answer->epoch != recent->epoch || strcmp(answer->key, key) != 0 ||
	    (!answer->maker && clock_monotonic_ms() - answer->made_ms >= RECENT_MS)))
		answer = NULL;
	free(key);
	return answer;
}

struct recent_answer *
recent_begin(struct recent *recent, const struct route *route, const struct asker *asker, const struct http_exchange *exchange,
    void *maker)
{
	char *key = recent_key(route, asker, exchange);
	struct recent_answer *answer, **place;

	if (!key)
		return NULL;
	answer = memory_zeroed(1, sizeof *answer);
	answer->key = key;
	answer->maker = maker;
	answer->epoch = recent->epoch;
	place = recent_place(recent, key);
	recent_release(recent, *place);
	*place = answer;
	return answer;
}

void *
recent_maker(const struct recent_answer *answer)
{
	return answer->maker;
}

void
recent_end(struct recent *recent, struct recent_answer *answer, const struct http_exchange *exchange)
{
	struct recent_answer **place = recent_place(recent, answer->key);
	const struct http_answer *made = exchange ? &exchange->answer : NULL;
	const char *tag = made ? http_field_find(&made->headers, "ETag") : NULL;
	bool keep;

	recent_look(recent);
	keep = made && made->status == 200 && tag && !made->is_file && *place == answer && answer->epoch == recent->epoch &&
	    made->body.length < RECENT_BYTES - recent->bytes;
	answer->maker = NULL;
	if (!keep) {
		if (*place == answer)
			*place = NULL;
		recent_release(recent, answer);
		return;
	}
	answer->made_ms = clock_monotonic_ms();
	answer->type = made->type;
	answer->tag = memory_string(tag);
	buffer_append(&answer->body, made->body.data, made->body.length);
	recent->bytes += answer->body.length;
}

void
recent_give(const struct recent_answer *answer, struct http_exchange *exchange)
{
	exchange->answer.status = 200;
	exchange->answer.type = answer->type;
	buffer_append(&exchange->answer.body, answer->body.data, answer->body.length);
	http_field_add(exchange, &exchange->answer.headers, "ETag", answer->tag);
}

void
recent_close(struct recent *recent)
{
	if (!recent)
		return;
	for (size_t i = 0; i < RECENT_PLACES; i++)
		recent_release(recent, recent->places[i]);
	free(recent);
}
