/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests of Google's Compute API, with a token, and what its errors mean.
 */
#ifndef CLOUD_GOOGLE_REQUEST_H
#define CLOUD_GOOGLE_REQUEST_H

#include <stdbool.h>

#include "cloud/cloud.h"

struct google_reply { /* zero-initialise but for its answer */
	struct client_answer answer;
	jv value;           /* of JSON; invalid: none */
	struct arena arena;
	const char *reason; /* of an error, "quotaExceeded"; NULL: none is given */
};

#define GOOGLE_REPLY_NONE ((struct google_reply){.answer = {.wait_ms = -1}, .value = jv_invalid()})

/* Sends a request until the cloud takes it, and reads the answer. path is below the project, "/zones/z/instances", or below the projects where it
 * begins with "projects/"; body may be NULL; repeatable as in struct client_request. The code of an error is one of make's. */
int google_ask(const struct cloud *cloud, const char *method, const char *path, const jv *body, bool repeatable, const struct stop *stop,
    struct google_reply *reply, struct error *err);

void google_release(struct google_reply *reply);

struct google_list {
	const char *path; /* with a query: "/zones/z/operations?maxResults=500" */
	int (*read)(const struct cloud *cloud, jv answer, void *data, struct error *err); /* gets a page; 1: what follows is not wanted */
	void *data;
};

/* Reads a list page by page, to its end. */
int google_pages(const struct cloud *cloud, const struct google_list *list, const struct stop *stop, struct error *err);

/* Gives to read each of the things of that kind ("instances") in a page of an aggregated list, whose parts are the zones. A zone that cannot be asked
 * fails: what it has is there all the same. */
int google_read_zones(const struct cloud *cloud, jv answer, const char *kind, int (*read)(const struct cloud *cloud, jv one, void *data, struct error *err),
    void *data, struct error *err);

/* Returns the request id that a token of 32 hexadecimal digits makes, or one that is drawn, a UUID of version 4, in the arena. */
const char *google_request_id(const char *token, struct arena *arena);

/* Returns the code of an error of make that the reason of an answer, or the code of an operation's error, stands for; otherwise where it is unknown. */
int google_error_code(const char *reason, int otherwise);

/* Returns the last part of a URL or path, in the arena: Google names things so. NULL for NULL. */
const char *google_last_part(const char *url, struct arena *arena);

#endif
