/* SPDX-License-Identifier: Apache-2.0
 *
 * Another key for the secrets of a store: all are encrypted anew, at one instant. A process that dies at any other leaves a store
 * that can be read, because the earlier keys stay behind the new one; the same call finishes it.
 *
 *	1. the new key is put before the earlier ones, durably: what is encrypted with those can still be read
 *	2. all secrets are encrypted with it, in one transaction: at that instant no row needs an earlier key
 *
 * Archives, saved plans and generated values of before still need the earlier keys.
 */
#ifndef STORE_REKEY_H
#define STORE_REKEY_H

#include <stdint.h>

struct error;
struct store;

/* Makes a new key, unless the present one has not encrypted all secrets yet, and encrypts them. Sets *count to their number. EX_CONFIG
 * where the key is not in a file, and no new one was put there. */
int store_rekey(struct store *store, int64_t *count, struct error *err);

#endif
