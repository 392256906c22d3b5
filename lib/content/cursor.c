/* SPDX-License-Identifier: Apache-2.0 */
#include "content/cursor.h"

#include <sodium.h>
#include <string.h>

enum {
	CURSOR_NONCE = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES,
	CURSOR_BYTES = CURSOR_NONCE + sizeof(uint64_t) + crypto_aead_xchacha20poly1305_ietf_ABYTES,
	CURSOR_FORM = sodium_base64_VARIANT_URLSAFE_NO_PADDING,
};

_Static_assert((int)CURSOR_KEY_BYTES == (int)crypto_aead_xchacha20poly1305_ietf_KEYBYTES, "the key fits the cipher");
_Static_assert((int)CURSOR_SIZE == (int)sodium_base64_ENCODED_LEN(CURSOR_BYTES, CURSOR_FORM), "the text has room for all bytes");

void
cursor_make_key(struct cursor_key *key)
{
	randombytes_buf(key->bytes, sizeof key->bytes);
}

const char *
cursor_print_key(const struct cursor_key *key, char text[static CURSOR_KEY_SIZE])
{
	return sodium_bin2hex(text, CURSOR_KEY_SIZE, key->bytes, sizeof key->bytes);
}

bool
cursor_parse_key(struct cursor_key *key, const char *text)
{
	size_t length;

	return strlen(text) == CURSOR_KEY_SIZE - 1 &&
	    sodium_hex2bin(key->bytes, sizeof key->bytes, text, strlen(text), NULL, &length, NULL) == 0 && length == sizeof key->bytes;
}

/* Seals the number behind the nonce. */
static const char *
cursor_seal(const struct cursor_key *key, const char *whom, uint64_t number, unsigned char bytes[static CURSOR_BYTES],
    char text[static CURSOR_SIZE])
{
	crypto_aead_xchacha20poly1305_ietf_encrypt(bytes + CURSOR_NONCE, NULL, (const unsigned char *)&number, sizeof number,
	    (const unsigned char *)whom, strlen(whom), NULL, bytes, key->bytes);
	return sodium_bin2base64(text, CURSOR_SIZE, bytes, CURSOR_BYTES, CURSOR_FORM);
}

const char *
cursor_write(const struct cursor_key *key, const char *whom, uint64_t number, char text[static CURSOR_SIZE])
{
	unsigned char bytes[CURSOR_BYTES], own[crypto_generichash_KEYBYTES];
	crypto_generichash_state state;

	/* No nonce is another number's or another one's: it is their hash, under a key of its own. */
	crypto_kdf_derive_from_key(own, sizeof own, 1, "cursors.", key->bytes);
	crypto_generichash_init(&state, own, sizeof own, CURSOR_NONCE);
	crypto_generichash_update(&state, (const unsigned char *)&number, sizeof number);
	crypto_generichash_update(&state, (const unsigned char *)whom, strlen(whom));
	crypto_generichash_final(&state, bytes, CURSOR_NONCE);
	return cursor_seal(key, whom, number, bytes, text);
}

const char *
cursor_write_anew(const struct cursor_key *key, const char *whom, uint64_t number, char text[static CURSOR_SIZE])
{
	unsigned char bytes[CURSOR_BYTES];

	randombytes_buf(bytes, CURSOR_NONCE);
	return cursor_seal(key, whom, number, bytes, text);
}

bool
cursor_read(const struct cursor_key *key, const char *whom, const char *text, uint64_t *number)
{
	unsigned char bytes[CURSOR_BYTES];
	size_t length;

	return sodium_base642bin(bytes, sizeof bytes, text, strlen(text), NULL, &length, NULL, CURSOR_FORM) == 0 && length == sizeof bytes &&
	    crypto_aead_xchacha20poly1305_ietf_decrypt((unsigned char *)number, NULL, NULL, bytes + CURSOR_NONCE, sizeof bytes - CURSOR_NONCE,
	        (const unsigned char *)whom, strlen(whom), bytes, key->bytes) == 0;
}
