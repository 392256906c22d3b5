/* SPDX-License-Identifier: Apache-2.0
 *
 * The members of a tenant: who may ask in its name, in which role, and in which groups they are. All changes stay in
 * the history, with who and why.
 */
#ifndef ACCOUNT_MEMBERS_H
#define ACCOUNT_MEMBERS_H

#include <stddef.h>
#include <stdint.h>

#include "account/accounts.h"
#include "base/memory.h"
#include "json/place.h"

struct error;

struct member { /* strings live in the list's arena */
	const char *user;
	enum account_role role; /* in this tenant: at most admin */
	const char *groups;     /* JSON, sorted: ["dev","ops"] */
};

struct member_list { /* zero-initialise; release it */
	struct arena arena;
	struct member *list;
	size_t count, capacity;
};

/* Adds the members of the account's tenant, by name: all for an admin, else only the user. */
int members_list(struct account *account, struct member_list *list, struct error *err);

/* Makes the user a member, or gives a member another role and groups (sorted names). Only for an admin of the tenant. */
int members_set(struct account *account, const char *user, enum account_role role, const struct string_list *groups,
    struct error *err);

/* Removes members, all or none; their clusters stay. Only for an admin. Fails with EX_NO where one is no member. */
int members_delete(struct account *account, char *const *users, struct error *err);

void member_list_release(struct member_list *list);

#endif
