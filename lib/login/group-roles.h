/* SPDX-License-Identifier: Apache-2.0
 *
 * Which roles the groups give that an OpenID provider tells of a user. In the tenants that the setting names, they alone say what the user
 * is: {"staff": {"qa": "user"}, "operators": {"qa": "admin", "superadmin": "admin"}}.
 */
#ifndef LOGIN_GROUP_ROLES_H
#define LOGIN_GROUP_ROLES_H

#include <jv.h>

struct error;
struct place;
struct store;

/* Adds a problem for each part of the setting that gives no role in a tenant. */
void group_roles_check(const struct place *setting);

/* Returns an object of all tenants that the setting names: the highest role that one of the groups gives there, or null for none. groups
 * is a list of strings, or one string. */
jv group_roles_of(jv setting, jv groups);

/* Makes the user what such an object says, inside a transaction; tenant: only there, NULL: everywhere. Tenants that are not there are left
 * aside. */
int group_roles_set(struct store *store, const char *user, const char *tenant, jv roles, struct error *err);

#endif
