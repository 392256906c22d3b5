/* SPDX-License-Identifier: Apache-2.0
 *
 * The rights of users in a store: its owner, the members of the tenant "superadmin", and the members of each tenant.
 */
#ifndef ACCOUNT_RIGHTS_H
#define ACCOUNT_RIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct error;
struct store;

#define RIGHTS_SUPERADMIN "superadmin" /* the tenant whose admins are superadmins */
#define RIGHTS_OPEN "default"          /* the tenant in which everybody who is no member is a user */

enum account_role { ACCOUNT_READER, ACCOUNT_USER, ACCOUNT_ADMIN, ACCOUNT_SUPERADMIN };

/* Limits of a request with a token or a session, whatever its user may do otherwise. */
struct rights_limit {
	bool is_set;            /* else nothing does, and the rest is of no interest */
	enum account_role role; /* the highest */
	int64_t token;          /* its number */
	char kind[16];          /* "token", "session", "provisioner", or "certificate", which has no number */
	char tenant[256];       /* the only one; "": all */
};

#define RIGHTS_CERTIFICATE "certificate"

/* The variable in which coopr-serve tells a command what limits its asker: "session 12 admin qa". */
#define RIGHTS_LIMIT "COOPR_ASKER_LIMIT"

/* Returns "read-only", "user", and so on. */
const char *account_role_name(enum account_role role);

/* Returns whether both limit in the same way. */
bool rights_limit_is(const struct rights_limit *limit, const struct rights_limit *other);

/* Finds a role by its name. */
bool account_role_find(const char *name, enum account_role *role);

/* Returns what limits who has asked a server for this command. What cannot be understood permits nothing. */
struct rights_limit rights_limit(void);

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

struct rights_held { /* what a user is in which tenants; zero-initialise; release it */
	struct { int64_t tenant; enum account_role role; } *list;
	size_t count, capacity;
};

/* Fills in what the user is now. */
int rights_hold(struct store *store, const char *user, struct rights_held *held, struct error *err);

/* Returns whether a role that was held before is not held any more, or a lower one in its place. */
bool rights_are_lost(const struct rights_held *before, const struct rights_held *now);

void rights_held_release(struct rights_held *held);

#endif
