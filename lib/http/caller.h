/* SPDX-License-Identifier: Apache-2.0
 *
 * The connections of a listener: who takes too long to send a head or a body, who has sent all there will be, and who waits for a turn
 * because they have asked much already. For http/listener.c; nobody else needs it.
 */
#ifndef HTTP_CALLER_H
#define HTTP_CALLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct http_exchange;

struct caller { /* one connection */
	int fd;
	struct http_exchange *exchange; /* NULL: none has begun */
	bool has_asked;    /* an exchange of it has ended */
	bool has_finished; /* it sends nothing more */
	struct caller_list *waits; /* where it is waited for until a head or a body has come; NULL: it is not */
	int64_t until_ms;
	struct caller *next, *previous; /* there */
	bool is_late;             /* it waits for its turn */
	struct caller *next_late;
};

struct caller_list { /* the first is waited for the longest */
	struct caller *first, *last;
};

struct callers { /* zero-initialise */
	struct caller_list sending, finished;
	struct caller *first_late, *last_late;
};

/* A head or a body is to come from now on; or nothing, until it is answered. */
void caller_expect(struct callers *callers, struct caller *caller);
void caller_expect_nothing(struct caller *caller);

/* It has sent all there will be: what is there already is answered, and no more is waited for. */
void caller_finish(struct callers *callers, struct caller *caller);

/* Ends the connections of those who have taken too long. Returns the milliseconds until the next one has; -1: there is none. */
int64_t callers_end_slow(struct callers *callers);

/* Has one wait for a turn; takes the first who waits, NULL: nobody does. */
void callers_add_late(struct callers *callers, struct caller *caller);
struct caller *callers_take_late(struct callers *callers);

#endif
