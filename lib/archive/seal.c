/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/seal.h"

#include <errno.h>
#include <sodium.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "store/key.h"

enum {
	CHUNK = 64 * 1024,
	PROOF = crypto_secretstream_xchacha20poly1305_ABYTES,
	HEADER = crypto_secretstream_xchacha20poly1305_HEADERBYTES,
	FIRST_LINE = sizeof "coopr-archive 1 " - 1 + STORE_KEY_MARK_SIZE, /* the mark's NUL stands for the newline */
};

struct sealing { /* one that is sealed, or opened */
	const char *name;
	int in, out;
	crypto_secretstream_xchacha20poly1305_state stream;
	crypto_hash_sha256_state sum;
	int64_t bytes;
	unsigned char open[CHUNK], sealed[CHUNK + PROOF];
};

_Static_assert((int)STORE_KEY_BYTES == (int)crypto_kdf_KEYBYTES, "a key can be derived from the store's");

static void
seal_derive_key(const struct store_key *key, unsigned char own[crypto_secretstream_xchacha20poly1305_KEYBYTES])
{
	crypto_kdf_derive_from_key(own, crypto_secretstream_xchacha20poly1305_KEYBYTES, 1, "archives", key->bytes);
}

/* Reads until size bytes are there, or the end. Returns their number, or -1. */
static ssize_t
seal_read(const struct sealing *s, void *bytes, size_t size, struct error *err)
{
	size_t length = 0;

	while (length < size) {
		ssize_t n = read(s->in, (char *)bytes + length, size - length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_errno(err, EX_IOERR, "%s: it cannot be read", s->name);
		if (n == 0)
			break;
		length += (size_t)n;
	}
	return (ssize_t)length;
}

static int
seal_write(struct sealing *s, const void *bytes, size_t length, struct error *err)
{
	if (s->out >= 0 && file_write_all(s->out, bytes, length) < 0)
		return error_errno(err, EX_IOERR, "%s: it cannot be written", s->name);
	crypto_hash_sha256_update(&s->sum, bytes, length);
	s->bytes += (int64_t)length;
	return 0;
}

/* Writes what stands before the chunks. */
static int
seal_begin(struct sealing *s, const struct store_key *key, struct error *err)
{
	unsigned char own[crypto_secretstream_xchacha20poly1305_KEYBYTES], header[HEADER];
	char mark[STORE_KEY_MARK_SIZE], line[FIRST_LINE + 1];

	snprintf(line, sizeof line, "coopr-archive 1 %s\n", store_key_mark(key, mark));
	seal_derive_key(key, own);
	crypto_secretstream_xchacha20poly1305_init_push(&s->stream, header, own);
	sodium_memzero(own, sizeof own);
	return seal_write(s, line, FIRST_LINE, err) < 0 ? -1 : seal_write(s, header, sizeof header, err);
}

/* Seals chunks until the one that is not full: the last. */
static int
seal_close_chunks(struct sealing *s, int (*may_end)(struct error *err), struct error *err)
{
	bool last = false;

	while (!last) {
		ssize_t length = seal_read(s, s->open, CHUNK, err);

		if (length < 0)
			return -1;
		last = length < CHUNK;
		if (last && may_end && may_end(err) < 0)
			return -1;
		crypto_secretstream_xchacha20poly1305_push(&s->stream, s->sealed, NULL, s->open, (size_t)length,
		    (const unsigned char *)s->name, strlen(s->name),
		    last ? crypto_secretstream_xchacha20poly1305_TAG_FINAL : crypto_secretstream_xchacha20poly1305_TAG_MESSAGE);
		if (seal_write(s, s->sealed, (size_t)length + PROOF, err) < 0)
			return -1;
	}
	return 0;
}

/* Returns one, in memory that seal_release wipes. */
static struct sealing *
seal_new(const char *name, int in, int out)
{
	struct sealing *s = memory_zeroed(1, sizeof *s);

	*s = (struct sealing){.name = name, .in = in, .out = out};
	crypto_hash_sha256_init(&s->sum);
	return s;
}

static void
seal_release(struct sealing *s)
{
	sodium_memzero(s, sizeof *s);
	free(s);
}

int
seal_close(const struct store_key *key, const char *name, int in, int out, int (*may_end)(struct error *err), struct seal *seal,
    struct error *err)
{
	struct sealing *s = seal_new(name, in, out);
	unsigned char sum[crypto_hash_sha256_BYTES];
	int result = seal_begin(s, key, err);

	if (result == 0)
		result = seal_close_chunks(s, may_end, err);
	crypto_hash_sha256_final(&s->sum, sum);
	sodium_bin2hex(seal->sum, sizeof seal->sum, sum, sizeof sum);
	seal->bytes = s->bytes;
	seal_release(s);
	return result;
}

/* Reads and checks what stands before the chunks. */
static int
seal_open_header(struct sealing *s, const struct store_key *key, struct error *err)
{
	unsigned char own[crypto_secretstream_xchacha20poly1305_KEYBYTES], header[HEADER];
	char mark[STORE_KEY_MARK_SIZE], line[FIRST_LINE + 1], expected[FIRST_LINE + 1];
	ssize_t got = seal_read(s, line, FIRST_LINE, err);
	struct store_key one;
	size_t number = 0;
	int result;

	if (got < 0)
		return -1;
	do {
		one = store_key_at(key, number);
		snprintf(expected, sizeof expected, "coopr-archive 1 %s\n", store_key_mark(&one, mark));
	} while (memcmp(line, expected, (size_t)got) != 0 && ++number < key->count);
	if (got < FIRST_LINE || memcmp(line, expected, FIRST_LINE - STORE_KEY_MARK_SIZE) != 0)
		return error_set(err, EX_DATAERR, "%s: not an archive, or a damaged one", s->name);
	if (memcmp(line, expected, FIRST_LINE) != 0)
		return error_set(err, EX_DATAERR, "%s: the archive was encrypted with another key of the secrets, or is damaged", s->name);
	got = seal_read(s, header, sizeof header, err);
	if (got < 0)
		return -1;
	seal_derive_key(&one, own);
	result = got < HEADER ? -1 : crypto_secretstream_xchacha20poly1305_init_pull(&s->stream, header, own);
	sodium_memzero(own, sizeof own);
	return result < 0 ? error_set(err, EX_DATAERR, "%s: the archive is damaged: its beginning is missing", s->name) : 0;
}

/* Opens one chunk after the other; nothing may follow the last. */
static int
seal_open_chunks(struct sealing *s, struct error *err)
{
	unsigned char tag = 0;
	unsigned long long length;

	for (int64_t number = 1;; number++) {
		ssize_t got = seal_read(s, s->sealed, sizeof s->sealed, err);

		if (got < 0)
			return -1;
		if (got == 0 && tag == crypto_secretstream_xchacha20poly1305_TAG_FINAL)
			return 0;
		if (got == 0)
			return error_set(err, EX_DATAERR, "%s: the archive is damaged: its end is missing", s->name);
		if (got < PROOF || tag == crypto_secretstream_xchacha20poly1305_TAG_FINAL ||
		    crypto_secretstream_xchacha20poly1305_pull(&s->stream, s->open, &length, &tag, s->sealed, (size_t)got,
		    (const unsigned char *)s->name, strlen(s->name)) < 0)
			return error_set(err, EX_DATAERR, "%s: the archive is damaged, in chunk %lld of 64 KiB", s->name, (long long)number);
		if (seal_write(s, s->open, (size_t)length, err) < 0)
			return -1;
	}
}

int
seal_open(const struct store_key *key, const char *name, int in, int out, struct error *err)
{
	struct sealing *s = seal_new(name, in, out);
	int result = seal_open_header(s, key, err);

	if (result == 0)
		result = seal_open_chunks(s, err);
	seal_release(s);
	return result;
}
