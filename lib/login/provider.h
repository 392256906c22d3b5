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
	const char *groups; /* the claim that lists the groups of the user */
	jv roles;          /* which roles groups give, see group-roles.h; null: none */
	jv users;          /* an object: values of the claim, and which users they are; an empty one: they are the names of users */
};

struct provider_answer { /* NULL: not given */
	const char *code, *verifier, *nonce;
};

struct provider_person { /* zero-initialise; release it */
	char *user;
	jv roles; /* in tenants, see group_roles_of; null: the settings say nothing of that */
};

/* Reads the file of settings. EX_CONFIG where it is malformed, or others could read it. */
int provider_read(struct provider *provider, const char *path, struct error *err);

/* Has the provider send people back to an address of their own machine, http://127.0.0.1:PORT/, where a program waits for them; NULL: to
 * that of the settings. EX_DATAERR for any other address. */
int provider_set_redirect(struct provider *provider, const char *address, struct error *err);

/* Begins to log in: a record of the address at which somebody does, and what is kept until they come back: state, nonce and verifier.
 * EX_UNAVAILABLE where the provider is not reached. */
int provider_begin(const struct provider *provider, jv *record, struct error *err);

/* Asks the provider whose code it has given. EX_NOPERM where it does not say so, or not of a user. */
int provider_ask(const struct provider *provider, const struct provider_answer *answer, struct provider_person *person, struct error *err);

void provider_person_release(struct provider_person *person);

void provider_release(struct provider *provider);

#endif
