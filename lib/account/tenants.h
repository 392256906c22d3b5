/* SPDX-License-Identifier: Apache-2.0
 *
 * Tenants: who has entities, clusters and a quota of their own. Only a superadmin sees those that they are no member of,
 * and changes any.
 */
#ifndef ACCOUNT_TENANTS_H
#define ACCOUNT_TENANTS_H

#include <stddef.h>
#include <stdint.h>

#include <jv.h>

#include "account/quota.h"
#include "base/memory.h"

struct account;
struct error;
struct store;

struct tenant_record { /* strings live in the list's arena */
	int64_t id;
	const char *name;
	const char *document; /* JSON: {"description":"...","name":"qa","quota":{"nodes":100}} */
	struct quota limit, use; /* once tenants_measure has set them */
};

struct tenant_list { /* zero-initialise; release it */
	struct arena arena;
	struct tenant_record *list;
	size_t count, capacity;
};

/* Adds what tenants the account sees, by name. name not NULL: that one; EX_NO where there is none. */
int tenants_list(struct account *account, const char *name, struct tenant_list *list, struct error *err);

/* Sets what each tenant of the list may use, and what it uses: all of its clusters are read for that. */
int tenants_measure(struct account *account, struct tenant_list *list, struct error *err);

enum tenants_put { TENANTS_CREATE, TENANTS_CHANGE };

/* Makes a tenant, or changes its document, which has to be one (tenant_parse). bootstrap: gives it copies of the entities
 * of the tenant "superadmin", partial templates too; *copied is how many. EX_NO where there is one of that name
 * already, or none. */
int tenants_put(struct account *account, enum tenants_put how, jv document, bool bootstrap, size_t *copied,
    struct error *err);

/* Makes a tenant of that document, a text, inside a transaction; *id is its number. EX_NO where there is one of that name already. */
int tenants_add(struct store *store, const char *name, const char *document, int64_t *id, struct error *err);

/* Checks that the tenant may be deleted, as it has no cluster, and sets *id to its number. EX_NO where it may not, or there is none. */
int tenants_check_delete(struct store *store, const char *name, int64_t *id, struct error *err);

/* Deletes tenants, all or none: their members and secrets are gone, their entities and resources deleted; versions, terminated
 * clusters and usage stay for the superadmin, until the tenant is erased: erasure.h. EX_NO where one has clusters, or is a tenant that
 * has to be. */
int tenants_delete(struct account *account, char *const *names, struct error *err);

void tenant_list_release(struct tenant_list *list);

#endif
