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
#include "base/memory.h"
#include "store/store.h"

enum { TEXT_BYTES = 2 * STORE_KEY_BYTES + 1 }; /* hexadecimal, and a newline in the file, a NUL in memory */

static char *
store_key_path(const struct store *store)
{
	const char *given = getenv("COOPR_KEY");

	return given && *given ? memory_string(given) : memory_printf("%s.key", store_path(store));
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
store_key_read(const struct store *store, struct store_key *key, struct error *err)
{
	char *path = store_key_path(store);
	int fd = file_open(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW, 0, err), result = -1;

	*key = (struct store_key){0};
	if (fd >= 0) {
		result = store_key_read_file(fd, path, key, err);
		close(fd);
	}
	free(path);
	return result;
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
	char *path = store_key_path(store);
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
