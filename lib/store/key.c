/* SPDX-License-Identifier: Apache-2.0 */
#include "store/key.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"
#include "store/store.h"

enum { TEXT_BYTES = 2 * STORE_KEY_BYTES + 1 }; /* hexadecimal, and a newline in the file, a NUL in memory */

char *
store_key_file(const char *store)
{
	const char *given = getenv("COOPR_KEY");
	char *path, *key;

	if (given && *given)
		return memory_string(given);
	path = location_store(store);
	key = memory_printf("%s.key", path);
	free(path);
	return key;
}

/* Locked memory, wiped when it is given back. */
static void *
store_key_guarded(size_t size, struct error *err)
{
	void *block = sodium_init() < 0 ? NULL : sodium_malloc(size);

	if (!block)
		error_errno(err, EX_OSERR, "the key of the secrets: no locked memory for it (see ulimit -l)");
	return block;
}

static int
store_key_read_file(int fd, const char *path, struct store_key *key, struct error *err)
{
	size_t length = 0;
	struct stat status;
	char *text;
	int result = 0;

	if (fstat(fd, &status) < 0)
		return error_errno(err, EX_IOERR, "%s", path);
	if (!S_ISREG(status.st_mode) || (status.st_mode & 077) || (status.st_uid != geteuid() && geteuid() != 0))
		return error_set(err, EX_NOPERM, "%s: others might read the key of the secrets; chmod 600, and look who has had it",
		    path);
	text = store_key_guarded(TEXT_BYTES, err);
	key->bytes = store_key_guarded(STORE_KEY_BYTES, err);
	if (!text || !key->bytes) {
		result = -1;
	} else {
		memset(text, 0, TEXT_BYTES);
		if (read(fd, text, TEXT_BYTES - 1) < 0)
			result = error_errno(err, EX_IOERR, "%s", path);
		else if (sodium_hex2bin(key->bytes, STORE_KEY_BYTES, text, 2 * STORE_KEY_BYTES, NULL, &length, NULL) < 0 ||
		    length != STORE_KEY_BYTES)
			result = error_set(err, EX_DATAERR, "%s: not a key; %d hexadecimal digits are required", path,
			    2 * STORE_KEY_BYTES);
	}
	sodium_free(text);
	if (result < 0)
		store_key_release(key);
	return result;
}

int
store_key_load(const char *path, struct store_key *key, struct error *err)
{
	int fd = file_open(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW, 0, err), result;

	*key = (struct store_key){0};
	if (fd < 0)
		return -1;
	result = store_key_read_file(fd, path, key, err);
	close(fd);
	return result;
}

int
store_key_read(const struct store *store, struct store_key *key, struct error *err)
{
	char *path = store_key_file(store_path(store));
	int result = store_key_load(path, key, err);

	if (result < 0 && err->code == EX_NOINPUT && file_is_absent(AT_FDCWD, path))
		error_set(err, EX_NOINPUT, "%s: the key of the secrets is missing; copy it there from where it is kept (chmod 600)", path);
	free(path);
	return result;
}

/* Compares a key with what is at path: 1 where that is the same key, 0 where nothing is there, -1. */
static int
store_key_compare(const struct store_key *key, const char *path, struct error *err)
{
	struct store_key there;
	bool same;

	if (!file_exists(AT_FDCWD, path))
		return 0;
	if (store_key_load(path, &there, err) < 0)
		return -1;
	same = sodium_memcmp(there.bytes, key->bytes, STORE_KEY_BYTES) == 0;
	store_key_release(&there);
	return same ? 1 : error_set(err, EX_CANTCREAT, "%s: another key is there already; name another file", path);
}

int
store_key_save(const struct store_key *key, const char *path, struct error *err)
{
	int there = store_key_compare(key, path, err), result = -1;
	char *text;

	if (there != 0)
		return there < 0 ? -1 : 0;
	text = store_key_guarded(TEXT_BYTES, err);
	if (text) {
		sodium_bin2hex(text, TEXT_BYTES, key->bytes, STORE_KEY_BYTES);
		text[TEXT_BYTES - 1] = '\n';
		result = file_replace(AT_FDCWD, path, text, TEXT_BYTES, 0600, err);
	}
	sodium_free(text);
	return result;
}

char *
store_key_mark(const struct store_key *key, char mark[STORE_KEY_MARK_SIZE])
{
	unsigned char hash[crypto_generichash_BYTES_MIN];

	crypto_generichash(hash, sizeof hash, key->bytes, STORE_KEY_BYTES, NULL, 0);
	return sodium_bin2hex(mark, STORE_KEY_MARK_SIZE, hash, sizeof hash);
}

/* Makes a key. Two may do it at once: what is linked into place first is the key. */
static int
store_key_make(const char *path, struct error *err)
{
	unsigned char *bytes = store_key_guarded(STORE_KEY_BYTES, err);
	char *text = store_key_guarded(TEXT_BYTES, err), *draft = memory_printf("%s.%ld", path, (long)getpid());
	int result = -1;

	if (bytes && text) {
		randombytes_buf(bytes, STORE_KEY_BYTES);
		sodium_bin2hex(text, TEXT_BYTES, bytes, STORE_KEY_BYTES);
		text[TEXT_BYTES - 1] = '\n';
		result = file_replace(AT_FDCWD, draft, text, TEXT_BYTES, 0600, err);
		if (result == 0 && link(draft, path) < 0 && errno != EEXIST)
			result = error_errno(err, EX_CANTCREAT, "%s", path);
		unlink(draft);
	}
	free(draft);
	sodium_free(bytes);
	sodium_free(text);
	return result;
}

int
store_key_need(const struct store *store, struct store_key *key, struct error *err)
{
	char *path = store_key_file(store_path(store));
	int result = file_exists(AT_FDCWD, path) ? 0 : store_key_make(path, err);

	free(path);
	return result < 0 ? -1 : store_key_read(store, key, err);
}

void
store_key_release(struct store_key *key)
{
	sodium_free(key->bytes);
	*key = (struct store_key){0};
}
