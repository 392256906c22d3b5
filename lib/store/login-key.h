/* SPDX-License-Identifier: Apache-2.0
 *
 * The key with which coopr logs in to the machines of one cluster, where their provider puts a key in place: an ed25519 pair, made for
 * the first machine that wants it. The private half is kept as secrets are, under the public one, and goes with the cluster. No
 * command shows it and no document can name it.
 */
#ifndef STORE_LOGIN_KEY_H
#define STORE_LOGIN_KEY_H

#include <stdint.h>

struct error;
struct secret_value;
struct store;
struct store_key;

/* Sets *public to the public half of the cluster's key, "ssh-ed25519 AAAA...", which the caller frees, and makes the pair where there
 * is none. Fails with EX_NO if the store's tenant has no such cluster. */
int login_key_need(struct store *store, int64_t cluster, char **public, struct error *err);

/* Opens the private half of one of the cluster's keys. Fails with EX_NO if the store's tenant has no such cluster, or that no such key. */
int login_key_open(struct store *store, const struct store_key *key, int64_t cluster, const char *public, struct secret_value *private,
    struct error *err);

/* Makes a pair: the private half as ssh-keygen writes it, in locked memory, and the public one. Fails without that memory. */
int login_key_make(const char *comment, struct secret_value *private, char **public, struct error *err);

#endif
