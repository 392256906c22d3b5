/* SPDX-License-Identifier: Apache-2.0
 *
 * Provisioners of Coopr, which take the tasks of tenants from the server and do them elsewhere: the tokens that they show, which let in
 * nothing else; those that have registered, and when they were heard of; and what each of their workers was given last.
 */
#ifndef LOGIN_PROVISIONERS_H
#define LOGIN_PROVISIONERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "login/tokens.h"

struct account;
struct arguments;
struct error;
struct store;

#define PROVISIONERS_TOKEN "provisioner" /* the kind of their tokens */

enum { PROVISIONERS_LEFT = -1 }; /* when one was heard that has left */

struct provisioner { /* strings live in the list's arena */
	const char *id;
	int64_t token;
	const char *host;   /* its address, at which it is told of tenants, */
	int64_t port;       /* ... and its port */
	int64_t capacity;   /* of workers */
	int64_t heard_ms;   /* by CLOCK_BOOTTIME, of whatever boot */
	const char *usage;  /* JSON: how many workers it has, by tenant */
	const char *told;   /* JSON: what it was told of each tenant */
};

struct provisioner_list { /* zero-initialise; release it */
	struct arena arena;
	struct provisioner *list;
	size_t count, capacity;
};

struct provisioner_task { /* that a worker was given; strings live in an arena */
	const char *provisioner, *worker;
	const char *job, *task;
	int64_t attempt;
	const char *record; /* the take record, without the values of secrets */
};

struct provisioner_task_list { /* zero-initialise; release it */
	struct arena arena;
	struct provisioner_task *list;
	size_t count, capacity;
};

/* Makes a token for the tasks of these tenants, whose secrets it gets, and writes its text. EX_NOPERM for all but superadmins, EX_NO where
 * there is no such tenant. */
int provisioners_make_token(struct account *account, const char *name, const char *const *tenants, size_t count, int64_t ends_ms,
    char text[static TOKEN_SIZE], struct error *err);

/* Adds the names of the token's tenants to texts. */
int provisioners_tenants(struct store *store, int64_t token, struct arguments *tenants, struct error *err);

/* Sets the store's tenant to the one of that name. EX_NOPERM where it is none of the token's. */
int provisioners_enter_tenant(struct store *store, int64_t token, const char *tenant, struct error *err);

/* Registers one; those that were at its address before have left. EX_NOPERM where the id is that of one with another token. */
int provisioners_register(struct store *store, const struct provisioner *provisioner, struct error *err);

/* Records that it was heard of, with its usage (NULL: it did not say). EX_NO where there is none of that id with that token. */
int provisioners_hear(struct store *store, int64_t token, const char *id, const char *usage, struct error *err);

/* Records that it has left; one that is not there has. */
int provisioners_leave(struct store *store, int64_t token, const char *id, struct error *err);

/* Records what it was told of its tenants. */
int provisioners_set_told(struct store *store, const char *id, const char *told, struct error *err);

/* Removes one. */
int provisioners_remove(struct store *store, const char *id, struct error *err);

/* Adds the one of that id, or (NULL) all. */
int provisioners_list(struct store *store, const char *id, struct provisioner_list *list, struct error *err);
void provisioner_list_release(struct provisioner_list *list);

/* Records what a worker was given, in place of what it was given before; its tenant is the store's. */
int provisioners_give(struct store *store, const struct provisioner_task *task, struct error *err);

/* Forgets what a worker was given. */
int provisioners_take_back(struct store *store, const struct provisioner_task *task, struct error *err);

/* Adds what a worker (NULL: each) of a provisioner (NULL: of each) was given. */
int provisioners_given(struct store *store, const char *id, const char *worker, struct provisioner_task_list *list, struct error *err);
void provisioner_task_list_release(struct provisioner_task_list *list);

/* Sets the description (JSON) of a plugin that provisioners have: kind is "providertypes" or "automatortypes". */
int provisioners_describe(struct store *store, const char *kind, const char *name, const char *document, struct error *err);

/* Adds the descriptions of the plugins of a kind, by name. */
int provisioners_descriptions(struct store *store, const char *kind, struct arguments *documents, struct error *err);

/* Adds to names those of the store's tenant's providers whose type a provisioner has described, and for which no plugin is installed here: that
 * comes first. */
int provisioners_providers(struct store *store, struct arguments *names, struct error *err);

/* Finds the description of a plugin, which the caller frees: 1, 0 where there is none, -1. */
int provisioners_description(struct store *store, const char *kind, const char *name, char **document, struct error *err);

#endif
