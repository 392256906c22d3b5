/* SPDX-License-Identifier: Apache-2.0
 *
 * Who may refer to a secret of a tenant in the configuration of their clusters, besides the tenant's administrators.
 */
#ifndef ACCOUNT_SECRET_READERS_H
#define ACCOUNT_SECRET_READERS_H

struct account;
struct error;
struct string_list;

/* Lets the users and groups, and nobody else, refer to the secret, inside a transaction. EX_NO where there is none. */
int secret_readers_set(struct account *account, const char *secret, const struct string_list *users, const struct string_list *groups,
    struct error *err);

/* Returns whether the account may refer to the secret: 1, 0 (also where there is none), or -1. */
int secret_readers_have(struct account *account, const char *secret, struct error *err);

#endif
