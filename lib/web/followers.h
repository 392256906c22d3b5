/* SPDX-License-Identifier: Apache-2.0
 *
 * Who follows events, as server-sent events: each hears of what is of a tenant's clusters, as far as their user may see them, from their
 * cursor on. What a follower does not take is kept for them up to a bound; who takes nothing for long is cut off.
 */
#ifndef WEB_FOLLOWERS_H
#define WEB_FOLLOWERS_H

#include <stdbool.h>
#include <stdint.h>

struct asker;
struct followers;
struct http_exchange;
struct supervisor;

struct followers *followers_open(struct supervisor *supervisor); /* borrowed: wakes it when something happens */

/* Returns whether a request wants to follow: it accepts text/event-stream. */
bool followers_are_wanted(const struct http_exchange *exchange);

/* Answers the request of an asker to follow the events of a cluster; NULL: of all of the tenant. */
void followers_add(struct followers *followers, struct http_exchange *exchange, const struct asker *asker, const char *cluster);

/* Nobody waits any more for the answer, which was one of these. */
void followers_remove(struct followers *followers, struct http_exchange *exchange);

/* Tells all of what has happened. Returns the milliseconds after which that is due again; -1: when something comes. */
int64_t followers_turn(struct followers *followers);

/* Returns the number of the last event that they were told of; 0: nobody follows, or there was none. */
uint64_t followers_last(const struct followers *followers);

/* Returns whether somebody has come to follow since the last turn, and is told nothing yet. */
bool followers_have_come(const struct followers *followers);

/* Ends all. */
void followers_end(struct followers *followers);

void followers_close(struct followers *followers);

#endif
