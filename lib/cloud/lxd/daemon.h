/* SPDX-License-Identifier: Apache-2.0
 *
 * An LXD or Incus: what the fields of its provider say, and its requests. What takes time is an operation, which is waited for; both daemons tell
 * of it alike.
 */
#ifndef CLOUD_LXD_DAEMON_H
#define CLOUD_LXD_DAEMON_H

#include "cloud/laboratory.h"

struct lxd {
	struct laboratory laboratory;
	const char *project;      /* NULL: the default one */
	const char *network, *pool; /* NULL: as the profiles say */
	const char *image_server; /* from which images are fetched; NULL: they are there */
	struct string_list profiles;
	jv config;                /* further settings of instances, borrowed from the fields */
};

struct lxd_request {
	const char *method, *path; /* below /1.0 */
	jv body;                   /* borrowed; invalid: none */
	bool once;                 /* whoever asks finds out by itself what became of it, where no answer comes */
};

struct lxd_outcome { /* of a request that has failed */
	long status;  /* of HTTP; 0: no answer has come */
	bool unknown; /* whether it was carried out */
};

/* Is cloud_api.open: cloud->state is a struct lxd. */
void lxd_open(struct cloud *cloud, struct client_settings *settings);

/* Sends a request and, where it begins an operation, waits for its end. *out is the metadata of the answer, or of the operation, owned, and invalid on
 * failure; it may be NULL. Fails with the daemon's words. */
int lxd_ask(const struct cloud *cloud, const struct lxd_request *request, const struct stop *stop, jv *out, struct lxd_outcome *outcome,
    struct error *err);

/* Puts a file into an instance, or a folder where text is NULL. */
int lxd_put_file(const struct cloud *cloud, const char *instance, const char *path, const char *text, size_t length, unsigned mode,
    const struct stop *stop, struct error *err);

/* Waits for operations on the instance that others have begun. */
int lxd_settle(const struct cloud *cloud, const char *instance, const struct stop *stop, struct error *err);

#endif
