/* SPDX-License-Identifier: Apache-2.0 */
#include "login/tokens.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "content/content.h"
#include "store/audit.h"
#include "store/sql/sql.h"

#define COLUMNS "token.id, CASE WHEN token.id IN (SELECT token FROM provisioner_token) THEN 'provisioner' ELSE kind END, user, login, tenant.name, role, token.name, address, made_ms, ends_ms"
#define TABLES "token LEFT JOIN tenant ON tenant.id = token.tenant"

/* Tokens that an account looks after: its user's, of all tenants unless it is told of one alone; all of its tenant's for an admin of it;
 * all for a superadmin. */
#define MINE "(?1 = 3 OR user = nullif(?4, '') OR ((?1 = 2 OR user = ?2) AND token.tenant = ?3))"
#define MINE_TYPES "itit"
#define MINE_VALUES(account) (int64_t)(account)->role, (account)->user, store_tenant((account)->store), account_member(account)

enum { TOKEN_BYTES = 32 };

_Static_assert((int)TOKEN_SUM_SIZE == (int)CONTENT_DIGEST_SIZE, "a sum is a digest");
_Static_assert(ACCOUNT_ADMIN == 2 && ACCOUNT_SUPERADMIN == 3, "MINE has the numbers of the roles");

void
token_make(char text[static TOKEN_SIZE])
{
	unsigned char bytes[TOKEN_BYTES];
	size_t prefix = sizeof TOKEN_PREFIX - 1;

	randombytes_buf(bytes, sizeof bytes);
	memcpy(text, TOKEN_PREFIX, prefix);
	sodium_bin2base64(text + prefix, TOKEN_SIZE - prefix, bytes, sizeof bytes, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
	sodium_memzero(bytes, sizeof bytes);
}

void
token_sum(const char *text, char sum[static TOKEN_SUM_SIZE])
{
	content_digest(text, strlen(text), sum);
}

static int
tokens_audit(struct store *store, const char *action, const char *kind, int64_t id, struct error *err)
{
	char name[24];
	const struct audit_event event = {.action = action, .kind = kind, .name = name};

	snprintf(name, sizeof name, "%" PRId64, id);
	return audit_add(store, &event, err);
}

int
tokens_add(struct store *store, const struct token *token, const char *sum, struct error *err)
{
	int64_t id;
	int got = sql_number(store_sql(store), &id, err, "INSERT INTO token (sum, kind, user, login, tenant, role, name, address, "
	    "made_ms, ends_ms) VALUES (?, ?, ?, ?, (SELECT id FROM tenant WHERE name = ?), ?, ?, ?, ?, ?) RETURNING id", "ttttttttii", sum,
	    token->kind, token->user, token->login, token->tenant, token->role, token->name, token->address, clock_wall_ms(),
	    token->ends_ms);

	return got < 0 ? -1 : tokens_audit(store, "create", token->kind, id, err);
}

/* Adds the tokens that a statement gives, and ends it. Returns how many, or -1. */
static int
tokens_read(struct sql_rows *rows, struct token_list *list, struct error *err)
{
	int got, count = 0;

	while ((got = sql_row(rows, err)) > 0) {
		ARRAY_ROOM(list->list, list->count, list->capacity);
		list->list[list->count++] = (struct token){
			.id = sql_integer(rows, 0),
			.kind = sql_keep(rows, 1, &list->arena),
			.user = sql_keep(rows, 2, &list->arena),
			.login = sql_keep(rows, 3, &list->arena),
			.tenant = sql_keep(rows, 4, &list->arena),
			.role = sql_keep(rows, 5, &list->arena),
			.name = sql_keep(rows, 6, &list->arena),
			.address = sql_keep(rows, 7, &list->arena),
			.made_ms = sql_integer(rows, 8),
			.ends_ms = sql_integer(rows, 9),
		};
		count++;
	}
	sql_end(rows);
	return got < 0 ? -1 : count;
}

int
tokens_find(struct store *store, const char *text, struct token_list *list, struct error *err)
{
	char sum[TOKEN_SUM_SIZE];

	token_sum(text, sum);
	return tokens_read(sql_query(store_sql(store), err, "SELECT " COLUMNS " FROM " TABLES " WHERE sum = ? AND ends_ms > ?", "ti", sum,
	    clock_wall_ms()), list, err);
}

/* Adds the session that the account asks with, if it does: what is made with it ends with its login, too. Returns how many, or -1. */
static int
tokens_of_session(struct account *account, struct token_list *list, struct error *err)
{
	return !account->limit.is_set ? 0 : tokens_read(sql_query(account_sql(account), err, "SELECT " COLUMNS " FROM " TABLES
	    " WHERE token.id = ?", "i", account->limit.token), list, err);
}

int
tokens_create(struct account *account, const struct token_ask *ask, char text[static TOKEN_SIZE], struct error *err)
{
	/* What its user is in a tenant limits such a token there. */
	bool everywhere = ask->role == ACCOUNT_SUPERADMIN || (ask->everywhere && *account_member(account));
	struct token token = {.kind = "token", .user = account->user, .tenant = everywhere ? NULL : account->tenant,
		.role = account_role_name(ask->role), .name = ask->name, .ends_ms = ask->ends_ms};
	struct token_list session = {0};
	char sum[TOKEN_SUM_SIZE];
	int result;

	if (account->limit.is_set && strcmp(account->limit.kind, "session") != 0)
		return error_set(err, EX_NOPERM, "a %s makes no tokens; log in with the password, as \"coopr login\" does", account->limit.kind);
	if (ask->role > account->role && (!everywhere || ask->role == ACCOUNT_SUPERADMIN))
		return error_set(err, EX_NOPERM, "tenant %s: %s has the role %s there, and may make no token of the role %s", account->tenant,
		    account->user, account_role_name(account->role), account_role_name(ask->role));
	token_make(text);
	token_sum(text, sum);
	if (store_begin(account->store, err) < 0)
		return -1;
	result = tokens_of_session(account, &session, err);
	if (result > 0)
		token.login = session.list[0].login;
	if (result >= 0)
		result = tokens_add(account->store, &token, sum, err);
	token_list_release(&session);
	return store_finish(account->store, result, err);
}

int
tokens_is_valid(struct store *store, int64_t id, struct error *err)
{
	int64_t one;

	return sql_number(store_sql(store), &one, err, "SELECT 1 FROM token WHERE id = ? AND ends_ms > ?", "ii", id, clock_wall_ms());
}

/* Finds the user's role in the token's tenant, or the highest of all: 1; 0 where the user is none there; -1. */
static int
tokens_find_role(struct store *store, const struct token *token, uid_t owner, enum account_role *role, struct error *err)
{
	struct rights_held held = {0};
	int got = rights_is_superadmin(store, token->user, owner, err);

	*role = ACCOUNT_SUPERADMIN;
	if (got != 0)
		return got;
	*role = ACCOUNT_USER;
	if (token->tenant) {
		got = rights_in_tenant(store, token->tenant, token->user, role, NULL, err);
		return got == 0 && strcmp(token->tenant, RIGHTS_OPEN) == 0 ? 1 : got;
	}
	if ((got = rights_hold(store, token->user, &held, err)) == 0 && held.count)
		*role = ACCOUNT_READER;
	for (size_t i = 0; i < held.count; i++)
		if (held.list[i].role > *role)
			*role = held.list[i].role;
	rights_held_release(&held);
	return got < 0 ? -1 : 1;
}

/* Fills in what its user is with the token. One of a provisioner lets nobody in as a user. */
static int
tokens_fill_now(struct store *store, struct token *token, uid_t owner, struct error *err)
{
	enum account_role role, limit = ACCOUNT_READER;
	int got = strcmp(token->kind, "provisioner") == 0 ? 0 : tokens_find_role(store, token, owner, &role, err);

	account_role_find(token->role, &limit);
	if (got > 0)
		token->now = account_role_name(role < limit ? role : limit);
	return got < 0 ? -1 : 0;
}

int
tokens_list(struct account *account, bool everybody, struct token_list *list, struct error *err)
{
	int result = tokens_read(sql_query(account_sql(account), err, "SELECT " COLUMNS " FROM " TABLES " WHERE " MINE
	    " AND (?5 OR user = ?2) AND ends_ms > ?6 ORDER BY token.id", MINE_TYPES "ii", MINE_VALUES(account), (int64_t)everybody,
	    clock_wall_ms()), list, err);
	uid_t owner;

	if (result > 0 && store_owner(account->store, &owner, err) < 0)
		return -1;
	for (size_t i = 0; result >= 0 && i < list->count; i++)
		if (tokens_fill_now(account->store, &list->list[i], owner, err) < 0)
			result = -1;
	return result;
}

int
tokens_delete(struct account *account, int64_t id, struct error *err)
{
	struct store *store = account->store;
	int64_t found;
	int result;

	if (store_begin(store, err) < 0)
		return -1;
	result = sql_number(store_sql(store), &found, err, "DELETE FROM token WHERE " MINE " AND id = ?5 RETURNING id", MINE_TYPES "i",
	    MINE_VALUES(account), id);
	if (result == 0)
		result = error_absent(err, "there is no token %" PRId64 "; \"coopr token list\" shows them", id);
	if (result > 0)
		result = tokens_audit(store, "delete", "token", id, err);
	return store_finish(store, result, err);
}

void
token_list_release(struct token_list *list)
{
	arena_release(&list->arena);
	free(list->list);
	*list = (struct token_list){0};
}
