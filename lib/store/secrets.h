/* SPDX-License-Identifier: Apache-2.0
 *
 * The secrets of a tenant, of its clusters and of operations on them: named values, encrypted (XChaCha20-Poly1305, libsodium) before
 * they reach the database. Their owner and the secret's name are authenticated with the value, so that no row can be put in the place of
 * another. A value is never printed by any command; it is opened for the plugin that needs it.
 *
 * A document refers to a secret by its name: the cluster's, or else the tenant's. "cluster/NAME" is the cluster's alone, and
 * "operation/NAME" that of the operation which runs the task.
 */
#ifndef STORE_SECRETS_H
#define STORE_SECRETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

struct error;
struct store;
struct store_key;

enum { SECRET_BYTES = 1024 * 1024 }; /* of a value at most */

struct secret_value { /* release it: it is wiped */
	char *text; /* locked, a NUL behind it */
	size_t length;
};

struct secret_entry { /* strings live in the list's arena */
	const char *name, *at, *by; /* when it was set last, by whom */
	const char *readers;        /* of one of the tenant: JSON, users and "@group"s that may refer to it; else NULL */
	int64_t version;            /* how often it was set */
};

struct secret_list { /* zero-initialise; release it */
	struct arena arena;
	struct secret_entry *list;
	size_t count, capacity;
};

/* Reads the key for a change, inside a transaction: made where the store has no secret yet, and tried on one where it has,
 * so that never are there secrets of two keys. */
int secrets_key(struct store *store, struct store_key *key, struct error *err);

/* Sets a secret of the store's tenant, or of a cluster (0: none), inside a transaction. */
int secrets_set(struct store *store, const struct store_key *key, int64_t cluster, const char *name, const char *text, size_t length,
    struct error *err);

/* Sets one of the cluster's operation of that number, which is there as long as that may be continued. */
int secrets_set_for_operation(struct store *store, const struct store_key *key, int64_t cluster, int64_t number, const char *name,
    const char *text, size_t length, struct error *err);

/* Removes, inside a transaction, those of the cluster's operations up to that number. */
int secrets_end_operations(struct store *store, int64_t cluster, int64_t number, struct error *err);

/* Opens the one of the cluster (0: none), else the tenant's. EX_NO where there is none, EX_DATAERR where it was encrypted with another key, or is not what was stored. */
int secrets_open(struct store *store, const struct store_key *key, int64_t cluster, const char *name, struct secret_value *value,
    struct error *err);

/* Opens what a document refers to, in a task of that operation of that cluster (0: of none). EX_NO where there is none; one of the
 * operation, which has not been given it, has no text then, and it is no failure. */
int secrets_open_reference(struct store *store, const struct store_key *key, int64_t cluster, int64_t number, const char *reference,
    struct secret_value *value, struct error *err);

/* Returns whether the reference can only mean a secret of the cluster or of an operation on it, which are its users' own. */
bool secrets_is_own_reference(const char *reference);

/* Keeps the private half of a key pair, by the public one, inside a transaction; see login-key.h. No document can name it. */
int secrets_set_login(struct store *store, const struct store_key *key, int64_t cluster, const char *public,
    const struct secret_value *private, struct error *err);

/* Opens it: 1, 0 if the cluster has none of that public half, or -1. */
int secrets_open_login(struct store *store, const struct store_key *key, int64_t cluster, const char *public,
    struct secret_value *private, struct error *err);

/* Derives from the key a value that is the same whenever it is asked for the secret of that name for that cluster: of the tenant
 * of that name, and of the cluster's id, which the store need not know. */
void secrets_generate(const struct store_key *key, const char *tenant, const char *cluster, const char *name,
    struct secret_value *value);
void secret_value_release(struct secret_value *value);

/* Removes it, inside a transaction, the value for good. EX_NO where there is none. */
int secrets_delete(struct store *store, int64_t cluster, const char *name, struct error *err);

/* Sets err to EX_NO: the tenant, or the cluster, has no secret of that name. Returns -1. */
int secrets_not_found(struct store *store, int64_t cluster, const char *name, struct error *err);

/* Sets *behind to the number of secrets, of all tenants and clusters, that are not encrypted with the present key, *count to that of
 * all. EX_DATAERR where no key opens one. */
int secrets_count_behind(struct store *store, const struct store_key *key, int64_t *behind, int64_t *count, struct error *err);

/* Encrypts all with the present key, inside a transaction. Their versions and times stay. */
int secrets_encrypt_anew(struct store *store, const struct store_key *key, struct error *err);

/* Draws a value at random, of the form of generated ones. */
void secrets_draw(struct secret_value *value);

/* Adds all of the tenant, or those of the cluster, by name. */
int secrets_list(struct store *store, int64_t cluster, struct secret_list *list, struct error *err);
void secret_list_release(struct secret_list *list);

#endif
