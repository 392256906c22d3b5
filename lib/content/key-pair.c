/* SPDX-License-Identifier: Apache-2.0 */
#include "content/key-pair.h"

#include <arpa/inet.h>
#include <sodium.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

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
key_pair_put_number(struct key_writer *out, size_t number)
{
	uint32_t bytes = htonl((uint32_t)number);

	memcpy(out->bytes + out->length, &bytes, sizeof bytes);
	out->length += sizeof bytes;
}

static void
key_pair_put(struct key_writer *out, const void *bytes, size_t length)
{
	key_pair_put_number(out, length);
	memcpy(out->bytes + out->length, bytes, length);
	out->length += length;
}

static void
key_pair_put_public(struct key_writer *out, const unsigned char *public)
{
	key_pair_put(out, type, sizeof type - 1);
	key_pair_put(out, public, crypto_sign_PUBLICKEYBYTES);
}

/* Writes the private part, without encryption: twice the same number, by which a passphrase would be known to be right, the key, and
 * 1, 2, 3... up to a whole block. Begins with its length. */
static void
key_pair_put_private(struct key_writer *out, const unsigned char *public, const unsigned char *private, const char *comment)
{
	struct key_writer part = {out->bytes + out->length + sizeof(uint32_t), 0};
	uint32_t number = randombytes_random();

	key_pair_put_number(&part, number);
	key_pair_put_number(&part, number);
	key_pair_put_public(&part, public);
	key_pair_put(&part, private, crypto_sign_SECRETKEYBYTES);
	key_pair_put(&part, comment, strnlen(comment, COMMENT_BYTES));
	for (unsigned char fill = 1; part.length % BLOCK; fill++)
		part.bytes[part.length++] = fill;
	key_pair_put_number(out, part.length);
	out->length += part.length;
}

/* Writes the lines of text between the first and the last one. */
static int
key_pair_write_text(const struct key_writer *binary, struct key_pair *pair)
{
	size_t length = sodium_base64_ENCODED_LEN(binary->length, sodium_base64_VARIANT_ORIGINAL) - 1;
	char *encoded = sodium_malloc(length + 1), *to;

	pair->private = sodium_malloc(sizeof first + sizeof last + length + length / LINE + 2);
	if (encoded && pair->private) {
		sodium_bin2base64(encoded, length + 1, binary->bytes, binary->length, sodium_base64_VARIANT_ORIGINAL);
		to = stpcpy(pair->private, first);
		for (size_t at = 0; at < length; at += LINE) {
			size_t part = length - at < LINE ? length - at : LINE;

			memcpy(to, encoded + at, part);
			to += part;
			*to++ = '\n';
		}
		pair->length = (size_t)(stpcpy(to, last) - pair->private);
	}
	sodium_free(encoded);
	return encoded && pair->private ? 0 : -1;
}

/* Returns "ssh-ed25519 AAAA...". */
static char *
key_pair_public_text(const unsigned char *public)
{
	unsigned char bytes[sizeof type + crypto_sign_PUBLICKEYBYTES + 2 * sizeof(uint32_t)];
	char text[sodium_base64_ENCODED_LEN(sizeof bytes, sodium_base64_VARIANT_ORIGINAL)];
	struct key_writer out = {bytes, 0};

	key_pair_put_public(&out, public);
	sodium_bin2base64(text, sizeof text, bytes, out.length, sodium_base64_VARIANT_ORIGINAL);
	return memory_printf("%s %s", type, text);
}

int
key_pair_make(const char *comment, struct key_pair *pair, struct error *err)
{
	unsigned char public_bytes[crypto_sign_PUBLICKEYBYTES], *secret = sodium_init() < 0 ? NULL : sodium_malloc(crypto_sign_SECRETKEYBYTES);
	struct key_writer binary = {secret ? sodium_malloc(KEY_BYTES) : NULL, 0};
	int result = -1;

	*pair = (struct key_pair){.private = NULL};
	if (secret && binary.bytes) {
		crypto_sign_keypair(public_bytes, secret);
		memcpy(binary.bytes, magic, sizeof magic);
		binary.length = sizeof magic;
		key_pair_put(&binary, "none", 4); /* cipher, derivation of its key, and what that needs */
		key_pair_put(&binary, "none", 4);
		key_pair_put(&binary, "", 0);
		key_pair_put_number(&binary, 1);
		key_pair_put_number(&binary, sizeof type - 1 + sizeof public_bytes + 2 * sizeof(uint32_t));
		key_pair_put_public(&binary, public_bytes);
		key_pair_put_private(&binary, public_bytes, secret, comment);
		result = key_pair_write_text(&binary, pair);
	}
	if (result == 0) {
		pair->public = key_pair_public_text(public_bytes);
	} else {
		error_errno(err, EX_OSERR, "a key: no locked memory for it (see ulimit -l)");
		sodium_free(pair->private);
		pair->private = NULL;
	}
	sodium_free(binary.bytes);
	sodium_free(secret);
	return result;
}
