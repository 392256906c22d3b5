/* SPDX-License-Identifier: Apache-2.0
 *
 * The routes of the API: what a request of HTTP asks for, as the command that does it. A route is one row of the table in routes.c,
 * from which requests are answered and /v1/openapi.json is printed; or of that in coopr-routes.c, whose commands translate.
 */
#ifndef WEB_ROUTE_H
#define WEB_ROUTE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"

struct http_exchange;

enum route_answer {
	ROUTE_RECORD,  /* one */
	ROUTE_RECORD_ONCE, /* one that has a secret, and is never shown again */
	ROUTE_RECORDS, /* {"items": [...]} */
	ROUTE_BEGUN,   /* an operation: 202 and where its job is */
	ROUTE_DONE,    /* 204: nothing is printed */
	ROUTE_TEXT,    /* text for people */
	ROUTE_BYTES,   /* whatever it is */
	ROUTE_EVENTS,  /* server-sent events, as they happen */
	ROUTE_RECORDS_EVENTS, /* records, or for who accepts them the same */
	ROUTE_RUN,     /* a command as it runs: frames, see remote/frame.h */
	ROUTE_TUNNEL,  /* the connection becomes one to a node: see tunnels.h */
	ROUTE_SESSION_BEGUN, /* a session, as a cookie: nobody is known yet */
	ROUTE_SESSION_PROVIDER, /* where one logs in elsewhere: nobody is known yet */
	ROUTE_SESSION, /* who asks, with what is to be shown besides the session */
	ROUTE_SESSION_ENDED,
	ROUTE_OWN,     /* what the server says itself: see own */
	ROUTE_FILE,    /* a file for browsers: see page.h */
	ROUTE_WHOLE,   /* whatever it is, with status and type: as CGI has it, RFC 3875 */
	ROUTE_ERRAND,  /* what a provisioner of Coopr asks for: the status is its own for each exit code */
};

enum route_body {
	ROUTE_NO_BODY,
	ROUTE_OPTIONS,  /* an object whose members are the options of the command, and the operands that route names */
	ROUTE_DOCUMENT, /* a document, for standard input */
	ROUTE_SECRET,   /* the same, which is a secret */
	ROUTE_UPLOAD,   /* of any size, for standard input as it comes: the command says what is too much */
};

enum { ROUTE_VARIABLES = 6 };

#define ROUTE_FIELDS "fields" /* of a query: the members that are asked for */
#define ROUTE_FOLLOW "follow" /* of a query: what is printed later is asked for, too */

struct route {
	const char *method;
	const char *path;     /* "/v1/clusters/{cluster}/history" */
	const char *command;  /* "history"; "store get" */
	const char *operands; /* words: "{kind}/{name}" of the path, "-" itself, "services" a member: a string, or several; "time!" one that is required; or NULL */
	const char *fixed;    /* options that are always given, with blanks between: "--kind={kind}" of the path; or NULL */
	enum route_body body;
	enum route_answer answer;
	const char *summary;
	const char *records;  /* "report attempt": the schemas of what is answered, see json/schemas.h; NULL: that is free */
};

struct route_match {
	const struct route *route;
	const char *variables[ROUTE_VARIABLES]; /* the values of {...}, in the order of the path */
};

/* The tables, which end with a row without a method: ours; that of Cask's Coopr, coopr-api-v2(7); and that of its provisioners, which has an
 * address of its own. */
extern const struct route routes[], coopr_routes[], provisioner_routes[];

/* Returns whether a path is one of Coopr's. */
bool route_is_coopr(const char *path);

/* Returns the table for a path: ours or Coopr's. */
const struct route *route_table(const char *path);

/* Finds the route in a table. Returns 0; 400 where the path is malformed; 404 where there is no such path; 405 where it has no such method,
 * and *allow, in the arena, names those that it has. */
int route_find(const struct route *table, const char *method, const char *path, struct arena *arena, struct route_match *match,
    const char **allow);

/* Returns whether the answer is what the command prints for people: that of some routes always is, that of others where the request
 * accepts text/plain. */
bool route_is_text(const struct route *route, const struct http_exchange *exchange);

/* Returns whether a request asks for text that comes as long as the command runs. */
bool route_follows(const struct route *route, const struct http_exchange *exchange);

/* Returns whether of what the route answers only some members can be asked for, and which are: "name,status", of the query; NULL: all. */
bool route_has_fields(const struct route *route);
const char *route_fields(const struct route *route, const struct http_exchange *exchange);

/* Returns the value of a variable of the route by its name, "cluster"; NULL if it has none. */
const char *route_variable(const struct route_match *match, const char *name, size_t length);

#endif
