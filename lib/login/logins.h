/* SPDX-License-Identifier: Apache-2.0
 *
 * The users who log in to the server by a password, and the codes with which one chooses it: a code logs in once. A superadmin looks after
 * all of them. An administrator of a tenant looks after those that were made for the tenant, who may ask for nothing else: that one is
 * called as somebody whom another knows gives them nothing of the other's.
 */
#ifndef LOGIN_LOGINS_H
#define LOGIN_LOGINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "account/accounts.h"
#include "base/memory.h"
#include "login/tokens.h"

struct error;

enum { LOGIN_CODE_MS = 24 * 3600 * 1000 }; /* a code is valid so long */

struct login { /* strings live in the list's arena */
	const char *user;
	const char *tenant; /* that the user is limited to; NULL: none */
	const char *by;
	int64_t made_ms, seen_ms; /* when it was made, and when the user has logged in last; 0: never */
	bool has_password;
};

struct login_list { /* zero-initialise; release it */
	struct arena arena;
	struct login *list;
	size_t count, capacity;
};

/* Adds those that the account looks after, by name; all for a superadmin, else those of its tenant. */
int logins_list(struct account *account, struct login_list *list, struct error *err);

/* Adds a user, who has no password yet; in_tenant: for the account's tenant alone. EX_CANTCREAT where there is one of that name; EX_NOPERM
 * where the account is no admin, or the name is a superadmin's and the account is none. */
int logins_add(struct account *account, const char *user, bool in_tenant, struct error *err);

/* Makes a code of a user whom the account looks after, in place of those that there were. EX_NO where there is no such user, as in those
 * below. */
int logins_make_code(struct account *account, const char *user, char code[static TOKEN_SIZE], struct error *err);

/* Sets the password of the account's own user, or of one whom it looks after, and ends what was begun with the one before. */
int logins_set_password(struct account *account, const char *user, const char *password, struct error *err);

/* Removes users, with their sessions and what was made with these; all or none. */
int logins_delete(struct account *account, char *const *users, struct error *err);

/* Finds the tenant that the user who logs in is limited to, "" for none: 1; 0 where there is no such user; -1. */
int logins_find(struct store *store, const char *user, char tenant[static 256], struct error *err);

/* Returns 1 where what limits the user is still valid: a token, or the login of who has shown a certificate; 0; -1. */
int logins_hold(struct store *store, const char *user, const struct rights_limit *limit, struct error *err);

/* Returns 1 where somebody can log in, or has a code with which that can be done, or a token; 0; -1. */
int logins_exist(struct store *store, struct error *err);

void login_list_release(struct login_list *list);

#endif
