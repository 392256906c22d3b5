/* SPDX-License-Identifier: Apache-2.0
 *
 * The OpenID provider of an installation, which says who somebody is: its settings, and the exchange with it, which the program
 * libexec/coopr/oidc does, apart from who has the store open.
 */
#ifndef LOGIN_PROVIDER_H
#define LOGIN_PROVIDER_H

#include "base/memory.h"
#include "json/json.h"

struct error;

#define PROVIDER_SETTINGS "COOPR_OIDC" /* the variable with the path of the file */

struct provider { /* release it; strings live in its arena */
	struct arena arena;
	const char *issuer, *client_id, *client_secret, *redirect;
	const char *name;  /* for people */
	const char *scope;
	const char *claim; /* which says the user */
	const char *ca;    /* PEM, of those who may have signed its certificate; NULL: those of the system */
	jv users;          /* an object: values of the claim, and which users they are; an empty one: they are the names of users */
};

struct provider_answer { /* NULL: not given */
	const char *code, *verifier, *nonce;
};

/* Reads the file of settings. EX_CONFIG where it is malformed, or others could read it. */
int provider_read(struct provider *provider, const char *path, struct error *err);

/* Begins to log in: a record of the address at which somebody does, and what is kept until they come back: state, nonce and verifier.
 * EX_UNAVAILABLE where the provider is not reached. */
int provider_begin(const struct provider *provider, jv *record, struct error *err);

/* Asks the provider whose code it has given; the user is the caller's to free. EX_NOPERM where it does not say so, or not of a user. */
int provider_ask(const struct provider *provider, const struct provider_answer *answer, char **user, struct error *err);

void provider_release(struct provider *provider);

#endif
