/* SPDX-License-Identifier: Apache-2.0
 *
 * One request of HTTP and its answer, whatever brought it. Who answers fills in answer; the listener, a test or a fuzzer that made
 * the exchange sends it.
 */
#ifndef HTTP_EXCHANGE_H
#define HTTP_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "base/memory.h"

struct http_field {
	const char *name, *value;
};

struct http_fields {
	struct http_field *list;
	size_t count, capacity;
};

struct http_answer {
	int status;       /* 0: not yet */
	const char *type; /* a media type; NULL: there is no body */
	struct http_fields headers;
	struct buffer body; /* where it streams: what is not sent yet begins at sent */
	bool streams;       /* the body comes in parts, see listener_stream in http/listener.h */
	bool ended;         /* of a stream: all has come */
	size_t sent;
	bool is_file;       /* the body is not in the above, but so many bytes of a file */
	int fd;             /* of it; -1: it is handed over */
	uint64_t from, length;
};

struct http_exchange { /* zero-initialise; release it. Strings live in its arena */
	struct arena arena;
	const char *method;
	const char *path;          /* as it was sent: "/v1/clusters/a%20b" */
	struct http_fields query;  /* decoded */
	struct http_fields headers;
	struct buffer body;
	uid_t uid;             /* of whom asks, by a Unix socket; else (uid_t)-1 */
	const char *address;   /* of whom asks, by TCP: "192.0.2.7"; else NULL */
	const char *certificate_name;   /* of whom asks, by a certificate that is believed; else NULL */
	const char *certificate_reason; /* why one that was shown is not; or NULL */
	const char *user;      /* whom a proxy that is believed has named; else NULL */
	bool is_encrypted;     /* it came by TLS */
	const char *stray;     /* the header in which somebody has named a user, who is no such proxy; or NULL */
	bool is_proxied;       /* the three above are what a proxy has said that is believed */
	bool takes_parts;      /* its body is handed over as it comes */
	struct http_answer answer;
	void *owner;      /* of whom answers later */
	void *connection; /* the rest is whose who brought it */
	void *listener;
	bool is_begun;    /* its head is looked at */
	size_t in_memory; /* bytes of its answer, while that is sent */
	size_t dropped;   /* bytes of the body that nobody wants any more */
	bool is_waiting;  /* for an answer, or for more of it */
	bool has_gone;    /* nobody waits any more */
};

/* Adds a copy of a field. */
void http_field_add(struct http_exchange *exchange, struct http_fields *fields, const char *name, const char *value);

/* Begins an answer that is sent as it comes, and kept by nobody on its way. */
void http_answer_begin_stream(struct http_exchange *exchange, const char *type);

/* Returns the value of the first field of that name, in whatever case; NULL if there is none. */
const char *http_field_find(const struct http_fields *fields, const char *name);

/* Returns the text with each %XX as its byte, in the arena; NULL where one is malformed, or the result is no text: it has control
 * characters, or is no UTF-8. */
const char *http_decode(struct arena *arena, const char *text, size_t length);

/* Returns how many bytes the body of an answer has; keeps of them only those from one on up to another. */
uint64_t http_answer_length(const struct http_answer *answer);
void http_answer_cut(struct http_answer *answer, uint64_t from, uint64_t to);

/* Returns what a status is called: "Not Found". */
const char *http_reason(int status);

void http_exchange_release(struct http_exchange *exchange);

#endif
