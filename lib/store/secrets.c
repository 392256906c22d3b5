/* SPDX-License-Identifier: Apache-2.0 */
#include "store/secrets.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/process.h"
#include "base/suggest.h"
#include "store/audit.h"
#include "store/key.h"
#include "store/sql/sql.h"
#include "store/store.h"

enum {
	GENERATED_BYTES = 16,
	SECRET_KINDS = 3,
	NONCE = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES,
	OVERHEAD = NONCE + crypto_aead_xchacha20poly1305_ietf_ABYTES,
};

_Static_assert((int)STORE_KEY_BYTES == (int)crypto_aead_xchacha20poly1305_ietf_KEYBYTES, "the key fits the cipher");

struct secret_owner { /* of secrets: a tenant, one of its clusters, or an operation on that; in cluster_login they are keys for its machines */
	const char *table, *column, *number; /* number: of the operation, in statements */
	int64_t id, operation;               /* 0: no operation */
};

#define SECRETS_OF_CLUSTER "cluster/"
#define SECRETS_OF_OPERATION "operation/"

typedef int secrets_act(struct store *store, const struct secret_owner *owner, const struct store_key *key, const char *name,
    const struct secret_value *value, struct error *err);

static struct secret_owner
secrets_owner(const struct store *store, int64_t cluster)
{
	return cluster ? (struct secret_owner){"cluster_secret", "cluster", "number", .id = cluster}
	               : (struct secret_owner){"secret", "tenant", "0", .id = store_tenant(store)};
}

/* Sets kinds to one owner of each kind. */
static void
secrets_kinds(const struct store *store, struct secret_owner kinds[SECRET_KINDS])
{
	kinds[0] = secrets_owner(store, 0);
	kinds[1] = secrets_owner(store, 1);
	kinds[2] = (struct secret_owner){"cluster_login", "cluster", "0", .id = 1};
}

/* Appends the place of a value in the store, to which the value is bound. No name has a slash, but a public key, which has a blank. */
static void
secrets_place_of(const struct secret_owner *owner, const char *name, struct buffer *place)
{
	buffer_printf(place, "%s%lld/", *owner->column == 'c' ? "cluster/" : "", (long long)owner->id);
	if (owner->operation)
		buffer_printf(place, "%lld/", (long long)owner->operation);
	buffer_text(place, name);
}

static int
secrets_audit(struct store *store, int64_t cluster, const char *action, const char *name, struct error *err)
{
	const struct audit_event event = {.action = action, .kind = "secret", .name = name, .cluster = cluster};

	return audit_add(store, &event, err);
}

/* Encrypts a value with the present key: length + OVERHEAD bytes, owned. The nonce is drawn at random: 24 bytes are enough for that. */
static unsigned char *
secrets_seal(const struct secret_owner *owner, const struct store_key *key, const char *name, const char *text, size_t length)
{
	unsigned char *sealed = memory_zeroed(length + OVERHEAD, 1);
	struct buffer place = {0};

	secrets_place_of(owner, name, &place);
	randombytes_buf(sealed, NONCE);
	crypto_aead_xchacha20poly1305_ietf_encrypt(sealed + NONCE, NULL, (const unsigned char *)text, length,
	    (const unsigned char *)place.data, place.length, NULL, sealed, key->bytes);
	buffer_release(&place);
	return sealed;
}

static int
secrets_set_of(struct store *store, const struct secret_owner *owner, const struct store_key *key, const char *name, const char *text,
    size_t length, struct error *err)
{
	bool has_number = *owner->number == 'n';
	unsigned char *sealed = secrets_seal(owner, key, name, text, length);
	char now[CLOCK_RFC3339_SIZE], *statement;
	int result;

	statement = memory_printf("INSERT INTO %s (%s, name, version, at, by, sealed) "
	    "VALUES (%s, ?3, 1, ?4, ?5, ?6) ON CONFLICT DO UPDATE SET version = version + 1, at = excluded.at, by = excluded.by, "
	    "sealed = excluded.sealed", owner->table, has_number ? "cluster, number" : owner->column,
	    has_number ? "?1, ?2" : "?1");
	result = sql_change(store_sql(store), err, statement, "iitttb", owner->id, owner->operation, name,
	    clock_rfc3339(clock_wall_ms(), now), store_by(store), sealed, length + OVERHEAD);
	free(statement);
	free(sealed);
	return result;
}

int
secrets_set_for_operation(struct store *store, const struct store_key *key, int64_t cluster, int64_t number, const char *name,
    const char *text, size_t length, struct error *err)
{
	struct secret_owner owner = secrets_owner(store, cluster);
	int result;

	owner.operation = number;
	result = secrets_set_of(store, &owner, key, name, text, length, err);
	return result == 0 ? secrets_audit(store, cluster, "set", name, err) : -1;
}

int
secrets_end_operations(struct store *store, int64_t cluster, int64_t number, struct error *err)
{
	return sql_change(store_sql(store), err, "DELETE FROM cluster_secret WHERE cluster = ? AND number BETWEEN 1 AND ?", "ii", cluster,
	    number);
}

int
secrets_set(struct store *store, const struct store_key *key, int64_t cluster, const char *name, const char *text, size_t length,
    struct error *err)
{
	const struct secret_owner owner = secrets_owner(store, cluster);
	int result = secrets_set_of(store, &owner, key, name, text, length, err);

	return result == 0 ? secrets_audit(store, cluster, "set", name, err) : -1;
}

int
secrets_set_login(struct store *store, const struct store_key *key, int64_t cluster, const char *public, const struct secret_value *private,
    struct error *err)
{
	const struct secret_owner owner = {"cluster_login", "cluster", "0", .id = cluster};

	return secrets_set_of(store, &owner, key, public, private->text, private->length, err);
}

static int
secrets_open_sealed(const struct secret_owner *owner, const struct store_key *key, const char *name, const unsigned char *sealed,
    size_t length, struct secret_value *value)
{
	struct buffer place = {0};
	int result = -1;

	if (length < OVERHEAD)
		return -1;
	value->length = length - OVERHEAD;
	value->text = sodium_malloc(value->length + 1);
	if (!value->text)
		return -1;
	value->text[value->length] = '\0';
	secrets_place_of(owner, name, &place);
	for (size_t i = 0; i < key->count && result < 0; i++)
		result = crypto_aead_xchacha20poly1305_ietf_decrypt((unsigned char *)value->text, NULL, NULL, sealed + NONCE,
		    length - NONCE, (const unsigned char *)place.data, place.length, sealed, key->bytes + i * STORE_KEY_BYTES);
	buffer_release(&place);
	if (result < 0)
		secret_value_release(value);
	return result;
}

/* Opens it with keys that were added since ours were read. */
static int
secrets_open_again(struct store *store, const struct secret_owner *owner, const char *name, const unsigned char *sealed,
    size_t length, struct secret_value *value)
{
	struct error ignored; /* then there is no other key */
	struct store_key key;
	int result = store_key_read(store, &key, &ignored);

	if (result == 0)
		result = secrets_open_sealed(owner, &key, name, sealed, length, value);
	store_key_release(&key);
	return result;
}

/* Opens the secret of that owner: 1, 0 if there is none, or -1. */
static int
secrets_open_of(struct store *store, const struct secret_owner *owner, const struct store_key *key, const char *name,
    struct secret_value *value, struct error *err)
{
	char *statement = memory_printf("SELECT sealed FROM %s WHERE %s = ? AND %s = ? AND name = ?", owner->table, owner->column,
	    owner->number);
	struct sql_rows *rows = sql_query(store_sql(store), err, statement, "iit", owner->id, owner->operation, name);
	const unsigned char *sealed;
	size_t length;
	int got = sql_row(rows, err);

	if (got > 0) {
		sealed = sql_bytes(rows, 0, &length);
		if (secrets_open_sealed(owner, key, name, sealed, length, value) < 0 &&
		    secrets_open_again(store, owner, name, sealed, length, value) < 0)
			got = error_set(err, EX_DATAERR, "the secret \"%s\" cannot be decrypted: it was encrypted with another key, "
			    "or the store was changed", name);
	}
	sql_end(rows);
	free(statement);
	return got;
}

int
secrets_open(struct store *store, const struct store_key *key, int64_t cluster, const char *name, struct secret_value *value,
    struct error *err)
{
	const struct secret_owner own = secrets_owner(store, cluster), tenant = secrets_owner(store, 0);
	int got = 0;

	*value = (struct secret_value){0};
	if (cluster)
		got = secrets_open_of(store, &own, key, name, value, err);
	if (got == 0)
		got = secrets_open_of(store, &tenant, key, name, value, err);
	if (got == 0)
		got = error_absent(err, "there is no secret \"%s\"; coopr-secret set %s makes it", name, name);
	return got < 0 ? -1 : 0;
}

bool
secrets_is_own_reference(const char *reference)
{
	return strncmp(reference, SECRETS_OF_CLUSTER, strlen(SECRETS_OF_CLUSTER)) == 0 ||
	    strncmp(reference, SECRETS_OF_OPERATION, strlen(SECRETS_OF_OPERATION)) == 0;
}

int
secrets_open_reference(struct store *store, const struct store_key *key, int64_t cluster, int64_t number, const char *reference,
    struct secret_value *value, struct error *err)
{
	struct secret_owner owner = secrets_owner(store, cluster);
	const char *name = strchr(reference, '/');
	int got = 0;

	if (!name || !secrets_is_own_reference(reference))
		return secrets_open(store, key, cluster, reference, value, err);
	*value = (struct secret_value){0};
	if (*reference == *SECRETS_OF_OPERATION)
		owner.operation = number;
	if (cluster && (number || !owner.operation))
		got = secrets_open_of(store, &owner, key, name + 1, value, err);
	if (got == 0 && *reference == *SECRETS_OF_CLUSTER)
		got = error_absent(err, "the cluster has no secret \"%s\"; coopr secret set --cluster CLUSTER %s makes it", name + 1, name + 1);
	return got < 0 ? -1 : 0;
}

int
secrets_open_login(struct store *store, const struct store_key *key, int64_t cluster, const char *public, struct secret_value *private,
    struct error *err)
{
	const struct secret_owner owner = {"cluster_login", "cluster", "0", .id = cluster};

	*private = (struct secret_value){0};
	return secrets_open_of(store, &owner, key, public, private, err);
}

/* Tries the key on a secret of any owner: 1, 0 if there is none, or -1. */
static int
secrets_try_key(struct store *store, const struct secret_owner *kind, struct store_key *key, struct error *err)
{
	char *statement = memory_printf("SELECT %s, %s, name, sealed FROM %s LIMIT 1", kind->column, kind->number, kind->table);
	struct sql_rows *rows = sql_query(store_sql(store), err, statement, "");
	int got = sql_row(rows, err);
	struct secret_owner owner = *kind;
	struct secret_value value = {0};
	const unsigned char *sealed;
	size_t length;

	if (got > 0 && !key->bytes && store_key_read(store, key, err) < 0)
		got = -1;
	if (got > 0) {
		owner.id = sql_integer(rows, 0);
		owner.operation = sql_integer(rows, 1);
		sealed = sql_bytes(rows, 3, &length);
		if (secrets_open_sealed(&owner, key, sql_text(rows, 2), sealed, length, &value) < 0)
			got = error_set(err, EX_DATAERR, "the secrets of this store are encrypted with another key than the present one; "
			    "restore the old one");
		secret_value_release(&value);
	}
	sql_end(rows);
	free(statement);
	return got;
}

int
secrets_key(struct store *store, struct store_key *key, struct error *err)
{
	struct secret_owner kinds[SECRET_KINDS];
	int got = 0;

	*key = (struct store_key){0};
	secrets_kinds(store, kinds);
	for (size_t i = 0; i < SECRET_KINDS && got == 0; i++)
		got = secrets_try_key(store, &kinds[i], key, err);
	if (got == 0)
		got = store_key_need(store, key, err);
	if (got < 0)
		store_key_release(key);
	return got < 0 ? -1 : 0;
}

/* Calls act for each secret of an owner of that kind, with its value; its row may be changed there. Adds to *count. */
static int
secrets_each(struct store *store, const struct secret_owner *kind, const struct store_key *key, secrets_act *act, int64_t *count,
    struct error *err)
{
	char *statement = memory_printf("SELECT %s, %s, name, sealed FROM %s ORDER BY 1, 2, 3", kind->column, kind->number, kind->table);
	struct sql_rows *rows = sql_query(store_sql(store), err, statement, "");
	struct secret_owner owner = *kind;
	int got = 0, result = 0;

	while (result == 0 && (got = sql_row(rows, err)) > 0) {
		struct secret_value value = {0};
		const unsigned char *sealed;
		const char *name = sql_text(rows, 2);
		size_t length;

		owner.id = sql_integer(rows, 0);
		owner.operation = sql_integer(rows, 1);
		sealed = sql_bytes(rows, 3, &length);
		if (secrets_open_sealed(&owner, key, name, sealed, length, &value) < 0)
			result = error_set(err, EX_DATAERR, "the secret \"%s\" cannot be decrypted: no key opens it, or the store was changed",
			    name);
		else
			result = act(store, &owner, key, name, &value, err);
		*count += result == 0;
		secret_value_release(&value);
	}
	sql_end(rows);
	free(statement);
	return got < 0 ? -1 : result;
}

/* Does nothing: with the value the secret has been opened. */
static int
secrets_only_open(struct store *store, const struct secret_owner *owner, const struct store_key *key, const char *name,
    const struct secret_value *value, struct error *err)
{
	(void)store, (void)owner, (void)key, (void)name, (void)value, (void)err;
	return 0;
}

int
secrets_count_behind(struct store *store, const struct store_key *key, int64_t *behind, int64_t *count, struct error *err)
{
	const struct store_key present = store_key_at(key, 0);
	struct secret_owner kinds[SECRET_KINDS];
	struct error not_yet; /* then it is behind */
	int64_t done = 0;

	secrets_kinds(store, kinds);
	for (size_t i = 0; i < SECRET_KINDS; i++) {
		if (secrets_each(store, &kinds[i], key, secrets_only_open, count, err) < 0)
			return -1;
		secrets_each(store, &kinds[i], &present, secrets_only_open, &done, &not_yet);
	}
	*behind = *count - done;
	return 0;
}

static int
secrets_replace(struct store *store, const struct secret_owner *owner, const struct store_key *key, const char *name,
    const struct secret_value *value, struct error *err)
{
	unsigned char *sealed = secrets_seal(owner, key, name, value->text, value->length);
	char *statement = memory_printf("UPDATE %s SET sealed = ? WHERE %s = ? AND %s = ? AND name = ?", owner->table, owner->column,
	    owner->number);
	int result = sql_change(store_sql(store), err, statement, "biit", sealed, value->length + OVERHEAD, owner->id, owner->operation,
	    name);

	free(statement);
	free(sealed);
	return result;
}

int
secrets_encrypt_anew(struct store *store, const struct store_key *key, struct error *err)
{
	struct secret_owner kinds[SECRET_KINDS];
	int64_t count = 0;
	int result = 0;

	secrets_kinds(store, kinds);
	for (size_t i = 0; i < SECRET_KINDS && result == 0; i++)
		result = secrets_each(store, &kinds[i], key, secrets_replace, &count, err);
	return result;
}

void
secrets_draw(struct secret_value *value)
{
	unsigned char bytes[GENERATED_BYTES];

	randombytes_buf(bytes, sizeof bytes);
	value->length = 2 * sizeof bytes;
	value->text = sodium_malloc(value->length + 1);
	if (value->text)
		sodium_bin2hex(value->text, value->length + 1, bytes, sizeof bytes);
	sodium_memzero(bytes, sizeof bytes);
}

void
secrets_generate(const struct store_key *key, const char *tenant, const char *cluster, const char *name, struct secret_value *value)
{
	const struct store_key oldest = store_key_at(key, key->count - 1); /* the values outlive the keys */
	unsigned char own[crypto_generichash_KEYBYTES], bytes[GENERATED_BYTES];
	struct buffer place = {0};

	buffer_printf(&place, "%s/%s/%s", tenant, cluster, name);
	crypto_kdf_derive_from_key(own, sizeof own, 1, "gensecrt", oldest.bytes);
	crypto_generichash(bytes, sizeof bytes, (const unsigned char *)place.data, place.length, own, sizeof own);
	value->length = 2 * sizeof bytes;
	value->text = sodium_malloc(value->length + 1);
	if (value->text)
		sodium_bin2hex(value->text, value->length + 1, bytes, sizeof bytes);
	sodium_memzero(own, sizeof own);
	sodium_memzero(bytes, sizeof bytes);
	buffer_release(&place);
}

void
secret_value_release(struct secret_value *value)
{
	sodium_free(value->text);
	*value = (struct secret_value){0};
}

int
secrets_not_found(struct store *store, int64_t cluster, const char *name, struct error *err)
{
	const struct secret_owner of = secrets_owner(store, cluster), *owner = &of;
	struct error ignored; /* then no similar one is named */
	char *statement = memory_printf("SELECT name FROM %s WHERE %s = ? AND %s = 0 ORDER BY name", owner->table, owner->column,
	    owner->number);
	struct sql_rows *rows = sql_query(store_sql(store), &ignored, statement, "i", owner->id);
	struct arguments names = {0};

	while (sql_row(rows, &ignored) > 0)
		arguments_push(&names, sql_text(rows, 0));
	sql_end(rows);
	error_absent(err, "there is no secret \"%s\"%s", name, *owner->column == 'c' ? " of the cluster" : "");
	suggest_or_say(err, name, (const char *const *)names.list, "coopr secret list shows the secrets");
	arguments_release(&names);
	free(statement);
	return -1;
}

int
secrets_delete(struct store *store, int64_t cluster, const char *name, struct error *err)
{
	const struct secret_owner owner = secrets_owner(store, cluster);
	char *statement = memory_printf("DELETE FROM %s WHERE %s = ? AND %s = 0 AND name = ? RETURNING version", owner.table, owner.column,
	    owner.number);
	int64_t version;
	int got = sql_number(store_sql(store), &version, err, statement, "it", owner.id, name);

	free(statement);
	if (got == 0)
		return secrets_not_found(store, cluster, name, err);
	return got < 0 ? -1 : secrets_audit(store, cluster, "delete", name, err);
}

int
secrets_list(struct store *store, int64_t cluster, struct secret_list *list, struct error *err)
{
	const struct secret_owner owner = secrets_owner(store, cluster);
	char *statement = memory_printf("SELECT name, at, by, version, %s FROM %s WHERE %s = ? AND %s = 0 ORDER BY name",
	    cluster ? "NULL" : "readers", owner.table, owner.column, owner.number);
	struct sql_rows *rows = sql_query(store_sql(store), err, statement, "i", owner.id);
	int got;

	while ((got = sql_row(rows, err)) > 0) {
		ARRAY_ROOM(list->list, list->count, list->capacity);
		list->list[list->count++] = (struct secret_entry){arena_string(&list->arena, sql_text(rows, 0)),
		    arena_string(&list->arena, sql_text(rows, 1)), arena_string(&list->arena, sql_text(rows, 2)),
		    sql_keep(rows, 4, &list->arena), sql_integer(rows, 3)};
	}
	sql_end(rows);
	free(statement);
	return got;
}

void
secret_list_release(struct secret_list *list)
{
	free(list->list);
	arena_release(&list->arena);
	*list = (struct secret_list){0};
}
