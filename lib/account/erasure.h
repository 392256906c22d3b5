/* SPDX-License-Identifier: Apache-2.0
 *
 * Erases a tenant: all that the store has of it, but for the audit log. Nothing is left: its own row is deleted last, which the
 * database refuses as long as any row refers to it, and the same holds for each of its clusters.
 */
#ifndef ACCOUNT_ERASURE_H
#define ACCOUNT_ERASURE_H

#include <stdint.h>

struct error;
struct store;

/* Erases the tenant of that number, which has been deleted, inside a transaction. name is the one that it had. EX_NO where it still has
 * archives, which are kept elsewhere. */
int erasure_do(struct store *store, int64_t tenant, const char *name, struct error *err);

#endif
