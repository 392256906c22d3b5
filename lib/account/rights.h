/* SPDX-License-Identifier: Apache-2.0
 *
 * The rights of users in a store: its owner, the members of the tenant "superadmin", and the members of each tenant.
 */
#ifndef ACCOUNT_RIGHTS_H
#define ACCOUNT_RIGHTS_H

#include <stdbool.h>
#include <sys/types.h>

struct error;
struct store;

#define RIGHTS_SUPERADMIN "superadmin" /* the tenant whose admins are superadmins */

enum account_role { ACCOUNT_USER, ACCOUNT_ADMIN, ACCOUNT_SUPERADMIN };

/* Returns "admin", and so on. */
const char *account_role_name(enum account_role role);

/* Returns true for root, and for the user whom a store of this owner belongs to. */
bool rights_is_owner(const char *user, uid_t owner);

/* Returns the user who has asked the server, or has called sudo(8), if that has made us the owner of the store, or root; NULL:
 * nobody (borrowed). */
const char *rights_caller(uid_t owner);

/* Returns 1 where the user is a superadmin of the store of this owner; 0, or -1. */
int rights_is_superadmin(struct store *store, const char *user, uid_t owner, struct error *err);

/* Finds the role that the user has in a tenant: 1, and *groups (owned, JSON; NULL: not asked for) in place of what was there; 0
 * where the user is no member; -1. */
int rights_in_tenant(struct store *store, const char *tenant, const char *user, enum account_role *role, char **groups,
    struct error *err);

#endif
