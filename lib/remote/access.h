/* SPDX-License-Identifier: Apache-2.0
 *
 * Access to a server: a user logs in there, and gets a session, whose text is kept in place of the password and shown as a token is.
 */
#ifndef REMOTE_ACCESS_H
#define REMOTE_ACCESS_H

struct destination;
struct error;

struct access_ask { /* NULL: not given */
	const char *user, *password;
	const char *code;         /* in place of both */
	const char *new_password; /* chosen with this */
	const char *provider_code, *verifier, *nonce, *redirect; /* in place of them, see access_begin */
	const char *role;         /* of the session, at most */
	const char *lifetime;
	const char *name;         /* of the session */
};

struct access { /* release it */
	char *token, *user;
	char *expires; /* a time; NULL: it is not known */
};

struct access_begun { /* release it */
	char *address;                  /* where one logs in */
	char *state, *verifier, *nonce; /* to be kept until then */
};

/* Begins to log in at the OpenID provider of the installation, which sends the browser to redirect. */
int access_begin(const struct destination *to, const char *redirect, struct access_begun *begun, struct error *err);

void access_begun_release(struct access_begun *begun);

/* Logs in. EX_NOPERM where what is shown is wrong, EX_TEMPFAIL where it was tried too often, EX_DATAERR for a new password that cannot be
 * chosen, EX_UNAVAILABLE where the server is not reached. */
int access_get(const struct destination *to, const struct access_ask *ask, struct access *access, struct error *err);

/* Asks whose token the destination's is. */
int access_check(const struct destination *to, struct access *access, struct error *err);

/* Ends the destination's token or session. One that is not valid any more has ended. */
int access_end(const struct destination *to, struct error *err);

void access_release(struct access *access);

#endif
