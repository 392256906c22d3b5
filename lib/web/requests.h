/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests that a command does: they wait for their turn, and are answered with what it prints. Of several who look at the same at once, one
 * has the command run, and the others wait for what it finds (recent.h).
 */
#ifndef WEB_REQUESTS_H
#define WEB_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>

struct asker;
struct requests;
struct child;
struct http_exchange;
struct route_match;
struct store;
struct supervisor;

struct requests_options {
	struct supervisor *supervisor; /* that the commands run under; borrowed, as the store is */
	struct store *store;
	unsigned children; /* that run at once, at most */
	unsigned waiting;  /* that wait, at most; then 503 */
};

struct requests *requests_open(const struct requests_options *options);

/* Has a request done by the command of its route, or answers it at once. Of an upload that is when its head has come: its body is then
 * taken in parts, each as options.part of a listener is called, and requests_arrived tells of its end. */
void requests_add(struct requests *requests, const struct route_match *match, const struct asker *asker, struct http_exchange *exchange);

bool requests_take(struct requests *requests, struct http_exchange *exchange, const char *bytes, size_t length);
void requests_arrived(struct requests *requests, struct http_exchange *exchange);

/* A command has printed something. */
void requests_print(struct requests *requests, struct child *child);

/* A command has read what has come of an upload. */
void requests_fed(struct child *child);

/* Nobody waits any more for the answer of a request, whose owner is one of these. A change goes on; what only looks is stopped, unless
 * another waits for it, and so is an upload that is not whole. */
void requests_left(struct requests *requests, struct http_exchange *exchange);

/* Starts commands of those that wait, the first ones first, while fewer run than may; half of them at most are one user's. */
void requests_start(struct requests *requests);

/* A command has ended: answers who has asked for it. */
void requests_end(struct requests *requests, struct child *child);

/* Returns whether some wait for their turn. */
bool requests_wait(const struct requests *requests);

/* Something has happened, of which answers may tell. */
void requests_change(struct requests *requests);

void requests_close(struct requests *requests);

#endif
