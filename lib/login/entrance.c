/* SPDX-License-Identifier: Apache-2.0 */
#include "login/entrance.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "login/attempts.h"
#include "login/group-roles.h"
#include "login/password.h"
#include "model/name.h"
#include "store/audit.h"
#include "store/sql/sql.h"

struct entrance_login { /* whose login it is; release it */
	char *user, *tenant, *stored;
	bool exists; /* else stored is somebody's, so that nobody hears the difference */
};

static void
entrance_login_release(struct entrance_login *login)
{
	free(login->user);
	free(login->tenant);
	free(login->stored);
}

/* Takes the user, the tenant and the password from a row of a statement, and ends that. */
static int
entrance_take(struct sql_rows *rows, struct entrance_login *login, struct error *err)
{
	int got = sql_row(rows, err);

	if (got > 0) {
		login->user = sql_copy(rows, 0);
		login->tenant = sql_copy(rows, 1);
		login->stored = sql_copy(rows, 2);
		login->exists = true;
	}
	sql_end(rows);
	return got;
}

/* Takes somebody's hash for a user who is not there, always the same one for the same name: what it costs differs from user to user. */
static int
entrance_find_likeness(struct store *store, const char *user, struct entrance_login *login, struct error *err)
{
	int64_t number = (int64_t)(hash_text(HASH_START, user) >> 1);
	struct sql_rows *rows = sql_query(store_sql(store), err, "SELECT password FROM login WHERE password IS NOT NULL ORDER BY user LIMIT 1 "
	    "OFFSET ? % max(1, (SELECT count(*) FROM login WHERE password IS NOT NULL))", "i", number);
	int got = sql_row(rows, err);

	free(login->stored);
	login->stored = got > 0 ? sql_copy(rows, 0) : NULL;
	sql_end(rows);
	return got;
}

/* Finds the user of the password. */
static int
entrance_find_user(struct store *store, const struct entrance *entrance, struct entrance_login *login, struct error *err)
{
	int got = entrance_take(sql_query(store_sql(store), err, "SELECT user, tenant.name, password FROM login LEFT JOIN tenant "
	    "ON tenant.id = login.tenant WHERE user = ?", "t", entrance->user), login, err);

	if (got == 0 || (got > 0 && !login->stored)) {
		login->exists = false;
		got = entrance_find_likeness(store, entrance->user, login, err);
	}
	return got < 0 ? -1 : 0;
}

/* Finds the user of the code. */
static int
entrance_find_code(struct store *store, const struct entrance *entrance, struct entrance_login *login, struct error *err)
{
	char sum[TOKEN_SUM_SIZE];

	token_sum(entrance->code, sum);
	return entrance_take(sql_query(store_sql(store), err, "SELECT login.user, tenant.name, password FROM login_code "
	    "JOIN login ON login.user = login_code.user LEFT JOIN tenant ON tenant.id = login.tenant WHERE sum = ? AND ends_ms > ?", "ti", sum,
	    clock_wall_ms()), login, err);
}

/* The actions of a tenant's user go to the audit log of the tenant. */
static int
entrance_use_tenant(struct store *store, const struct entrance_login *login, struct error *err)
{
	int64_t tenant = 0;

	if (login->tenant && store_find_tenant(store, login->tenant, &tenant, err) < 0)
		return -1;
	store_set_tenant(store, tenant);
	return 0;
}

static int
entrance_audit(struct store *store, const char *action, const char *user, struct error *err)
{
	const struct audit_event event = {.action = action, .kind = "user", .name = user};

	store_set_by(store, user);
	return audit_add(store, &event, err);
}

static int
entrance_refuse_right(const struct entrance *entrance, struct error *err)
{
	return error_set(err, EX_NOPERM, entrance->code ? "the code is not valid, or was used already; ask for another"
	                                                : "the user or the password is wrong");
}

static int
entrance_refuse(struct store *store, const struct entrance *entrance, struct error *err)
{
	const char *user = entrance->user && name_is_valid(entrance->user) ? entrance->user : "-";

	if (store_begin(store, err) < 0 || store_finish(store, entrance_audit(store, "login-refused", user, err), err) < 0)
		return -1;
	return entrance_refuse_right(entrance, err);
}

/* Adds the session, and keeps the password that was chosen; inside a transaction. */
static int
entrance_admit(struct store *store, const struct entrance *entrance, const struct entrance_login *login, const char *chosen,
    char text[static TOKEN_SIZE], struct error *err)
{
	const struct entrance_session *ask = &entrance->session;
	const struct token session = {.kind = "session", .user = login->user, .login = login->user, .tenant = login->tenant,
		.role = account_role_name(login->tenant && ask->role > ACCOUNT_ADMIN ? ACCOUNT_ADMIN : ask->role), .name = ask->name,
		.address = *entrance->address ? entrance->address : NULL, .ends_ms = ask->ends_ms};
	char sum[TOKEN_SUM_SIZE];

	token_make(text);
	token_sum(text, sum);
	if (entrance_audit(store, "login", login->user, err) < 0)
		return -1;
	if (chosen && (sql_change(store_sql(store), err, "UPDATE login SET password = ? WHERE user = ?", "tt", chosen, login->user) < 0 ||
	    sql_change(store_sql(store), err, "DELETE FROM token WHERE login = ?", "t", login->user) < 0 ||
	    entrance_audit(store, "set-password", login->user, err) < 0))
		return -1;
	if (sql_change(store_sql(store), err, "UPDATE login SET seen_ms = ? WHERE user = ?", "it", clock_wall_ms(), login->user) < 0 ||
	    sql_change(store_sql(store), err, "DELETE FROM token WHERE ends_ms < ?", "i", clock_wall_ms()) < 0)
		return -1;
	return tokens_add(store, &session, sum, err);
}

/* Looks at what was shown. Returns 1, 0 where it is not right, or -1. */
static int
entrance_is_right(struct store *store, const struct entrance *entrance, struct entrance_login *login, struct error *err)
{
	if (entrance->code)
		return entrance_find_code(store, entrance, login, err);
	if (entrance_find_user(store, entrance, login, err) < 0)
		return -1;
	return login->stored && password_is(entrance->password, login->stored) && login->exists;
}

/* Uses up what was shown, inside a transaction: it may have changed since it was looked at. */
static int
entrance_use(struct store *store, const struct entrance *entrance, const struct entrance_login *login, struct error *err)
{
	char sum[TOKEN_SUM_SIZE];
	int64_t one;
	int got;

	if (entrance->code) {
		token_sum(entrance->code, sum);
		got = sql_number(store_sql(store), &one, err, "DELETE FROM login_code WHERE sum = ? RETURNING 1", "t", sum);
	} else {
		got = sql_number(store_sql(store), &one, err, "SELECT 1 FROM login WHERE user = ? AND password = ?", "tt", login->user,
		    login->stored);
	}
	return got == 0 ? entrance_refuse_right(entrance, err) : got;
}

/* Takes the attempt back and begins the session. */
static int
entrance_open(struct store *store, const struct entrance *entrance, const struct entrance_login *login, const struct attempt *attempt,
    char text[static TOKEN_SIZE], struct error *err)
{
	char chosen[PASSWORD_STORED_SIZE];
	int result;

	if (entrance->new_password && (password_check(entrance->new_password, login->user, err) < 0 ||
	    password_hash(entrance->new_password, chosen, err) < 0))
		return -1;
	if (store_begin(store, err) < 0)
		return -1;
	result = entrance_use(store, entrance, login, err);
	if (result >= 0)
		result = attempt_succeeded(store, attempt, err);
	if (result >= 0)
		result = entrance_admit(store, entrance, login, entrance->new_password ? chosen : NULL, text, err);
	return store_finish(store, result, err);
}

int
entrance_begin(struct store *store, const struct entrance *entrance, char text[static TOKEN_SIZE], char **user, int64_t *wait_s,
    struct error *err)
{
	struct entrance_login login = {0};
	struct attempt attempt;
	int result;

	attempt_of(&attempt, entrance->code ? NULL : entrance->user, entrance->address);
	result = attempt_count(store, &attempt, wait_s, err);
	if (result > 0)
		return error_set(err, EX_TEMPFAIL, "too many attempts to log in have failed; try again in %" PRId64 " s", *wait_s);
	if (result == 0)
		result = entrance_is_right(store, entrance, &login, err);
	if (result >= 0 && entrance_use_tenant(store, &login, err) < 0)
		result = -1;
	if (result == 0)
		result = entrance_refuse(store, entrance, err);
	else if (result > 0)
		result = entrance_open(store, entrance, &login, &attempt, text, err);
	*user = result < 0 ? NULL : memory_string(login.user);
	entrance_login_release(&login);
	return result < 0 ? -1 : 0;
}

int
entrance_vouched(struct store *store, const struct entrance *entrance, jv roles, const struct attempt *attempt,
    char text[static TOKEN_SIZE], struct error *err)
{
	const char *user = entrance->user;
	struct entrance_login login = {0};
	int result = entrance_take(sql_query(store_sql(store), err, "SELECT user, tenant.name, password FROM login LEFT JOIN tenant "
	    "ON tenant.id = login.tenant WHERE user = ?", "t", user), &login, err);

	if (result >= 0 && entrance_use_tenant(store, &login, err) < 0)
		result = -1;
	if (result == 0 && entrance_refuse(store, entrance, err) < 0)
		result = error_set(err, EX_NOPERM, "%s does not log in here; \"coopr user add\" makes a user", user);
	if (result > 0 && (result = store_begin(store, err)) == 0) {
		result = attempt_succeeded(store, attempt, err);
		if (result >= 0)
			result = entrance_admit(store, entrance, &login, NULL, text, err);
		if (result >= 0)
			result = group_roles_set(store, login.user, login.tenant, roles, err);
		result = store_finish(store, result, err);
	}
	entrance_login_release(&login);
	return result < 0 ? -1 : 0;
}

int
entrance_end(struct store *store, const char *text, struct error *err)
{
	char sum[TOKEN_SUM_SIZE];
	struct sql_rows *rows;
	char *user;
	int result;

	token_sum(text, sum);
	if (store_begin(store, err) < 0)
		return -1;
	rows = sql_query(store_sql(store), err, "DELETE FROM token WHERE sum = ? RETURNING user, tenant", "t", sum);
	result = sql_row(rows, err);
	user = result > 0 ? sql_copy(rows, 0) : NULL;
	store_set_tenant(store, result > 0 ? sql_integer(rows, 1) : 0);
	sql_end(rows);
	if (result > 0)
		result = entrance_audit(store, "logout", user, err);
	free(user);
	return store_finish(store, result, err);
}
