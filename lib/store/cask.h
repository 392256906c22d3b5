/* SPDX-License-Identifier: Apache-2.0
 *
 * Documents of Cask's Coopr 0.9, from which people come over as coopr-migrate(7) says: the object that its server sends for
 * GET /v2/export, the requests that its clients send to create clusters, clusters as its server shows them, and lists of any
 * of these. Entities stay as they are, clusters become specifications, and what has no place here is listed.
 */
#ifndef STORE_CASK_H
#define STORE_CASK_H

#include <stdbool.h>
#include <stddef.h>

#include <jv.h>

#include "catalogue/catalogue.h"

struct error;

struct cask_entity { /* strings live in the arena */
	enum entity_kind kind;
	const char *source; /* for messages: export.json: service "nginx" */
	jv document;
};

struct cask_item { /* strings live in the arena */
	const char *kind, *name; /* "clusterspec", "kv-qa"; name NULL: it has none */
	const char *note;        /* why it was left out, or what was left out of it; NULL: nothing */
	char *text;              /* a cluster specification, pretty-printed; NULL: the item was left out */
};

struct cask { /* zero-initialise; release it */
	struct arena arena;
	struct cask_entity *entities; /* in the order given */
	size_t entity_count, entity_capacity;
	struct cask_item *list; /* all else, in the order given */
	size_t count, capacity;
};

/* Tells whether it is a document of Coopr; single entities are none, for they look as ours do. */
bool cask_is_document(jv document);

/* Takes all that is in a document of Coopr. 0, or -1 with EX_DATAERR if a part of it is none. */
int cask_take(struct cask *cask, jv document, const char *source, struct error *err);

void cask_release(struct cask *cask);

#endif
