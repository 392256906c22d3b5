/* SPDX-License-Identifier: Apache-2.0 */
#include "store/rekey.h"

#include "base/error.h"
#include "store/audit.h"
#include "store/key.h"
#include "store/secrets.h"
#include "store/store.h"

/* Inside a transaction, so that nobody sets a secret with the key that was the present one. */
static int
rekey_all(struct store *store, struct store_key *key, int64_t *count, struct error *err)
{
	const struct audit_event event = {.action = "rekey", .kind = "secret", .name = "*"};
	int64_t behind = 0;

	if (secrets_key(store, key, err) < 0 || secrets_count_behind(store, key, &behind, count, err) < 0)
		return -1;
	if (behind == 0 && store_key_add(store, key, err) < 0)
		return -1;
	return secrets_encrypt_anew(store, key, err) < 0 ? -1 : audit_add(store, &event, err);
}

int
store_rekey(struct store *store, int64_t *count, struct error *err)
{
	struct store_key key = {0};
	int result;

	*count = 0;
	if (store_begin(store, err) < 0)
		return -1;
	result = store_finish(store, rekey_all(store, &key, count, err), err);
	if (result == 0)
		store_wipe(store);
	store_key_release(&key);
	return result;
}
