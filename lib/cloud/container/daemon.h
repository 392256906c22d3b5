/* SPDX-License-Identifier: Apache-2.0
 *
 * A daemon that runs containers: what the fields of its provider say, and the requests of Docker's API, to which podman answers too.
 */
#ifndef CLOUD_CONTAINER_DAEMON_H
#define CLOUD_CONTAINER_DAEMON_H

#include "cloud/laboratory.h"

enum daemon_pull { DAEMON_NEVER, DAEMON_MISSING, DAEMON_ALWAYS };

struct daemon {
	struct laboratory laboratory;
	const char *network; /* NULL: the daemon's own */
	const char *restart; /* the daemon's word for when it starts a container that has ended */
	struct string_list command, capabilities;
	bool privileged;
	enum daemon_pull pull;
};

struct daemon_request {
	const char *method, *path; /* below the daemon's URL */
	const char *type;          /* of the body; NULL: JSON */
	const char *body;
	size_t length;
	const char *member;        /* as in struct client_request */
	bool once;                 /* whoever asks finds out by itself what became of it, where no answer comes */
};

/* Is cloud_api.open: cloud->state is a struct daemon. */
void daemon_open(struct cloud *cloud, struct client_settings *settings);

/* Sends a request. Fails as client_ask does. */
int daemon_ask(const struct cloud *cloud, const struct daemon_request *request, const struct stop *stop, struct client_answer *answer,
    jv *out, struct error *err);

/* Sends one without a body, whose answer is a document (out, owned) or none (NULL). *status is that of HTTP; 0: no answer has come. */
int daemon_do(const struct cloud *cloud, const char *method, const char *path, const struct stop *stop, long *status, jv *out,
    struct error *err);

/* Asks for a list: the answer is a document that has the member; "": an array. */
int daemon_list(const struct cloud *cloud, const char *path, const char *member, const struct stop *stop, jv *out, struct error *err);

/* Sends such a request whose answer is of no interest. The status well, which it fails with, says that it is so already: that is well. */
int daemon_ensure(const struct cloud *cloud, const char *method, const char *path, long well, const struct stop *stop, struct error *err);

/* Sends a document, once. answer is to be initialised, and to be released; out is as above. */
int daemon_post(const struct cloud *cloud, const char *path, jv document, const struct stop *stop, struct client_answer *answer, jv *out,
    struct error *err);

/* Has the daemon fetch an image from where its name says. */
int daemon_pull(const struct cloud *cloud, const char *image, const struct stop *stop, struct error *err);

#endif
