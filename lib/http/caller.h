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
struct listener_options;

struct caller { /* one connection */
	struct callers *callers;
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
	const struct listener_options *options;
	size_t answering; /* bytes of answers that are in memory until they are sent */
	int epoll; /* where the ends of connections are waited for */
	struct caller_list sending, finished;
	struct caller *first_late, *last_late;
};

/* Returns whose exchange it is. */
struct caller *caller_of(const struct http_exchange *exchange);

/* Has the kernel tell, also once more, that the caller sends nothing more: how is EPOLL_CTL_ADD or EPOLL_CTL_MOD. */
void caller_watch(struct caller *caller, int how);

/* Has the library leave the connection of an exchange alone, which waits for something, and has it go on. */
void caller_suspend(struct http_exchange *exchange);
void caller_resume(struct http_exchange *exchange);

/* A head or a body is to come from now on; or nothing, until it is answered. */
void caller_expect(struct caller *caller);
void caller_expect_nothing(struct caller *caller);

/* It has sent all there will be: what is there already is answered, and no more is waited for. */
void caller_finish(struct caller *caller);

/* Ends the connections of those who have taken too long. Returns the milliseconds until the next one has; -1: there is none. */
int64_t callers_end_slow(struct callers *callers);

/* Has one wait for a turn; takes the first who waits, NULL: nobody does. */
void caller_wait_late(struct caller *caller);
struct caller *callers_take_late(struct callers *callers);

#endif
