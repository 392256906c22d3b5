/* SPDX-License-Identifier: Apache-2.0
 *
 * Answers to what was looked at a moment ago. Whoever asks the same as the same asker, while nothing has changed, gets the same answer,
 * which no command makes again; and who asks while a command makes it waits for that. An answer counts for a tenth of a second, and only
 * while nobody has changed the store, by this server or otherwise, and nobody who follows events was told of one.
 */
#ifndef WEB_RECENT_H
#define WEB_RECENT_H

struct asker;
struct http_exchange;
struct recent;
struct recent_answer;
struct route;
struct store;

struct recent *recent_open(struct store *store); /* borrowed */

/* Returns the answer that is the request's, which may be made just now by somebody else: see recent_maker; NULL where there is none. */
struct recent_answer *recent_find(struct recent *recent, const struct route *route, const struct asker *asker,
    const struct http_exchange *exchange);

/* Adds the answer of a request that is now looked for, by a maker. NULL where the request is none that recurs. */
struct recent_answer *recent_begin(struct recent *recent, const struct route *route, const struct asker *asker,
    const struct http_exchange *exchange, void *maker);

/* Returns who makes the answer; NULL: it is made. */
void *recent_maker(const struct recent_answer *answer);

/* Keeps what an exchange was answered, if nothing has changed since it was looked for; the answer is released otherwise. */
void recent_end(struct recent *recent, struct recent_answer *answer, const struct http_exchange *exchange);

/* Answers a request with what is kept. */
void recent_give(const struct recent_answer *answer, struct http_exchange *exchange);

/* Something has changed. */
void recent_change(struct recent *recent);

void recent_close(struct recent *recent);

#endif
