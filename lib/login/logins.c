/* SPDX-License-Identifier: Apache-2.0 */
#include "login/logins.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/process.h"
#include "base/suggest.h"
#include "login/password.h"
#include "store/audit.h"
#include "store/sql/sql.h"

/* Users whom an account looks after. */
#define LOOKED_AFTER "(?1 = 3 OR (?1 = 2 AND login.tenant = ?2))"
#define LOOKED_AFTER_TYPES "ii"
#define LOOKED_AFTER_VALUES(account) (int64_t)(account)->role, store_tenant((account)->store)

_Static_assert(ACCOUNT_ADMIN == 2 && ACCOUNT_SUPERADMIN == 3, "LOOKED_AFTER has the numbers of the roles");

int
logins_list(struct account *account, struct login_list *list, struct error *err)
{
	struct sql_rows *rows;
	int got;

	if (account_need(account, ACCOUNT_ADMIN, "users with passwords", err) < 0)
		return -1;
	rows = sql_query(account_sql(account), err, "SELECT user, tenant.name, by, made_ms, seen_ms, password IS NOT NULL FROM login "
	    "LEFT JOIN tenant ON tenant.id = login.tenant WHERE " LOOKED_AFTER " ORDER BY user", LOOKED_AFTER_TYPES,
	    LOOKED_AFTER_VALUES(account));
	while ((got = sql_row(rows, err)) > 0) {
		ARRAY_ROOM(list->list, list->count, list->capacity);
		list->list[list->count++] = (struct login){
			.user = sql_keep(rows, 0, &list->arena),
			.tenant = sql_keep(rows, 1, &list->arena),
			.by = sql_keep(rows, 2, &list->arena),
			.made_ms = sql_integer(rows, 3),
			.seen_ms = sql_integer(rows, 4),
			.has_password = sql_integer(rows, 5) != 0,
		};
	}
	sql_end(rows);
	return got;
}

static int
logins_audit(struct store *store, const char *action, const char *user, struct error *err)
{
	const struct audit_event event = {.action = action, .kind = "user", .name = user};

	return audit_add(store, &event, err);
}

/* Refuses names that are somebody else's who may do more. */
static int
logins_check_name(struct account *account, const char *user, struct error *err)
{
	uid_t owner;
	int top;

	if (user[strspn(user, "0123456789")] == '\0')
		return error_set(err, EX_DATAERR, "user %s: a number is not a name of a user who logs in", user);
	if (account->role == ACCOUNT_SUPERADMIN)
		return 0;
	top = store_owner(account->store, &owner, err) < 0 ? -1 : rights_is_superadmin(account->store, user, owner, err);
	return top <= 0 ? top : error_set(err, EX_NOPERM, "user %s: only a superadmin may make a login for a superadmin", user);
}

/* Refuses to make what lets somebody in for who asks with a token; and with a session, for its own user: it would outlive that it is
 * revoked. */
static int
logins_need_password(struct account *account, const char *user, struct error *err)
{
	int64_t one;
	int own;

	if (!account->limit.is_set)
		return 0;
	if (strcmp(account->limit.kind, "session") != 0)
		return error_set(err, EX_NOPERM, "user %s: a %s makes no users, codes and passwords; log in with the password, as \"coopr login\" does", user,
		    account->limit.kind);
	own = sql_number(account_sql(account), &one, err, "SELECT 1 FROM token WHERE id = ? AND login = ?", "it", account->limit.token, user);
	return own <= 0 ? own : error_set(err, EX_NOPERM,
	    "user %s: a session makes no code and no password for its own user; choose another password where you log in", user);
}

int
logins_add(struct account *account, const char *user, bool in_tenant, struct error *err)
{
	struct store *store = account->store;
	int64_t one;
	int result;

	if (account_need(account, in_tenant ? ACCOUNT_ADMIN : ACCOUNT_SUPERADMIN, "making users", err) < 0 ||
	    logins_need_password(account, user, err) < 0 || logins_check_name(account, user, err) < 0 || store_begin(store, err) < 0)
		return -1;
	result = sql_number(store_sql(store), &one, err, "SELECT 1 FROM login WHERE user = ?", "t", user);
	if (result > 0)
		result = error_set(err, EX_CANTCREAT, "there is a user %s who logs in", user);
	if (result == 0)
		result = sql_change(store_sql(store), err, "INSERT INTO login (user, tenant, made_ms, by) VALUES (?, nullif(?, 0), ?, ?)",
		    "tiit", user, in_tenant ? store_tenant(store) : (int64_t)0, clock_wall_ms(), store_by(store));
	if (result == 0)
		result = logins_audit(store, "create", user, err);
	return store_finish(store, result, err);
}

/* Says that there is no such user, and who may be meant. */
static int
logins_unknown(struct account *account, const char *user, struct error *err)
{
	struct login_list list = {0};
	struct arguments names = {0};
	struct error ignored; /* then nobody is named */

	if (logins_list(account, &list, &ignored) == 0)
		for (size_t i = 0; i < list.count; i++)
			arguments_push(&names, list.list[i].user);
	error_absent(err, "there is no user %s who logs in", user);
	suggest_or_say(err, user, (const char *const *)names.list, "\"coopr user add\" makes one");
	arguments_release(&names);
	login_list_release(&list);
	return -1;
}

/* Returns 1 where the account looks after the user; or else, is the user where itself suffices, as long as it shows no token and
 * is no other who acts as the user; -1. */
static int
logins_need(struct account *account, const char *user, bool itself, struct error *err)
{
	int64_t one;
	int result = sql_number(account_sql(account), &one, err, "SELECT 1 FROM login WHERE " LOOKED_AFTER " AND user = ?3",
	    LOOKED_AFTER_TYPES "t", LOOKED_AFTER_VALUES(account), user);

	if (result == 0 && itself && strcmp(user, account->user) == 0 && !account->limit.is_set && !account->of_tenant)
		result = sql_number(account_sql(account), &one, err, "SELECT 1 FROM login WHERE user = ?", "t", user);
	return result > 0 ? 1 : result < 0 ? -1 : logins_unknown(account, user, err);
}

int
logins_make_code(struct account *account, const char *user, char code[static TOKEN_SIZE], struct error *err)
{
	struct store *store = account->store;
	char sum[TOKEN_SUM_SIZE];
	int result;

	if (account_need(account, ACCOUNT_ADMIN, "making codes to log in", err) < 0 || logins_need_password(account, user, err) < 0 ||
	    store_begin(store, err) < 0)
		return -1;
	token_make(code);
	token_sum(code, sum);
	result = logins_need(account, user, false, err);
	if (result >= 0)
		result = sql_change(store_sql(store), err, "DELETE FROM login_code WHERE user = ? OR ends_ms < ?", "ti", user,
		    clock_wall_ms());
	if (result == 0)
		result = sql_change(store_sql(store), err, "INSERT INTO login_code (sum, user, ends_ms) VALUES (?, ?, ?)", "tti", sum, user,
		    clock_wall_ms() + LOGIN_CODE_MS);
	if (result == 0)
		result = logins_audit(store, "make-code", user, err);
	return store_finish(store, result, err);
}

int
logins_set_password(struct account *account, const char *user, const char *password, struct error *err)
{
	struct store *store = account->store;
	char stored[PASSWORD_STORED_SIZE];
	int result;

	if (password_check(password, user, err) < 0 || logins_need_password(account, user, err) < 0 || logins_need(account, user, true, err) < 0 ||
	    password_hash(password, stored, err) < 0 || store_begin(store, err) < 0)
		return -1;
	result = logins_need(account, user, true, err);
	if (result >= 0)
		result = sql_change(store_sql(store), err, "UPDATE login SET password = ? WHERE user = ?", "tt", stored, user);
	if (result == 0)
		result = sql_change(store_sql(store), err, "DELETE FROM token WHERE login = ?", "t", user);
	if (result == 0)
		result = logins_audit(store, "set-password", user, err);
	return store_finish(store, result, err);
}

int
logins_delete(struct account *account, char *const *users, struct error *err)
{
	struct store *store = account->store;
	int result = 0;

	if (account_need(account, ACCOUNT_ADMIN, "removing users", err) < 0 || store_begin(store, err) < 0)
		return -1;
	for (; *users && result >= 0; users++) {
		result = logins_need(account, *users, false, err);
		if (result >= 0)
			result = sql_change(store_sql(store), err, "DELETE FROM login WHERE user = ?", "t", *users);
		if (result >= 0)
			result = logins_audit(store, "delete", *users, err);
	}
	return store_finish(store, result, err);
}

int
logins_find(struct store *store, const char *user, char tenant[static 256], struct error *err)
{
	struct sql_rows *rows = sql_query(store_sql(store), err, "SELECT coalesce(tenant.name, '') FROM login "
	    "LEFT JOIN tenant ON tenant.id = login.tenant WHERE user = ?", "t", user);
	int got = sql_row(rows, err);

	if (got > 0)
		snprintf(tenant, 256, "%s", sql_text(rows, 0));
	sql_end(rows);
	return got;
}

int
logins_hold(struct store *store, const char *user, const struct rights_limit *limit, struct error *err)
{
	char tenant[sizeof limit->tenant];

	if (limit->token)
		return tokens_is_valid(store, limit->token, err);
	return limit->is_set ? logins_find(store, user, tenant, err) : 1;
}

int
logins_exist(struct store *store, struct error *err)
{
	int64_t one, now_ms = clock_wall_ms();

	return sql_number(store_sql(store), &one, err, "SELECT 1 FROM login WHERE password IS NOT NULL OR user IN (SELECT user FROM "
	    "login_code WHERE ends_ms > ?1) UNION ALL SELECT 1 FROM token WHERE ends_ms > ?1 AND "
	    "id NOT IN (SELECT token FROM provisioner_token) LIMIT 1", "i", now_ms);
}

void
login_list_release(struct login_list *list)
{
	arena_release(&list->arena);
	free(list->list);
	*list = (struct login_list){0};
}
