/* SPDX-License-Identifier: Apache-2.0
 *
 * The resources of tenants, as the store records them: files and archives that plugins need besides documents. A resource is named by
 * its plugin ("automator/shell"), its type there ("scripts") and its name; each upload is a new version: 1, 2, 3, ... The bytes are kept
 * by their SHA-256, content/content.h.
 *
 *	inactive	uploaded; nothing uses it
 *	staged		the next sync makes it active
 *	active		what documents mean by the name; of each resource at most one version
 *	recalled	active until the next sync
 *
 * What the tenant superadmin has is there for all tenants, where they have none of that name themselves.
 */
#ifndef STORE_RESOURCES_H
#define STORE_RESOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

struct error;
struct store;

enum resource_state { RESOURCE_INACTIVE, RESOURCE_STAGED, RESOURCE_ACTIVE, RESOURCE_RECALLED, RESOURCE_ANY };

struct resource_name {
	const char *plugin, *type, *name; /* NULL: any; then those behind it are NULL, too */
	int64_t version;                  /* 0: any, or the newest */
};

struct resource { /* one version */
	struct resource_name name;
	const char *tenant;
	const char *sum; /* SHA-256, hexadecimal */
	int64_t bytes;
	bool is_archive;
	int64_t mode;    /* of a file on the node */
	const char *at, *by, *why; /* why may be NULL */
	enum resource_state state;
};

struct resource_list { /* zero-initialise; release it. Strings live in its arena */
	struct arena arena;
	struct resource *list;
	size_t count, capacity;
};

/* Returns "staged", and so on; and back, RESOURCE_ANY if there is none of that name. */
const char *resource_state_name(enum resource_state state);
enum resource_state resource_state_of(const char *name);

/* Adds a version of name, with the sum, bytes, is_archive and mode given, inside a transaction, and sets its version. Where the
 * newest version is the same already, that one is meant and nothing is added: 0, else 1, or -1. */
int resources_add(struct store *store, struct resource *resource, struct error *err);

/* Stages a version (0: the newest), inside a transaction; another that was staged or active is recalled by that. recall: takes back
 * what was staged, so that what is active stays; where nothing was, the next sync makes none active. EX_NO where there is no such version. */
int resources_stage(struct store *store, const struct resource_name *name, struct error *err);
int resources_recall(struct store *store, const struct resource_name *name, struct error *err);

/* Makes one version active at once, inside a transaction, whatever is staged. */
int resources_activate(struct store *store, const struct resource_name *name, struct error *err);

/* Makes all staged versions of the tenant active and all recalled ones inactive, at one instant: the commit of the transaction. */
int resources_sync(struct store *store, struct error *err);

/* Adds what a sync would change: the staged and the recalled versions. */
int resources_list_pending(struct store *store, struct resource_list *list, struct error *err);

/* Deletes a version, inside a transaction. EX_NO where there is none, EX_TEMPFAIL where it is not inactive. */
int resources_delete(struct store *store, const struct resource_name *name, struct error *err);

/* Adds the versions of the tenant, and with shared of the tenant superadmin, by plugin, type, name and version. */
int resources_list(struct store *store, const struct resource_name *name, enum resource_state state, bool shared,
    struct resource_list *list, struct error *err);

/* Finds one version: of the tenant, else of the tenant superadmin; version 0: the active one, else the newest. EX_NO. */
int resources_find(struct store *store, const struct resource_name *name, struct arena *arena, struct resource *resource,
    struct error *err);

/* Finds the active version: of the tenant, else of the tenant superadmin: 1, 0 where there is none, -1. */
int resources_find_active(struct store *store, const struct resource_name *name, struct arena *arena, struct resource *resource,
    struct error *err);

/* Returns 1 where a version of any tenant has these bytes, 0, or -1. */
int resources_name_sum(struct store *store, const char *sum, struct error *err);

void resource_list_release(struct resource_list *list);

#endif
