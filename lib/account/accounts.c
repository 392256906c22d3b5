/* SPDX-License-Identifier: Apache-2.0 */
#include "account/accounts.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "account/guest.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/preference.h"
#include "base/process.h"
#include "base/suggest.h"
#include "store/sql/sql.h"

/* Returns whether who asks is a superadmin, and no token or session leaves them less. */
static int
accounts_is_top(const struct account *account, uid_t owner, struct error *err)
{
	if (account->limit.is_set && account->limit.role < ACCOUNT_SUPERADMIN)
		return 0;
	return rights_is_superadmin(account->store, account->user, owner, err);
}

/* Sets the error for a tenant that is not there, or not for the user; with a similar one that the user sees. */
static int
accounts_no_tenant(const struct account *account, const char *user, uid_t owner, struct error *err)
{
	struct error ignored; /* then no similar one is named */
	int top = !account->limit.is_set && rights_is_superadmin(account->store, user, owner, &ignored) > 0;
	struct sql_rows *rows = sql_query(account_sql(account), &ignored, "SELECT name FROM tenant WHERE deleted_ms = 0 AND "
	    "(?1 OR name = ?2 OR id IN (SELECT tenant FROM member WHERE user = ?3)) AND ?4 IN ('', name) ORDER BY name", "ittt",
	    (int64_t)top, RIGHTS_OPEN, account->limit.is_set ? "" : user, account->limit.tenant);
	struct arguments names = {0};

	while (sql_row(rows, &ignored) > 0)
		arguments_push(&names, sql_text(rows, 0));
	sql_end(rows);
	error_absent(err, "no tenant named \"%s\"", account->tenant);
	suggest_or_say(err, account->tenant, (const char *const *)names.list, "coopr tenant list shows the tenants");
	arguments_release(&names);
	return -1;
}

/* Fills role and groups of the user in the account's tenant, whose number is known. */
static int
accounts_find_rights(struct account *account, const char *user, uid_t owner, struct error *err)
{
	enum account_role role = ACCOUNT_USER;
	int top = rights_is_superadmin(account->store, user, owner, err), member;

	if (top < 0)
		return -1;
	free(account->groups);
	account->groups = memory_string("[]");
	member = rights_in_tenant(account->store, account->tenant, user, &role, &account->groups, err);
	if (member < 0)
		return -1;
	account->role = top ? ACCOUNT_SUPERADMIN : role;
	account->sees_all = account->role != ACCOUNT_USER;
	if (account->limit.is_set && account->role > account->limit.role)
		account->role = account->limit.role;
	account->sees_all = account->sees_all && account->role != ACCOUNT_USER;
	return top || member || strcmp(account->tenant, RIGHTS_OPEN) == 0 ? 0 : accounts_no_tenant(account,
	    account->of_tenant ? account->user : user, owner, err);
}

/* Returns whether what limits the account lets it ask for its tenant. */
static bool
accounts_is_within(const struct account *account)
{
	return !account->limit.is_set || !*account->limit.tenant || strcmp(account->limit.tenant, account->tenant) == 0;
}

/* Finds the tenant that is wanted; NULL: the only one that the user is a member of, else the open one. */
static int
accounts_find_tenant(struct account *account, const char *wanted, const char *user, uid_t owner, struct error *err)
{
	struct sql_rows *rows;
	int64_t tenant = 0;
	int got = 1;

	if (wanted) {
		account->tenant = memory_string(wanted);
	} else {
		rows = sql_query(account_sql(account), err, "SELECT min(tenant.name), count(*) FROM member JOIN tenant "
		    "ON tenant.id = tenant WHERE user = ? AND tenant.name <> ?", "tt", user, RIGHTS_SUPERADMIN);
		got = sql_row(rows, err);
		if (got > 0)
			account->tenant = memory_string(sql_integer(rows, 1) == 1 ? sql_text(rows, 0) : RIGHTS_OPEN);
		sql_end(rows);
	}
	if (got > 0)
		got = store_find_tenant(account->store, account->tenant, &tenant, err);
	store_set_tenant(account->store, tenant);
	return got == 0 || (got > 0 && !accounts_is_within(account)) ? accounts_no_tenant(account, user, owner, err) : got < 0 ? -1 : 0;
}

/* Makes the account that of another user. */
static int
accounts_become(struct account *account, const char *user, uid_t owner, struct error *err)
{
	if (strcmp(user, account->user) == 0)
		return 0;
	if (account->role < ACCOUNT_ADMIN)
		return error_set(err, EX_NOPERM, "tenant %s: only its admin may act as %s", account->tenant, user);
	if (account->role == ACCOUNT_ADMIN && rights_is_superadmin(account->store, user, owner, err))
		return error_set(err, EX_NOPERM, "tenant %s: its admin may not act as %s, a superadmin", account->tenant, user);
	account->of_tenant = account->of_tenant || account->role < ACCOUNT_SUPERADMIN;
	if (accounts_find_rights(account, user, owner, err) < 0)
		return -1;
	free(account->user);
	account->user = memory_string(user);
	return 0;
}

/* Makes the user a superadmin who has made the store as its owner by sudo(8). */
static int
accounts_keep_maker(struct account *account, uid_t owner, struct error *err)
{
	struct sql *sql = account_sql(account);
	int result;

	if (rights_is_owner(account->user, owner))
		return 0;
	if (store_begin(account->store, err) < 0)
		return -1;
	result = sql_change(sql, err, "INSERT INTO member (tenant, user, role, groups) SELECT id, ?, 'admin', '[]' FROM tenant "
	    "WHERE name = ? ON CONFLICT DO NOTHING", "tt", account->user, RIGHTS_SUPERADMIN);
	if (result == 0)
		result = sql_change(sql, err, "INSERT INTO account_history (tenant, kind, name, at_ms, by, document) SELECT id, 'member', ?1, ?2, "
		    "?1, '{\"groups\":[],\"role\":\"admin\"}' FROM tenant WHERE name = ?3", "tit", account->user, clock_wall_ms(), RIGHTS_SUPERADMIN);
	return store_finish(account->store, result, err);
}

/* Returns the tenant that is asked for; NULL: none is named. Who is limited to one asks for that. */
static const char *
accounts_wanted(const struct account *account, const struct account_ask *ask)
{
	const char *wanted = ask->asker ? ask->tenant : preference_value(PREFERENCE_TENANT, ask->tenant);

	return !wanted && account->limit.is_set && *account->limit.tenant ? account->limit.tenant : wanted;
}

/* Fills in who asks, whose tenant it is, and what they may do. */
static int
accounts_identify(struct account *account, const struct account_ask *ask, struct error *err)
{
	const char *other = ask->user || ask->asker ? ask->user : getenv("COOPR_USER");
	const char *caller;
	uid_t owner;
	int result, top = 0;

	if (other && !*other)
		other = NULL;
	if (store_owner(account->store, &owner, err) < 0)
		return -1;
	caller = ask->asker ? ask->asker : rights_caller(owner);
	account->user = caller ? memory_string(caller) : process_user(geteuid());
	if (store_is_new(account->store) && accounts_keep_maker(account, owner, err) < 0)
		return -1;
	account->limit = ask->asker ? ask->limit : rights_limit();
	account->of_tenant = account->limit.is_set && *account->limit.tenant;
	if (other && (top = accounts_is_top(account, owner, err)) < 0)
		return -1;
	/* Of what others are members of, superadmins alone are told. */
	result = accounts_find_tenant(account, accounts_wanted(account, ask), top ? other : account->user, owner, err);
	if (result == 0)
		result = accounts_find_rights(account, account->user, owner, err);
	if (result == 0 && other)
		result = accounts_become(account, other, owner, err);
	return result;
}

/* Has all that this process does from now on, and all that it starts, know the store that was named as the usual one: hooks,
 * secrets, the commands that make the request and do the tasks. */
static void
accounts_use_store(const char *path)
{
	char *absolute = realpath(path, NULL);

	setenv(preference_variable(PREFERENCE_STORE), absolute ? absolute : path, 1);
	free(absolute);
}

int
account_need_more(const struct account *account, struct error *err)
{
	if (account->role > ACCOUNT_READER)
		return 0;
	return error_set(err, EX_NOPERM, "tenant %s: %s may only read (%s %s)", account->tenant, account->user,
	    account->limit.is_set ? "the" : "the role", account->limit.is_set ? account->limit.kind : "read-only");
}

int
account_open(struct account *account, const struct account_ask *ask, enum store_mode mode, struct error *err)
{
	int result;

	*account = (struct account){.role = ACCOUNT_USER};
	if (guest_refuse_options(err) < 0)
		return -1;
	result = store_open(&account->store, ask->store, mode, NULL, err);
	if (result == 0)
		result = accounts_identify(account, ask, err);
	if (result == 0) {
		if (ask->store)
			accounts_use_store(ask->store);
		store_set_by(account->store, account->user);
		store_set_why(account->store, ask->why);
		store_set_origin(account->store, account->role == ACCOUNT_SUPERADMIN ? ORIGIN_INSTALLATION : ORIGIN_TENANT);
		guest_vouch();
	}
	if (result == 0 && mode != STORE_READ)
		result = account_need_more(account, err);
	return result;
}

int
account_renew(struct account *account, struct error *err)
{
	char *tenant = account->tenant;
	uid_t owner;
	int result = store_owner(account->store, &owner, err);

	if (result == 0) {
		result = accounts_find_tenant(account, tenant, account->user, owner, err);
		free(tenant);
	}
	return result == 0 ? accounts_find_rights(account, account->user, owner, err) : -1;
}

void
account_release(struct account *account)
{
	store_release(account->store);
	free(account->user);
	free(account->tenant);
	free(account->groups);
	*account = (struct account){0};
}

const char *
account_member(const struct account *account)
{
	return account->of_tenant ? "" : account->user;
}

struct sql *
account_sql(const struct account *account)
{
	return store_sql(account->store);
}

int
account_need(const struct account *account, enum account_role role, const char *what, struct error *err)
{
	if (account->role >= role)
		return 0;
	return error_set(err, EX_NOPERM, "%s: only %s may do that", what,
	    role == ACCOUNT_SUPERADMIN ? "a superadmin" : "an administrator of the tenant");
}
