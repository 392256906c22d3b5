/* SPDX-License-Identifier: Apache-2.0 */
#include "login/attempts.h"

#include <stdio.h>

#include "address/network.h"
#include "base/clock.h"
#include "store/sql/sql.h"
#include "store/store.h"

enum {
	ATTEMPTS_FREE = 5,            /* may fail without a delay */
	ATTEMPT_WAIT_MAX_S = 60,      /* nobody who is attacked is kept away for longer */
	ATTEMPT_FORGET_MS = 3600 * 1000,
};

#define ATTEMPT_FAMILIAR_MS (90 * 86400 * INT64_C(1000))

void
attempt_of(struct attempt *attempt, const char *user, const char *address)
{
	struct network network;

	*attempt = (struct attempt){0};
	if (user)
		snprintf(attempt->of_user, ATTEMPT_SIZE, "user %s", user);
	if (!*address)
		return;
	address = network_of(&network, address);
	snprintf(attempt->of_address, ATTEMPT_SIZE, "address %s", address);
	if (user)
		snprintf(attempt->of_both, ATTEMPT_SIZE, "from %s %s", user, address);
}

/* Returns how many seconds after the last of so many attempts the next may follow. */
static int64_t
attempt_delay_s(int64_t count)
{
	int64_t doubled = count - ATTEMPTS_FREE;

	if (doubled < 0)
		return 0;
	return doubled < 6 ? (int64_t)1 << doubled : ATTEMPT_WAIT_MAX_S;
}

/* Raises *wait_s to what those of one kind have to wait. */
static int
attempt_look(struct store *store, const char *of, int64_t now_ms, int64_t *wait_s, struct error *err)
{
	struct sql_rows *rows = sql_query(store_sql(store), err, "SELECT count, last_ms FROM login_attempt WHERE of = ?", "t", of);
	int got = sql_row(rows, err);

	if (got > 0) {
		int64_t since_ms = now_ms - sql_integer(rows, 1), left_ms = attempt_delay_s(sql_integer(rows, 0)) * 1000 - since_ms;

		/* The wall clock may have been set back. */
		if (since_ms >= 0 && left_ms > 0 && (left_ms + 999) / 1000 > *wait_s)
			*wait_s = (left_ms + 999) / 1000;
	}
	sql_end(rows);
	return got < 0 ? -1 : 0;
}

static int
attempt_add(struct store *store, const char *of, int64_t now_ms, struct error *err)
{
	return !*of ? 0 : sql_change(store_sql(store), err, "INSERT INTO login_attempt (of, count, last_ms) VALUES (?, 1, ?) "
	    "ON CONFLICT DO UPDATE SET count = count + 1, last_ms = excluded.last_ms", "ti", of, now_ms);
}

/* Forgets what was long ago. */
static int
attempt_forget(struct store *store, int64_t now_ms, struct error *err)
{
	return sql_change(store_sql(store), err, "DELETE FROM login_attempt WHERE last_ms < CASE WHEN of LIKE 'from %' THEN ? ELSE ? END", "ii",
	    now_ms - ATTEMPT_FAMILIAR_MS, now_ms - ATTEMPT_FORGET_MS);
}

/* Finds out whether the user has logged in from there. */
static int
attempt_find_familiar(struct store *store, struct attempt *attempt, struct error *err)
{
	int64_t one;
	int found = sql_number(store_sql(store), &one, err, "SELECT 1 FROM login_attempt WHERE of = ?", "t", attempt->of_both);

	attempt->is_familiar = found > 0;
	return found < 0 ? -1 : 0;
}

int
attempt_count(struct store *store, struct attempt *attempt, int64_t *wait_s, struct error *err)
{
	int64_t now_ms = clock_wall_ms();
	const char *of;
	int result;

	*wait_s = 0;
	if (store_begin(store, err) < 0)
		return -1;
	result = attempt_forget(store, now_ms, err);
	if (result == 0)
		result = attempt_find_familiar(store, attempt, err);
	of = attempt->is_familiar ? attempt->of_both : attempt->of_user;
	if (result == 0)
		result = attempt_look(store, of, now_ms, wait_s, err);
	if (result == 0 && !attempt->is_familiar)
		result = attempt_look(store, attempt->of_address, now_ms, wait_s, err);
	if (result == 0 && *wait_s == 0)
		result = attempt_add(store, of, now_ms, err);
	if (result == 0 && *wait_s == 0)
		result = attempt_add(store, attempt->of_address, now_ms, err);
	result = store_finish(store, result, err);
	return result < 0 ? -1 : *wait_s > 0;
}

int
attempt_succeeded(struct store *store, const struct attempt *attempt, struct error *err)
{
	if (!attempt->is_familiar && sql_change(store_sql(store), err, "DELETE FROM login_attempt WHERE of = ?", "t", attempt->of_user) < 0)
		return -1;
	if (*attempt->of_both && sql_change(store_sql(store), err, "INSERT INTO login_attempt (of, count, last_ms) VALUES (?, 0, ?) "
	    "ON CONFLICT DO UPDATE SET count = 0, last_ms = excluded.last_ms", "ti", attempt->of_both, clock_wall_ms()) < 0)
		return -1;
	return sql_change(store_sql(store), err, "UPDATE login_attempt SET count = max(0, count - 1) WHERE of = ?", "t",
	    attempt->of_address);
}
