/* SPDX-License-Identifier: Apache-2.0
 *
 * What the store has of a tenant, in every table: for its export, and to be erased. What it has elsewhere, tenant/erase.h removes first,
 * while the store still knows what that is.
 */
#ifndef ACCOUNT_BELONGINGS_H
#define ACCOUNT_BELONGINGS_H

#include <stdint.h>

#include "base/process.h"

struct error;
struct store;

struct belongings { /* of one tenant; release it */
	int64_t tenant;
	const char *name;          /* that it has, or had; borrowed */
	struct arguments clusters; /* their ids */
	struct arguments names;    /* of services, providers, hardware and image types that no other tenant ever had */
};

/* Finds a tenant, or one that was deleted and had the name, and what is to be known of it: 1, 0 where there is none, -1. */
int belongings_find(struct store *store, const char *name, struct belongings *its, struct error *err);
int belongings_find_deleted(struct store *store, const char *name, struct belongings *its, struct error *err);

/* Returns 1 where a resource, a cluster or an operation of the tenant names the digest, 0, -1. */
int belongings_name_digest(struct store *store, const struct belongings *its, const char *digest, struct error *err);

/* Takes a row of a table, as a JSON object: without the numbers of rows, and without values of secrets. */
typedef int belongings_row(void *context, const char *table, const char *row, struct error *err);

/* Hands all rows to row, the tenant's own first, those of a table always in the same order. */
int belongings_list(struct store *store, const struct belongings *its, belongings_row *row, void *context, struct error *err);

/* Tells of a table: how many rows of the tenant it had, and how many are left. */
typedef void belongings_tell(void *context, const char *table, int64_t removed, int64_t left);

/* Erases a deleted tenant, inside a transaction, but for the audit log, and looks at all tables once more. Its own row is deleted last,
 * which the database refuses as long as any row refers to it or to one of its clusters. */
int belongings_erase(struct store *store, const struct belongings *its, belongings_tell *tell, void *context, struct error *err);

/* Add what an export has, inside a transaction, to the store's tenant: a version of an entity, whose versions come in their order, a version
 * of a resource, a member. document: NULL where the version says that the entity was deleted. */
struct belongings_revision {
	const char *kind, *name, *at, *by, *why, *document, *origin;
	int64_t version;
};
int belongings_add_revision(struct store *store, const struct belongings_revision *revision, struct error *err);

struct belongings_resource {
	const char *plugin, *type, *name, *sum, *format, *at, *by, *why;
	int64_t version, bytes, mode, active, staged, deleted;
};
int belongings_add_resource(struct store *store, const struct belongings_resource *resource, struct error *err);

int belongings_add_member(struct store *store, const char *user, const char *role, const char *groups, struct error *err);

void belongings_release(struct belongings *its);

#endif
