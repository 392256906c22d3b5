/* SPDX-License-Identifier: Apache-2.0
 *
 * The entities of a tenant and their versions: 1, 2, 3, ... None is ever changed or taken away; the newest is what an
 * entity is. Deleting adds a version without a document, after which the name is free for a new version.
 */
#ifndef STORE_ENTITIES_H
#define STORE_ENTITIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "catalogue/catalogue.h"
#include "model/take/origin.h"

struct error;
struct store;

enum { VERSION_ANY = -1 };

struct revision { /* strings live in the list's arena */
	enum entity_kind kind;
	const char *name;
	int64_t version;
	const char *at, *by; /* when (RFC 3339), who */
	const char *why;     /* NULL where nothing was said */
	const char *text;    /* the document, canonical; NULL where the version says that it was deleted */
	const char *note;    /* what people should know of it, if whoever put it has set it; else NULL */
	enum origin origin;
};

struct revisions { /* zero-initialise; release it */
	struct arena arena;
	struct revision *list;
	size_t count, capacity;
};

/* Makes the document the newest version of the entity, inside a transaction; *version is its number. 1, or 0 where that
 * is what the entity is already, or -1. EX_TEMPFAIL where expected is not VERSION_ANY and the newest version is another
 * (0: there is no such entity): somebody else was faster. */
int entities_put(struct store *store, enum entity_kind kind, const char *name, jv document, int64_t expected,
    int64_t *version, struct error *err);

/* Deletes it, inside a transaction. EX_NO where there is none, EX_TEMPFAIL as above. */
int entities_delete(struct store *store, enum entity_kind kind, const char *name, int64_t expected, struct error *err);

/* Adds one version of an entity to the list (0: the newest). EX_NO where there is none, with a name that is spelled
 * nearly so. */
int entities_get(struct store *store, enum entity_kind kind, const char *name, int64_t version, struct revisions *list,
    struct error *err);

/* The same for the newest version; an entity that is not there is added without a text. */
int entities_look(struct store *store, enum entity_kind kind, const char *name, struct revisions *list, struct error *err);

/* Adds what entities there are, by kind and name (kind ENTITY_NONE: of all). */
int entities_list(struct store *store, enum entity_kind kind, struct revisions *list, struct error *err);

/* Adds all versions of an entity, the oldest first; deleted ones too. EX_NO where there never was one. */
int entities_history(struct store *store, enum entity_kind kind, const char *name, struct revisions *list,
    struct error *err);

void revisions_release(struct revisions *list);

/* Returns 1 where an administrator of the store's tenant can put entities, or has put any, and not only superadmins; 0; -1. */
int entities_are_tenants(struct store *store, struct error *err);

/* Marks all entities of the catalogue that can have a mark, model/take/origin.h. */
void entities_mark(struct catalogue *catalogue, enum origin origin);

/* Fills the catalogue with all entities, which have the mark of their origin where an administrator of the tenant can put any; files are named as in an export ("services/nginx.json"). Malformed ones are left out and
 * listed in findings. The catalogue is to be released in any case, and after the findings. */
int entities_catalogue(struct store *store, struct catalogue *catalogue, struct findings *findings, struct error *err);

/* The same without marks, with the entities of a list that was read: all, or those that are marked in wanted, which has an element for each. */
int revisions_catalogue(const struct revisions *list, const bool *wanted, struct catalogue *catalogue, struct findings *findings,
    struct error *err);

#endif
