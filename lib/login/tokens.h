/* SPDX-License-Identifier: Apache-2.0
 *
 * Tokens and sessions: who shows one to the server is taken for its user, limited as the token is. Of the text that is shown only the
 * SHA-256 is kept: it has 256 random bits.
 */
#ifndef LOGIN_TOKENS_H
#define LOGIN_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "account/accounts.h"
#include "base/memory.h"

struct error;
struct store;

#define TOKEN_PREFIX "coopr_"

enum {
	TOKEN_SIZE = 50,     /* of the text of a token, with its NUL */
	TOKEN_SUM_SIZE = 65, /* of its SHA-256 */
};

struct token { /* strings live in the list's arena */
	int64_t id;
	const char *kind; /* "token", "session", or "provisioner": see provisioners.h */
	const char *user;
	const char *login;  /* the user by whose password it was begun; NULL: it was made without one */
	const char *tenant; /* that it is limited to; NULL: none */
	const char *role;   /* that it is limited to */
	const char *now;    /* what its user is with it today, see tokens_list; NULL: nothing */
	const char *name;   /* what its user calls it */
	const char *address; /* from which a session was begun; or NULL */
	int64_t made_ms, ends_ms;
};

struct token_list { /* zero-initialise; release it */
	struct arena arena;
	struct token *list;
	size_t count, capacity;
};

/* Makes a random text, "coopr_...", and the sum of one. */
void token_make(char text[static TOKEN_SIZE]);
void token_sum(const char *text, char sum[static TOKEN_SUM_SIZE]);

/* Adds a token whose text has that sum, inside a transaction: kind, user, login, tenant, role, name, address and ends_ms of it are
 * given. */
int tokens_add(struct store *store, const struct token *token, const char *sum, struct error *err);

struct token_ask {
	const char *name;
	enum account_role role; /* the token has at most this one */
	bool everywhere;        /* for all tenants of the user, as far as the account is told of them */
	int64_t ends_ms;
};

/* Makes a token of the account's user for its tenant, with at most the account's role, or as a superadmin's or one that is asked for
 * everywhere for all; and writes its text, which is not kept. EX_NOPERM where the account itself is asked for by a token. */
int tokens_create(struct account *account, const struct token_ask *ask, char text[static TOKEN_SIZE], struct error *err);

/* Finds the token of that text, which is valid now: 1, and adds it to the list; 0; -1. */
int tokens_find(struct store *store, const char *text, struct token_list *list, struct error *err);

/* Returns 1 where the token of that number is still valid; 0; -1. */
int tokens_is_valid(struct store *store, int64_t id, struct error *err);

/* Adds those of the account's user; everybody: of all users whom it may look after. Fills in `now`: the user's role in the token's tenant,
 * or the highest of those in all tenants, and at most the role that the token is limited to. */
int tokens_list(struct account *account, bool everybody, struct token_list *list, struct error *err);

/* Removes a token of the account's user, or one that it may look after. EX_NO where there is none of that number. */
int tokens_delete(struct account *account, int64_t id, struct error *err);

void token_list_release(struct token_list *list);

#endif
