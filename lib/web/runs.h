/* SPDX-License-Identifier: Apache-2.0
 *
 * The commands that run for people at other machines, coopr-remote(7), as long as these take, and those that follow something. What a command
 * prints is sent as it comes; who takes it slowly makes the command wait. Where the caller is gone, the command is told as by a terminal that was closed.
 */
#ifndef WEB_RUNS_H
#define WEB_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct asker;
struct child;
struct error;
struct http_exchange;
struct route_match;
struct runs;
struct store;
struct supervisor;

/* Opens it, and removes the files that a server which was killed has left. terminals: browsers may log in to
 * nodes. */
struct runs *runs_open(struct supervisor *supervisor, struct store *store, bool terminals); /* both borrowed */

/* Runs the command that an exchange calls, whose answer from then on is what the command prints. */
void runs_start(struct runs *runs, struct http_exchange *exchange, const struct asker *asker);

/* Runs the command of a route that follows something: the answer is what it prints, as text. */
void runs_follow(struct runs *runs, struct http_exchange *exchange, const struct route_match *match, const struct asker *asker);

/* Hands a running command what its caller has typed, and the signals. */
void runs_tell(struct runs *runs, struct http_exchange *exchange, const struct asker *asker, const char *name);

/* Returns whether a child is one of these. */
bool runs_have(const struct runs *runs, const struct child *child);

/* Sends what a child has printed; tells of its end. */
void runs_send(struct runs *runs, struct child *child);
void runs_finish(struct runs *runs, struct child *child);

/* The reader of an exchange has taken all. */
void runs_drained(struct runs *runs, struct http_exchange *exchange);

/* Nobody waits any more for the answer. Returns whether it was one of these. */
bool runs_left(struct runs *runs, struct http_exchange *exchange);

/* Gives all callers a sign of life, and ends what was begun by who is not let in any more, when that is due. Returns the milliseconds until then; -1: never. */
int64_t runs_turn(struct runs *runs);

/* Tells all to end, as a SIGTERM does. */
void runs_end(struct runs *runs);

void runs_close(struct runs *runs);

#endif
