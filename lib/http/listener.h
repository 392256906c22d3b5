/* SPDX-License-Identifier: Apache-2.0
 *
 * A socket that speaks HTTP/1.1, with TLS or without. Hides libmicrohttpd. It has no thread of its own: the caller waits for its
 * descriptor and turns it, and is called for each request that has arrived whole.
 */
#ifndef HTTP_LISTENER_H
#define HTTP_LISTENER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct certificate;
struct client_authority;
struct error;
struct http_exchange;
struct listener;

struct listener_options {
	int fd;               /* listens already; the listener's from now on */
	size_t body_max;      /* bytes, of those that take no parts; requests with more are answered with 413 */
	unsigned connections; /* at most */
	unsigned idle_s;      /* after which a silent connection is closed */
	const struct client_authority *clients; /* who may have signed what clients show, borrowed; NULL: they are not asked for one */
	const struct certificate *certificate; /* of TLS, borrowed; NULL: without TLS */
	int64_t tls_only_s;   /* for how long browsers are told to come to this host by TLS alone, where that locks nobody out */
	/* The head of a request has come. May answer it already, whose body is not read then, or set its takes_parts. May be NULL. */
	void (*begun)(void *context, struct http_exchange *exchange);
	/* A request is refused with that status because of its head or its length. Fills in the rest of its answer. NULL: that has no body. */
	void (*refused)(void *context, struct http_exchange *exchange, int status);
	/* A part of the body of one that takes parts. Returns whether there is room for more; else listener_answer is called when there is. */
	bool (*part)(void *context, struct http_exchange *exchange, const char *bytes, size_t length);
	/* A request has arrived, whole. Fills in its answer, or sees to it that listener_answer is called later. */
	void (*arrived)(void *context, struct http_exchange *exchange);
	/* All that came for an answer that streams is handed over: there is room for more. May be NULL. */
	void (*drained)(void *context, struct http_exchange *exchange);
	/* Nobody waits any more for the answer of an exchange, whose memory is released then. */
	void (*left)(void *context, struct http_exchange *exchange);
	void *context;
};

/* Opens it. */
int listener_open(struct listener **listener, const struct listener_options *options, struct error *err);

/* Returns the descriptor that becomes readable when listener_run has something to do. */
int listener_descriptor(const struct listener *listener);

/* Does what there is to do. Returns the milliseconds after which it is to be called again; -1: when the descriptor is readable. */
int64_t listener_run(struct listener *listener);

/* Sends the answer of an exchange that has waited for it; where there is none yet, reads on in a body that is taken in parts. One that streams has a head from now on, and a body so far. */
void listener_answer(struct http_exchange *exchange);

/* Sends more of an answer that streams, once it was given. Returns how many bytes are now kept that were not taken yet: who reads
 * slowly, or not at all, is to be cut off by listener_cut, or to be given nothing more until drained is called. */
size_t listener_stream(struct http_exchange *exchange, const void *bytes, size_t length);

/* Ends an answer that streams, once all that came for it is sent; cut: at once, as one that is not whole, also where the body has not
 * all come. */
void listener_end(struct http_exchange *exchange);
void listener_cut(struct http_exchange *exchange);

/* Returns whether the certificate that was believed when the request came, if it was, still is: lists of revoked ones are read again, and time
 * goes on. The exchange waits, or its connection was taken. */
bool listener_still_believes(const struct http_exchange *exchange);

/* Tells no more that the other end of an exchange that waits has gone. */
void listener_watch_no_more(struct http_exchange *exchange);

/* Takes no more connections: those that there are may go on. */
void listener_quiesce(struct listener *listener);

/* Returns the number of requests whose answer is not sent yet. */
size_t listener_exchanges(const struct listener *listener);

void listener_close(struct listener *listener);

#endif
