/* SPDX-License-Identifier: Apache-2.0
 *
 * Logging in: a user shows a password or a code, and gets a session. Guessing is slowed down, for each user and for each address: from
 * the fifth attempt on that has failed, each doubles the time until the next. An attempt counts before its password is looked at, so that many at once
 * are no way around that; and one for a user who is not there takes as long as any other.
 */
#ifndef LOGIN_ENTRANCE_H
#define LOGIN_ENTRANCE_H

#include <stdint.h>

#include <jv.h>

#include "login/tokens.h"

struct attempt;
struct error;
struct store;

enum { ENTRANCE_SESSION_MS = 12 * 3600 * 1000 }; /* a session lasts so long, if nothing else is asked for */

struct entrance_session { /* what is asked for */
	const char *name;       /* what its user calls it, or "" */
	enum account_role role; /* it has at most this one */
	int64_t ends_ms;
};

struct entrance { /* NULL: not given */
	const char *user, *password;
	const char *code;         /* in place of both */
	const char *new_password; /* chosen with this: what was begun with the one before ends */
	const char *address;      /* of whom asks, by a Unix socket "uid:1000"; "": it is not known */
	struct entrance_session session;
};

/* Begins a session: writes its text, and who it is (the caller's to free). EX_NOPERM where user and password, or the code, are not right;
 * EX_TEMPFAIL where it was tried too often, and *wait_s is the time until it may be tried again; EX_DATAERR for a new password that cannot
 * be chosen. Each attempt is in the audit log, unless it came too early. */
int entrance_begin(struct store *store, const struct entrance *entrance, char text[static TOKEN_SIZE], char **user, int64_t *wait_s,
    struct error *err);

/* Begins a session of the entrance's user, for whom somebody else has vouched, and whose attempt was counted; and gives the roles that
 * follow from it, see group_roles_of. EX_NOPERM where no such user logs in here. */
int entrance_vouched(struct store *store, const struct entrance *entrance, jv roles, const struct attempt *attempt,
    char text[static TOKEN_SIZE], struct error *err);

/* Ends the session or the token with that text; one that has ended already is none. */
int entrance_end(struct store *store, const char *text, struct error *err);

#endif
