/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests to the API of a cloud, by libcurl: a bounded number of connections, a bounded rate, and what is sent again where an answer is
 * lost or the cloud asks to wait. Many threads share a client; each call blocks, and ends early where its task is to end.
 *
 * A request that makes something may have made it although no answer has come: then answer.unknown is set, and nobody but the caller can find
 * out. It is sent again by itself only where it was certainly not taken: no connection, or 429.
 */
#ifndef CLOUD_CLIENT_H
#define CLOUD_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/process.h"
#include "cloud/stop.h"
#include "json/json.h"

struct client;
struct client_answer;
struct error;

struct client_settings {
	const char *ca_file;  /* certificates to trust in place of the system's; NULL: those */
	const char *proxy;    /* a URL; NULL: what the environment says */
	const char *socket;   /* the path of a Unix socket to which all requests go; NULL: none */
	const char *certificate, *key; /* files of PEM by which TLS knows us; NULL: none */
	bool unverified;      /* TLS is taken from whoever answers */
	bool public_only;     /* addresses that are not public are refused: of this host, of its networks, of its link */
	double per_second;    /* requests at most */
};

struct client_request {
	const char *method, *url;
	const char *type;     /* of the body; NULL: application/json */
	const char *body;     /* NULL: none */
	size_t length;        /* of the body in bytes */
	unsigned answer_s;    /* how long it may take; 0: CLIENT_ANSWER_S */
	struct arguments headers;
	const char *wants;    /* a header of the answer that is kept, in small letters; NULL: none */
	bool repeatable;      /* sent twice it does nothing that it does not do once */
	const char *member;   /* of JSON: what each answer to it has; "": it is an array; NULL: it may be anything */
	/* Reads an answer of 2xx. What is none of the cloud's, but cut off, or of somebody in between, is -1 with EX_TEMPFAIL, as if it were
	 * lost. NULL: it may be anything. */
	int (*read)(struct client_answer *answer, void *data, struct error *err);
	void *data;
};

struct client_answer { /* zero-initialise */
	long status;          /* of HTTP; 0: none has come */
	bool unknown;         /* whether the request was carried out */
	struct buffer body;
	char *wanted;         /* of the header that the request wants; or NULL */
	int64_t wait_ms;      /* as Retry-After has asked; -1: it has not */
	int64_t skew_ms;      /* how much the cloud's clock is ahead of ours; 0 where it says nothing */
};

/* Opens a client, which lives until the process ends. */
struct client *client_open(const struct client_settings *settings, struct error *err);

/* Sends a request until there is an answer that is the cloud's and not "later", and at most CLIENT_TRIES times. Returns 0 with an answer,
 * whatever it says, or -1 with EX_TEMPFAIL (no connection, no answer, one of somebody else, the task is to end), EX_UNAVAILABLE (TLS is not
 * what it should be), or EX_CONFIG (it cannot be sent as it is: its URL, a header with the end of a line). */
int client_send(struct client *client, const struct client_request *request, const struct stop *stop, struct client_answer *answer,
    struct error *err);

/* Does the same, and reads JSON, as the request's member says; what is not 2xx is an error as client_refused makes it. out may be NULL where the
 * answer does not matter. */
int client_ask(struct client *client, const struct client_request *request, const struct stop *stop, struct client_answer *answer, jv *out,
    struct error *err);

/* Sets err to what the answer says that is wrong, in the cloud's words, behind "METHOD PATH: STATUS". The code is EX_NOPERM where the
 * credentials are refused, EX_TEMPFAIL where it may be otherwise later, EX_NOINPUT where there is no such thing, else EX_CONFIG. Returns -1. */
int client_refused(const struct client_request *request, const struct client_answer *answer, struct error *err);

/* Has the requests of this thread go before those of others that wait for their turn, for as long as that is on: what it asks many wait for. Called
 * under the lock of cloud/stop.h, by one thread at a time. Returns how many milliseconds all that went first so far have had of the rate. */
int64_t client_go_first(struct client *client, bool on);

/* Returns whether an answer of HTTP has come to any request so far. */
bool client_has_answer(const struct client *client);

/* Returns a text as it stands in a URL, which the caller frees. */
char *client_escape(const char *text);

void client_answer_release(struct client_answer *answer);

enum { CLIENT_TRIES = 6, CLIENT_CONNECTIONS = 64, CLIENT_ANSWER_S = 120 };

#endif
