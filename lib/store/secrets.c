/* SPDX-License-Identifier: Apache-2.0 */
#include "store/secrets.h"

#include <sodium.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/process.h"
#include "base/suggest.h"
#include "store/key.h"
#include "store/sql/sql.h"
#include "store/store.h"

enum {
	NONCE = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES,
	OVERHEAD = NONCE + crypto_aead_xchacha20poly1305_ietf_ABYTES,
};

_Static_assert((int)STORE_KEY_BYTES == (int)crypto_aead_xchacha20poly1305_ietf_KEYBYTES, "the key fits the cipher");

/* Appends the place of a value in the store, to which the value is bound. */
static void
secrets_place_of(int64_t tenant, const char *name, struct buffer *place)
{
	buffer_printf(place, "%lld/%s", (long long)tenant, name);
}

/* The nonce is drawn at random: 24 bytes are enough for that. */
int
secrets_set(struct store *store, const struct store_key *key, const char *name, const char *text, size_t length,
    struct error *err)
{
	unsigned char *sealed = memory_zeroed(length + OVERHEAD, 1);
	char now[CLOCK_RFC3339_SIZE];
	struct buffer place = {0};
	int result;

	secrets_place_of(store_tenant(store), name, &place);
	randombytes_buf(sealed, NONCE);
	crypto_aead_xchacha20poly1305_ietf_encrypt(sealed + NONCE, NULL, (const unsigned char *)text, length,
	    (const unsigned char *)place.data, place.length, NULL, sealed, key->bytes);
	result = sql_change(store_sql(store), err, "INSERT INTO secret (tenant, name, version, at, by, sealed) "
	    "VALUES (?, ?, 1, ?, ?, ?) ON CONFLICT DO UPDATE SET version = version + 1, at = excluded.at, by = excluded.by, "
	    "sealed = excluded.sealed", "itttb", store_tenant(store), name, clock_rfc3339(clock_wall_ms(), now), store_by(store),
	    sealed, length + OVERHEAD);
	buffer_release(&place);
	free(sealed);
	return result;
}

static int
secrets_open_sealed(int64_t tenant, const struct store_key *key, const char *name, const unsigned char *sealed,
    size_t length, struct secret_value *value)
{
	struct buffer place = {0};
	int result;

	if (length < OVERHEAD)
		return -1;
	value->length = length - OVERHEAD;
	value->text = sodium_malloc(value->length + 1);
	if (!value->text)
		return -1;
	value->text[value->length] = '\0';
	secrets_place_of(tenant, name, &place);
	result = crypto_aead_xchacha20poly1305_ietf_decrypt((unsigned char *)value->text, NULL, NULL, sealed + NONCE,
	    length - NONCE, (const unsigned char *)place.data, place.length, sealed, key->bytes);
	buffer_release(&place);
	if (result < 0)
		secret_value_release(value);
	return result;
}

int
secrets_open(struct store *store, const struct store_key *key, const char *name, struct secret_value *value,
    struct error *err)
{
	struct sql_rows *rows = sql_query(store_sql(store), err, "SELECT sealed FROM secret WHERE tenant = ? AND name = ?", "it",
	    store_tenant(store), name);
	const unsigned char *sealed;
	size_t length;
	int got = sql_row(rows, err);

	*value = (struct secret_value){0};
	if (got == 0)
		got = error_set(err, EX_NO, "there is no secret \"%s\"; coopr-secret set %s makes it", name, name);
	if (got > 0) {
		sealed = sql_bytes(rows, 0, &length);
		if (secrets_open_sealed(store_tenant(store), key, name, sealed, length, value) < 0)
			got = error_set(err, EX_DATAERR, "the secret \"%s\" cannot be decrypted: it was encrypted with another key, "
			    "or the store was changed", name);
	}
	sql_end(rows);
	return got < 0 ? -1 : 0;
}

int
secrets_key(struct store *store, struct store_key *key, struct error *err)
{
	struct sql_rows *rows = sql_query(store_sql(store), err, "SELECT tenant, name, sealed FROM secret LIMIT 1", "");
	int got = sql_row(rows, err), result = -1;
	struct secret_value value = {0};
	const unsigned char *sealed;
	size_t length;

	*key = (struct store_key){0};
	if (got >= 0)
		result = got == 0 ? store_key_need(store, key, err) : store_key_read(store, key, err);
	if (got > 0 && result == 0) {
		sealed = sql_bytes(rows, 2, &length);
		result = secrets_open_sealed(sql_integer(rows, 0), key, sql_text(rows, 1), sealed, length, &value);
		if (result < 0)
			error_set(err, EX_DATAERR, "the secrets of this store are encrypted with another key than the present one; "
			    "restore the old one");
		secret_value_release(&value);
	}
	sql_end(rows);
	if (result < 0)
		store_key_release(key);
	return result;
}

void
secret_value_release(struct secret_value *value)
{
	sodium_free(value->text);
	*value = (struct secret_value){0};
}

static int
secrets_not_found(struct store *store, const char *name, struct error *err)
{
	struct error ignored; /* then no similar one is named */
	struct sql_rows *rows = sql_query(store_sql(store), &ignored, "SELECT name FROM secret WHERE tenant = ? ORDER BY name", "i",
	    store_tenant(store));
	struct arguments names = {0};

	while (sql_row(rows, &ignored) > 0)
		arguments_push(&names, sql_text(rows, 0));
	sql_end(rows);
	error_set(err, EX_NO, "there is no secret \"%s\"", name);
	if (names.count)
		suggest_in_error(err, name, (const char *const *)names.list);
	arguments_release(&names);
	return -1;
}

int
secrets_delete(struct store *store, const char *name, struct error *err)
{
	int64_t version;
	int got = sql_number(store_sql(store), &version, err, "DELETE FROM secret WHERE tenant = ? AND name = ? RETURNING version",
	    "it", store_tenant(store), name);

	if (got == 0)
		return secrets_not_found(store, name, err);
	return got < 0 ? -1 : 0;
}

int
secrets_list(struct store *store, struct secret_list *list, struct error *err)
{
	struct sql_rows *rows = sql_query(store_sql(store), err,
	    "SELECT name, at, by, version FROM secret WHERE tenant = ? ORDER BY name", "i", store_tenant(store));
	int got;

	while ((got = sql_row(rows, err)) > 0) {
		ARRAY_ROOM(list->list, list->count, list->capacity);
		list->list[list->count++] = (struct secret_entry){arena_string(&list->arena, sql_text(rows, 0)),
		    arena_string(&list->arena, sql_text(rows, 1)), arena_string(&list->arena, sql_text(rows, 2)),
		    sql_integer(rows, 3)};
	}
	sql_end(rows);
	return got;
}

void
secret_list_release(struct secret_list *list)
{
	free(list->list);
	arena_release(&list->arena);
	*list = (struct secret_list){0};
}
