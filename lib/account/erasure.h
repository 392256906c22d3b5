/* SPDX-License-Identifier: Apache-2.0
 *
 * Erases a deleted tenant from the store: all rows that it has, in every table but the audit log. What it has elsewhere goes first
 * (tenant/erase.h), while the store still knows what that is.
 */
#ifndef ACCOUNT_ERASURE_H
#define ACCOUNT_ERASURE_H

#include <stdint.h>

#include "base/process.h"

struct error;
struct store;

struct erasure { /* of one tenant; release it */
	int64_t tenant;
	const char *name;          /* that it had; borrowed */
	struct arguments clusters; /* their ids */
	struct arguments names;    /* of services, providers, hardware and image types that no other tenant ever had */
};

/* Finds a deleted tenant that had the name, and what is to be known of it: 1, 0 where there is none, -1. */
int erasure_find(struct store *store, const char *name, struct erasure *erasure, struct error *err);

/* Returns 1 where a resource, a cluster or an operation of the tenant names the digest, 0, -1. */
int erasure_names_digest(struct store *store, const struct erasure *erasure, const char *digest, struct error *err);

/* Tells of a table: how many rows of the tenant it had, and how many are left. */
typedef void erasure_tell(void *context, const char *table, int64_t removed, int64_t left);

/* Erases it, inside a transaction, and looks at all tables once more. Its own row is deleted last, which the database refuses as long as
 * any row refers to it or to one of its clusters. */
int erasure_do(struct store *store, const struct erasure *erasure, erasure_tell *tell, void *context, struct error *err);

void erasure_release(struct erasure *erasure);

#endif
