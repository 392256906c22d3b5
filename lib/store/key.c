/* SPDX-License-Identifier: Apache-2.0 */
#include "store/key.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"
#include "base/process.h"
#include "model/name.h"
#include "store/store.h"

enum {
	LINE = 2 * STORE_KEY_BYTES + 1, /* hexadecimal, and a newline */
	TEXT_BYTES = STORE_KEY_COUNT * LINE + 1, /* one more than there may be */
};

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

/* Reads lines of hexadecimal digits. The text is wiped by the caller. */
static int
store_key_parse(const char *text, size_t length, const char *name, struct store_key *key, struct error *err)
{
	size_t got = 0;

	key->bytes = store_key_guarded(STORE_KEY_COUNT * STORE_KEY_BYTES, err);
	if (!key->bytes)
		return -1;
	while (length > 0) {
		unsigned char *next = key->bytes + key->count * STORE_KEY_BYTES;

		if (key->count == STORE_KEY_COUNT || length < LINE - 1 || (length >= LINE && text[LINE - 1] != '\n') ||
		    sodium_hex2bin(next, STORE_KEY_BYTES, text, LINE - 1, NULL, &got, NULL) < 0 || got != STORE_KEY_BYTES)
			break;
		key->count++;
		text += length < LINE ? length : LINE;
		length -= length < LINE ? length : LINE;
	}
	if (length == 0 && key->count > 0)
		return 0;
	store_key_release(key);
	return error_set(err, EX_DATAERR, "%s: not a key; %d hexadecimal digits are required, in each line", name, LINE - 1);
}

/* Reads from the beginning, wherever the descriptor is: others may have read it before. */
static int
store_key_read_from(int fd, const char *name, struct store_key *key, struct error *err)
{
	char *text = store_key_guarded(TEXT_BYTES, err);
	ssize_t length = text ? pread(fd, text, TEXT_BYTES, 0) : -1;
	int result = -1;

	if (text && length < 0)
		error_errno(err, EX_IOERR, "%s", name);
	else if (text)
		result = store_key_parse(text, (size_t)length, name, key, err);
	sodium_free(text);
	return result;
}

static int
store_key_read_file(int fd, const char *path, struct store_key *key, struct error *err)
{
	struct stat status;

	if (fstat(fd, &status) < 0)
		return error_errno(err, EX_IOERR, "%s", path);
	if (!S_ISREG(status.st_mode) || (status.st_mode & 077) || (status.st_uid != geteuid() && geteuid() != 0))
		return error_set(err, EX_NOPERM, "%s: others might read the key of the secrets; chmod 600, and look who has had it",
		    path);
	return store_key_read_from(fd, path, key, err);
}

/* Reads what systemd has put into the folder of the service, which only the service may enter. */
static int
store_key_read_credential(const char *name, struct store_key *key, struct error *err)
{
	const char *folder = getenv("CREDENTIALS_DIRECTORY");
	char *path;
	int fd, result;

	if (!folder || !name_is_valid(name))
		return error_set(err, EX_CONFIG, "COOPR_KEY: credential:%s: %s", name,
		    folder ? "not the name of a credential" : "$CREDENTIALS_DIRECTORY is not set; see LoadCredential= of systemd.exec(5)");
	path = memory_printf("%s/%s", folder, name);
	fd = file_open(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW, 0, err);
	result = fd < 0 ? -1 : store_key_read_from(fd, path, key, err);
	if (fd >= 0)
		close(fd);
	free(path);
	return result;
}

/* Runs the executable, which nobody may have written but root and who we are. */
static int
store_key_read_executable(const char *path, struct store_key *key, struct error *err)
{
	char *argv[] = {(char *)path, NULL};
	struct buffer text = {0};
	struct stat status;
	int result;

	if (*path != '/' || stat(path, &status) < 0)
		return error_set(err, EX_CONFIG, "COOPR_KEY: exec:%s: there is no such executable; a path from / is required", path);
	if ((status.st_uid != 0 && status.st_uid != geteuid()) || (status.st_mode & 022))
		return error_set(err, EX_NOPERM, "COOPR_KEY: exec:%s: others might write it; chown it to root, and chmod go-w", path);
	buffer_room(&text, TEXT_BYTES + 1);
	result = process_run(argv, NULL, 0, &text, NULL, TEXT_BYTES, err);
	if (result > 0)
		result = error_set(err, EX_UNAVAILABLE, "%s: it gave no key, exit code %d", path, result);
	if (result == 0)
		result = store_key_parse(text.data ? text.data : "", text.length, path, key, err);
	if (text.data)
		sodium_memzero(text.data, text.length);
	buffer_release(&text);
	return result;
}

/* Returns what follows the scheme in $COOPR_KEY; NULL if that has another one. */
static const char *
store_key_of_scheme(const char *scheme)
{
	const char *given = getenv("COOPR_KEY");
	size_t length = strlen(scheme);

	return given && strncmp(given, scheme, length) == 0 ? given + length : NULL;
}

bool
store_key_is_file(void)
{
	return !store_key_of_scheme("fd:") && !store_key_of_scheme("exec:") && !store_key_of_scheme("credential:");
}

static int
store_key_read_descriptor(const char *number, struct store_key *key, struct error *err)
{
	char *name = memory_printf("COOPR_KEY: fd:%s", number), *end;
	long fd = strtol(number, &end, 10);
	int result;

	if (end == number || *end || fd < 0 || fd > INT_MAX)
		result = error_set(err, EX_CONFIG, "%s: not a file descriptor", name);
	else
		result = store_key_read_from((int)fd, name, key, err);
	free(name);
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
	const char *number = store_key_of_scheme("fd:"), *executable = store_key_of_scheme("exec:");
	const char *credential = store_key_of_scheme("credential:");
	char *path;
	int result;

	*key = (struct store_key){0};
	if (number || executable || credential)
		return number ? store_key_read_descriptor(number, key, err)
		    : executable ? store_key_read_executable(executable, key, err) : store_key_read_credential(credential, key, err);
	path = store_key_file(store_path(store));
	result = store_key_load(path, key, err);
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
	same = there.count == key->count && sodium_memcmp(there.bytes, key->bytes, key->count * STORE_KEY_BYTES) == 0;
	store_key_release(&there);
	return same ? 1 : error_set(err, EX_CANTCREAT, "%s: another key is there already; name another file", path);
}

/* Writes all keys to the file durably, by file_replace or file_make. */
static int
store_key_write(const struct store_key *key, const char *path, int (*write)(int, const char *, const void *, size_t, mode_t, struct error *), struct error *err)
{
	char *text = store_key_guarded(TEXT_BYTES, err);
	int result = -1;

	if (text) {
		for (size_t i = 0; i < key->count; i++) {
			sodium_bin2hex(text + i * LINE, LINE, key->bytes + i * STORE_KEY_BYTES, STORE_KEY_BYTES);
			text[(i + 1) * LINE - 1] = '\n';
		}
		result = write(AT_FDCWD, path, text, key->count * LINE, 0600, err);
	}
	sodium_free(text);
	return result;
}

int
store_key_save(const struct store_key *key, const char *path, struct error *err)
{
	int there = store_key_compare(key, path, err);

	return there < 0 ? -1 : there > 0 ? 0 : store_key_write(key, path, file_replace, err);
}

int
store_key_add(const struct store *store, struct store_key *key, struct error *err)
{
	char *path;
	int result;

	if (!store_key_is_file())
		return error_set(err, EX_CONFIG, "COOPR_KEY: no new key can be made there; put one before the present one, "
		    "in a line of its own, and run the command again");
	if (key->count == STORE_KEY_COUNT)
		return error_set(err, EX_CONFIG, "the key of the secrets: it has %d earlier ones; remove the last lines once nothing "
		    "needs them", STORE_KEY_COUNT - 1);
	memmove(key->bytes + STORE_KEY_BYTES, key->bytes, key->count++ * STORE_KEY_BYTES);
	randombytes_buf(key->bytes, STORE_KEY_BYTES);
	path = store_key_file(store_path(store));
	result = store_key_write(key, path, file_replace, err);
	free(path);
	return result;
}

struct store_key
store_key_at(const struct store_key *key, size_t number)
{
	return (struct store_key){.bytes = key->bytes + number * STORE_KEY_BYTES, .count = 1};
}

bool
store_key_has_mark(const struct store_key *key, const char *mark)
{
	char found[STORE_KEY_MARK_SIZE];

	for (size_t i = 0; i < key->count; i++) {
		const struct store_key one = store_key_at(key, i);

		if (strcmp(store_key_mark(&one, found), mark) == 0)
			return true;
	}
	return false;
}

char *
store_key_mark(const struct store_key *key, char mark[STORE_KEY_MARK_SIZE])
{
	unsigned char hash[crypto_generichash_BYTES_MIN];

	crypto_generichash(hash, sizeof hash, key->bytes, STORE_KEY_BYTES, NULL, 0);
	return sodium_bin2hex(mark, STORE_KEY_MARK_SIZE, hash, sizeof hash);
}

/* Makes a key. Two may do it at once: what is in place first is the key. */
static int
store_key_make(const char *path, struct error *err)
{
	struct store_key key = {.bytes = store_key_guarded(STORE_KEY_BYTES, err), .count = 1};
	int result = -1;

	if (key.bytes) {
		randombytes_buf(key.bytes, STORE_KEY_BYTES);
		result = store_key_write(&key, path, file_make, err);
	}
	store_key_release(&key);
	return result;
}

int
store_key_need(const struct store *store, struct store_key *key, struct error *err)
{
	char *path = store_key_file(store_path(store));
	int result = !store_key_is_file() || file_exists(AT_FDCWD, path) ? 0 : store_key_make(path, err);

	free(path);
	return result < 0 ? -1 : store_key_read(store, key, err);
}

void
store_key_release(struct store_key *key)
{
	sodium_free(key->bytes);
	*key = (struct store_key){0};
}
