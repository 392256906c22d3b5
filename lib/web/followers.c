/* SPDX-License-Identifier: Apache-2.0 */
#include "web/followers.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "account/accounts.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/message.h"
#include "cluster/clusters.h"
#include "content/cursor.h"
#include "event/supervise.h"
#include "http/exchange.h"
#include "http/listener.h"
#include "login/grant.h"
#include "login/logins.h"
#include "web/asker.h"
#include "web/feed.h"
#include "web/problem.h"

enum {
	FOLLOWERS_SEEN = 64,
	FOLLOWERS_KEPT = 64 << 10,  /* bytes that one has not taken: from then on it gets no more */
	FOLLOWERS_PATIENCE = 1000,  /* ... until it has taken them, or so many events have happened meanwhile: it is cut off */
	FOLLOWERS_PAUSE_MS = 40,    /* between two turns: what has happened meanwhile is told at once */
	FOLLOWERS_RIGHTS_MS = 1000, /* between two looks at the rights of all, while nothing happens */
	FOLLOWERS_SIGN_MS = 15000,  /* between two signs of life */
};

/* A user in a tenant, as one or several followers are. */
struct audience {
	char *user, *wanted; /* the tenant that was asked for, "" for the usual one */
	struct rights_limit limit; /* of what was shown */
	struct account account;
	unsigned count;
	bool ends; /* the user may not follow any more */
	struct {
		uint64_t number;
		bool sees;
		char cursor[CURSOR_SIZE];
	} seen[FOLLOWERS_SEEN]; /* which of the last events it sees, and what these are called */
	struct audience *next;
};

struct follower {
	struct http_exchange *exchange;
	struct audience *audience;
	int64_t cluster;   /* 0: all */
	uint64_t next;     /* the number of the next event */
	uint64_t waits_at; /* the last event when it was given no more; 0: it takes what comes */
	size_t at; /* its place in the list */
};

struct followers {
	struct supervisor *supervisor;
	struct feed *feed; /* NULL until somebody follows */
	struct follower **list;
	size_t count, capacity;
	struct audience *audiences;
	uint64_t told; /* the last event when rights were looked at */
	int64_t turned_ms, rights_ms, sign_ms;
	bool have_come; /* some, since the last turn */
};

struct followers *
followers_open(struct supervisor *supervisor)
{
	struct followers *followers = memory_zeroed(1, sizeof *followers);

	followers->supervisor = supervisor;
	return followers;
}

bool
followers_are_wanted(const struct http_exchange *exchange)
{
	const char *accepted = http_field_find(&exchange->headers, "Accept");

	return accepted && strstr(accepted, "text/event-stream");
}

static int
followers_open_feed(struct followers *followers, struct error *err)
{
	if (followers->feed)
		return 0;
	if (feed_open(&followers->feed, err) < 0)
		return -1;
	if (supervise_watch(followers->supervisor, feed_descriptor(followers->feed), EPOLLIN))
		return 0;
	feed_close(followers->feed);
	followers->feed = NULL;
	return error_set(err, EX_OSERR, "events cannot be waited for");
}

static void
followers_free_audience(struct followers *followers, struct audience *audience)
{
	struct audience **at = &followers->audiences;

	while (*at != audience)
		at = &(*at)->next;
	*at = audience->next;
	account_release(&audience->account);
	free(audience->user);
	free(audience->wanted);
	free(audience);
}

/* Finds the audience, or makes it; it has one follower more then. NULL with a reason. */
static struct audience *
followers_find_audience(struct followers *followers, const struct asker *asker, const char *tenant, struct error *err)
{
	struct audience *audience = followers->audiences;

	while (audience && (audience->ends || !rights_limit_is(&audience->limit, &asker->limit) || strcmp(audience->user, asker->user) != 0 ||
	    strcmp(audience->wanted, tenant ? tenant : "") != 0))
		audience = audience->next;
	if (!audience) {
		audience = memory_zeroed(1, sizeof *audience);
		audience->user = memory_string(asker->user);
		audience->limit = asker->limit;
		audience->wanted = memory_string(tenant ? tenant : "");
		audience->next = followers->audiences;
		followers->audiences = audience;
		if (account_open(&audience->account, &(struct account_ask){.tenant = tenant, .asker = asker->user, .limit = asker->limit},
		    STORE_READ, err) < 0) {
			followers_free_audience(followers, audience);
			return NULL;
		}
	}
	audience->count++;
	return audience;
}

static void
followers_leave_audience(struct followers *followers, struct audience *audience)
{
	if (--audience->count == 0)
		followers_free_audience(followers, audience);
}

/* Returns whether the audience sees the cluster: one of its tenant, as its account finds it. */
static bool
followers_find_cluster(struct audience *audience, int64_t cluster)
{
	struct cluster_list list = {0};
	struct error ignored; /* what cannot be looked up is not seen */
	bool sees = cluster && clusters_find_id(&audience->account, cluster, &list, &ignored) == 0 && list.count > 0 &&
	    strcmp(list.list[0].tenant, audience->account.tenant) == 0;

	cluster_list_release(&list);
	return sees;
}

/* Returns the cursor behind an event of a cluster; NULL where the audience does not see it. */
static const char *
followers_see(const struct followers *followers, struct audience *audience, uint64_t number, int64_t cluster)
{
	size_t at = number % FOLLOWERS_SEEN;

	if (audience->seen[at].number != number) {
		audience->seen[at].number = number;
		audience->seen[at].sees = followers_find_cluster(audience, cluster);
		if (audience->seen[at].sees)
			cursor_write(feed_key(followers->feed), audience->account.tenant, number, audience->seen[at].cursor);
	}
	return audience->seen[at].sees ? audience->seen[at].cursor : NULL;
}

/* Appends where a follower is, of which the text tells nobody whether others have moved it on. */
static void
followers_add_place(const struct followers *followers, const struct follower *follower, struct buffer *out)
{
	char cursor[CURSOR_SIZE];

	cursor_write_anew(feed_key(followers->feed), follower->audience->account.tenant, follower->next - 1, cursor);
	buffer_printf(out, "id: %s\n\n", cursor);
}

/* Finds the event that the cursor of a follower is behind. Returns false where the cursor is another tenant's or of another order, or what
 * follows is forgotten. */
static bool
followers_find_place(const struct followers *followers, const struct audience *audience, const char *cursor, uint64_t *number)
{
	return cursor_read(feed_key(followers->feed), audience->account.tenant, cursor, number) && feed_follows(followers->feed, *number);
}

/* Finds the cluster and the place where the follower begins; else answers why not. */
static bool
followers_begin(struct followers *followers, struct follower *follower, const char *cluster)
{
	const char *cursor = http_field_find(&follower->exchange->headers, "Last-Event-ID");
	struct cluster_list list = {0};
	struct error err;
	bool found = true;

	if (cluster) {
		found = clusters_find(&follower->audience->account, cluster, &list, &err) == 0;
		if (found)
			follower->cluster = list.list[0].id;
		else
			problem_answer_error(follower->exchange, &err);
		cluster_list_release(&list);
	}
	follower->next = feed_last(followers->feed);
	if (found && cursor && *cursor && !followers_find_place(followers, follower->audience, cursor, &follower->next)) {
		problem_answer(follower->exchange, 410, "what followed that event is not kept any more; "
		    "follow without Last-Event-ID, then get what there is now");
		found = false;
	}
	follower->next++;
	return found;
}

static void
followers_answer(struct followers *followers, struct follower *follower)
{
	struct http_exchange *exchange = follower->exchange;

	http_answer_begin_stream(exchange, "text/event-stream");
	buffer_text(&exchange->answer.body, "retry: 1000\n");
	followers_add_place(followers, follower, &exchange->answer.body);
	exchange->owner = follower;
	ARRAY_ROOM(followers->list, followers->count, followers->capacity);
	follower->at = followers->count;
	followers->list[followers->count++] = follower;
	followers->have_come = true;
	followers->turned_ms = 0;
}

void
followers_add(struct followers *followers, struct http_exchange *exchange, const struct asker *asker, const char *cluster)
{
	struct follower *follower = memory_zeroed(1, sizeof *follower);
	struct error err;

	follower->exchange = exchange;
	if (followers_open_feed(followers, &err) < 0) {
		problem_answer(exchange, 503, err.text);
		free(follower);
		return;
	}
	follower->audience = followers_find_audience(followers, asker, http_field_find(&exchange->query, "tenant"), &err);
	if (!follower->audience) {
		problem_answer_error(exchange, &err);
		free(follower);
		return;
	}
	if (followers_begin(followers, follower, cluster)) {
		followers_answer(followers, follower);
		return;
	}
	followers_leave_audience(followers, follower->audience);
	free(follower);
}

static void
followers_drop(struct followers *followers, struct follower *follower)
{
	struct follower *last = followers->list[--followers->count];

	last->at = follower->at;
	followers->list[last->at] = last;
	follower->exchange->owner = NULL;
	followers_leave_audience(followers, follower->audience);
	free(follower);
}

void
followers_remove(struct followers *followers, struct http_exchange *exchange)
{
	followers_drop(followers, exchange->owner);
}

/* Appends the events that the follower is to hear of, as far as they may be kept for it. Returns false where one is forgotten. */
static bool
followers_collect(struct followers *followers, struct follower *follower, struct buffer *out)
{
	while (follower->next <= feed_last(followers->feed) && out->length < FOLLOWERS_KEPT) {
		const struct feed_event *event = feed_event(followers->feed, follower->next);
		const char *cursor = NULL;

		if (!event)
			return false;
		if (!follower->cluster || follower->cluster == event->cluster)
			cursor = followers_see(followers, follower->audience, follower->next, event->cluster);
		if (cursor) {
			buffer_printf(out, "id: %s\n", cursor);
			buffer_append(out, event->text, event->length);
		}
		follower->next++;
	}
	return true;
}

static void
followers_cut(struct followers *followers, struct follower *follower)
{
	struct http_exchange *exchange = follower->exchange;

	followers_drop(followers, follower);
	listener_cut(exchange);
}

/* Tells a follower what it has not heard of. */
static void
followers_tell(struct followers *followers, struct follower *follower, bool sign, struct buffer *out)
{
	struct http_answer *answer = &follower->exchange->answer;

	buffer_clear(out);
	if (answer->body.length - answer->sent >= FOLLOWERS_KEPT) {
		if (!follower->waits_at)
			follower->waits_at = feed_last(followers->feed);
		if (feed_last(followers->feed) - follower->waits_at > FOLLOWERS_PATIENCE)
			followers_cut(followers, follower);
		return;
	}
	follower->waits_at = 0;
	if (!followers_collect(followers, follower, out)) {
		followers_cut(followers, follower);
		return;
	}
	if (out->length == 0 && sign) {
		buffer_text(out, ":\n");
		followers_add_place(followers, follower, out);
	}
	if (out->length > 0)
		listener_stream(follower->exchange, out->data, out->length);
}

/* Looks again at what all may see, and ends those who may not follow any more. From the last on, because one that goes is replaced by
 * the last. */
static void
followers_look_at_rights(struct followers *followers)
{
	struct error ignored; /* whatever it is: they come again, and are told */

	for (struct audience *audience = followers->audiences; audience; audience = audience->next) {
		audience->ends = account_renew(&audience->account, &ignored) < 0 ||
		    logins_hold(audience->account.store, audience->user, &audience->limit, &ignored) <= 0;
		memset(audience->seen, 0, sizeof audience->seen);
	}
	for (size_t i = followers->count; i-- > 0;) {
		struct follower *follower = followers->list[i];
		struct http_exchange *exchange = follower->exchange;

		if (follower->audience->ends || !grant_counts(&follower->audience->limit, exchange)) {
			followers_drop(followers, follower);
			listener_end(exchange);
		}
	}
}

/* Returns whether one has room again for what has happened before. */
static bool
followers_are_behind(const struct followers *followers)
{
	for (size_t i = 0; i < followers->count; i++)
		if (followers->list[i]->next <= feed_last(followers->feed))
			return true;
	return false;
}

/* Tells all followers what they have not heard of. */
static void
followers_tell_all(struct followers *followers, int64_t now)
{
	bool sign = now - followers->sign_ms >= FOLLOWERS_SIGN_MS;
	struct buffer out = {0};

	if (sign)
		followers->sign_ms = now;
	for (size_t i = followers->count; i-- > 0;)
		followers_tell(followers, followers->list[i], sign, &out);
	buffer_release(&out);
}

uint64_t
followers_last(const struct followers *followers)
{
	return followers->feed ? feed_last(followers->feed) : 0;
}

bool
followers_have_come(const struct followers *followers)
{
	return followers->have_come;
}

int64_t
followers_turn(struct followers *followers)
{
	int64_t now = clock_monotonic_ms();
	struct error err;

	followers->have_come = false;
	if (!followers->feed)
		return -1;
	/* At once, though it may be told later: else the descriptor stays readable, and nobody sleeps. */
	if (feed_take_in(followers->feed, &err) < 0)
		message("%s", err.text);
	if (followers->count == 0)
		return -1;
	if (now - followers->turned_ms < FOLLOWERS_PAUSE_MS)
		return FOLLOWERS_PAUSE_MS - (now - followers->turned_ms);
	followers->turned_ms = now;
	if (feed_last(followers->feed) != followers->told || now - followers->rights_ms >= FOLLOWERS_RIGHTS_MS) {
		followers->rights_ms = now;
		followers->told = feed_last(followers->feed);
		followers_look_at_rights(followers);
	}
	followers_tell_all(followers, now);
	return followers_are_behind(followers) ? FOLLOWERS_PAUSE_MS : FOLLOWERS_RIGHTS_MS;
}

void
followers_end(struct followers *followers)
{
	while (followers->count > 0) {
		struct http_exchange *exchange = followers->list[0]->exchange;

		followers_drop(followers, followers->list[0]);
		listener_end(exchange);
	}
}

void
followers_close(struct followers *followers)
{
	if (!followers)
		return;
	followers_end(followers);
	feed_close(followers->feed);
	free(followers->list);
	free(followers);
}
