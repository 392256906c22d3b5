/* SPDX-License-Identifier: Apache-2.0
 *
 * Uploads: what becomes the next version of a resource. Its bytes are read, checked and kept first, then it is recorded; what was killed
 * between both is no version, and its bytes are removed later.
 */
#ifndef RESOURCE_UPLOAD_H
#define RESOURCE_UPLOAD_H

#include "base/buffer.h"
#include "content/content.h"
#include "content/incoming.h"
#include "store/resources.h"

struct error;
struct store;

struct upload { /* zero-initialise; release it */
	struct resource resource; /* its name, is_archive and mode are given */
	bool no_links;            /* in a folder that is read, links are refused, else followed */
	struct buffer made;       /* of a folder, or a file that was read */
	struct incoming incoming; /* or what has come from standard input */
	char digest[CONTENT_DIGEST_SIZE];
	int place;                /* open once upload_begin has taken one */
};

enum { UPLOADS_AT_ONCE = 4 };

/* Takes one of the places that the store's tenant has, until the upload is released: what is read, and what reads an archive, takes memory and
 * disk before a quota can count it. EX_TEMPFAIL where UPLOADS_AT_ONCE are under way. */
int upload_begin(struct upload *upload, struct store *store, struct error *err);

/* Reads a file, a folder (which becomes an archive), or standard input ("-"). EX_DATAERR where that is too much. */
int upload_read(struct upload *upload, const char *path, struct error *err);

/* Checks what was read, and finds its digest; upload_keep keeps it, too, where the tenant's quota allows it, outside of a transaction.
 * EX_DATAERR where an archive is none, hostile or too large, EX_NO where the quota forbids it. */
int upload_check(struct upload *upload, struct error *err);
int upload_keep(struct upload *upload, struct store *store, struct error *err);

/* Records it as the next version, inside a transaction: 1, 0 where the newest is the same, -1. upload_try: what was only checked; the
 * transaction is undone then. */
int upload_record(struct upload *upload, struct store *store, struct error *err);
int upload_try(struct upload *upload, struct store *store, struct error *err);

void upload_release(struct upload *upload);

#endif
