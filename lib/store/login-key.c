/* SPDX-License-Identifier: Apache-2.0 */
#include "store/login-key.h"

#include <arpa/inet.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "store/key.h"
#include "store/secrets.h"
#include "store/sql/sql.h"
#include "store/store.h"

static const char type[] = "ssh-ed25519", magic[] = "openssh-key-v1"; /* with its NUL */
static const char first[] = "-----BEGIN OPENSSH PRIVATE KEY-----\n", last[] = "-----END OPENSSH PRIVATE KEY-----\n";

enum {
	KEY_BYTES = 512,  /* of the binary form at most */
	COMMENT_BYTES = 64,
	LINE = 70,
	BLOCK = 8, /* that the private part fills */
};

struct key_writer {
	unsigned char *bytes;
	size_t length;
};

static void
login_key_put_number(struct key_writer *out, size_t number)
{
	uint32_t bytes = htonl((uint32_t)number);

	memcpy(out->bytes + out->length, &bytes, sizeof bytes);
	out->length += sizeof bytes;
}

static void
login_key_put(struct key_writer *out, const void *bytes, size_t length)
{
	login_key_put_number(out, length);
	memcpy(out->bytes + out->length, bytes, length);
	out->length += length;
}

static void
login_key_put_public(struct key_writer *out, const unsigned char *public)
{
	login_key_put(out, type, sizeof type - 1);
	login_key_put(out, public, crypto_sign_PUBLICKEYBYTES);
}

/* Writes the private part, without encryption: twice the same number, by which a passphrase would be known to be right, the key, and
 * 1, 2, 3... up to a whole block. Begins with its length. */
static void
login_key_put_private(struct key_writer *out, const unsigned char *public, const unsigned char *private, const char *comment)
{
	struct key_writer part = {out->bytes + out->length + sizeof(uint32_t), 0};
	uint32_t number = randombytes_random();

	login_key_put_number(&part, number);
	login_key_put_number(&part, number);
	login_key_put_public(&part, public);
	login_key_put(&part, private, crypto_sign_SECRETKEYBYTES);
	login_key_put(&part, comment, strnlen(comment, COMMENT_BYTES));
	for (unsigned char fill = 1; part.length % BLOCK; fill++)
		part.bytes[part.length++] = fill;
	login_key_put_number(out, part.length);
	out->length += part.length;
}

/* Writes the lines of text between the first and the last one. */
static int
login_key_write_text(const struct key_writer *binary, struct secret_value *text)
{
	size_t length = sodium_base64_ENCODED_LEN(binary->length, sodium_base64_VARIANT_ORIGINAL) - 1;
	char *encoded = sodium_malloc(length + 1), *to;

	text->text = sodium_malloc(sizeof first + sizeof last + length + length / LINE + 2);
	if (encoded && text->text) {
		sodium_bin2base64(encoded, length + 1, binary->bytes, binary->length, sodium_base64_VARIANT_ORIGINAL);
		to = stpcpy(text->text, first);
		for (size_t at = 0; at < length; at += LINE) {
			size_t part = length - at < LINE ? length - at : LINE;

			memcpy(to, encoded + at, part);
			to += part;
			*to++ = '\n';
		}
		text->length = (size_t)(stpcpy(to, last) - text->text);
	}
	sodium_free(encoded);
	return encoded && text->text ? 0 : -1;
}

/* Returns "ssh-ed25519 AAAA...". */
static char *
login_key_public_text(const unsigned char *public)
{
	unsigned char bytes[sizeof type + crypto_sign_PUBLICKEYBYTES + 2 * sizeof(uint32_t)];
	char text[sodium_base64_ENCODED_LEN(sizeof bytes, sodium_base64_VARIANT_ORIGINAL)];
	struct key_writer out = {bytes, 0};

	login_key_put_public(&out, public);
	sodium_bin2base64(text, sizeof text, bytes, out.length, sodium_base64_VARIANT_ORIGINAL);
	return memory_printf("%s %s", type, text);
}

int
login_key_make(const char *comment, struct secret_value *private, char **public, struct error *err)
{
	unsigned char public_bytes[crypto_sign_PUBLICKEYBYTES], *secret = sodium_init() < 0 ? NULL : sodium_malloc(crypto_sign_SECRETKEYBYTES);
	struct key_writer binary = {secret ? sodium_malloc(KEY_BYTES) : NULL, 0};
	int result = -1;

	*private = (struct secret_value){0};
	*public = NULL;
	if (secret && binary.bytes) {
		crypto_sign_keypair(public_bytes, secret);
		memcpy(binary.bytes, magic, sizeof magic);
		binary.length = sizeof magic;
		login_key_put(&binary, "none", 4); /* cipher, derivation of its key, and what that needs */
		login_key_put(&binary, "none", 4);
		login_key_put(&binary, "", 0);
		login_key_put_number(&binary, 1);
		login_key_put_number(&binary, sizeof type - 1 + sizeof public_bytes + 2 * sizeof(uint32_t));
		login_key_put_public(&binary, public_bytes);
		login_key_put_private(&binary, public_bytes, secret, comment);
		result = login_key_write_text(&binary, private);
	}
	if (result == 0)
		*public = login_key_public_text(public_bytes);
	else
		error_errno(err, EX_OSERR, "a key: no locked memory for it (see ulimit -l)");
	sodium_free(binary.bytes);
	sodium_free(secret);
	return result;
}

/* Sets *public to the public half of the newest key: 1, 0 if there is none, or -1. */
static int
login_key_find(struct store *store, int64_t cluster, char **public, struct error *err)
{
	struct sql_rows *rows = sql_query(store_sql(store), err,
	    "SELECT name FROM cluster_login WHERE cluster = ? ORDER BY at DESC, name LIMIT 1", "i", cluster);
	int got = sql_row(rows, err);

	if (got > 0)
		*public = memory_string(sql_text(rows, 0));
	sql_end(rows);
	return got;
}

/* Checks that the cluster is of the store's tenant. */
static int
login_key_check_cluster(struct store *store, int64_t cluster, struct error *err)
{
	int64_t known;
	int got = sql_number(store_sql(store), &known, err, "SELECT id FROM cluster WHERE id = ? AND tenant = ?", "ii", cluster,
	    store_tenant(store));

	return got > 0 ? 0 : got < 0 ? -1 : error_set(err, EX_NO, "there is no cluster %lld", (long long)cluster);
}

int
login_key_open(struct store *store, const struct store_key *key, int64_t cluster, const char *public, struct secret_value *private,
    struct error *err)
{
	int got;

	*private = (struct secret_value){0};
	if (login_key_check_cluster(store, cluster, err) < 0)
		return -1;
	got = secrets_open_login(store, key, cluster, public, private, err);
	return got > 0 ? 0 : got < 0 ? -1 : error_set(err, EX_NO, "cluster %lld has no key %s", (long long)cluster, public);
}

/* Makes the key, if nobody has in the meantime, inside a transaction. */
static int
login_key_add(struct store *store, int64_t cluster, char **public, struct error *err)
{
	struct secret_value private = {0};
	struct store_key key = {0};
	int got;

	if (login_key_check_cluster(store, cluster, err) < 0)
		return -1;
	got = login_key_find(store, cluster, public, err);
	if (got == 0)
		got = secrets_key(store, &key, err) < 0 || login_key_make("coopr", &private, public, err) < 0 ||
		    secrets_set_login(store, &key, cluster, *public, &private, err) < 0 ? -1 : 1;
	secret_value_release(&private);
	store_key_release(&key);
	return got < 0 ? -1 : 0;
}

int
login_key_need(struct store *store, int64_t cluster, char **public, struct error *err)
{
	int got;

	*public = NULL;
	got = login_key_find(store, cluster, public, err);
	if (got == 0) {
		got = store_begin(store, err);
		if (got == 0)
			got = store_finish(store, login_key_add(store, cluster, public, err), err);
	}
	if (got >= 0)
		return 0;
	free(*public);
	*public = NULL;
	return -1;
}
