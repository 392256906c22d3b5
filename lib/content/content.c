/* SPDX-License-Identifier: Apache-2.0 */
#include "content/content.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"
#include "base/preference.h"
#include "base/process.h"
#include "content/keeper.h"

void
content_digest(const void *bytes, size_t length, char digest[static CONTENT_DIGEST_SIZE])
{
	unsigned char hash[crypto_hash_sha256_BYTES];

	crypto_hash_sha256(hash, bytes, length);
	sodium_bin2hex(digest, CONTENT_DIGEST_SIZE, hash, sizeof hash);
}

bool
content_is_digest(const char *text)
{
	return strlen(text) == CONTENT_DIGEST_SIZE - 1 && strspn(text, "0123456789abcdef") == CONTENT_DIGEST_SIZE - 1;
}

static char *
content_folder(void)
{
	char *state = location_state(), *path = memory_printf("%s/resources", state);

	free(state);
	return path;
}

char *
content_path(const char *digest)
{
	char *folder = content_folder(), *path = memory_printf("%s/%.2s/%s", folder, digest, digest);

	free(folder);
	return path;
}

/* Runs the executable of the setting, if there is one: its exit code; -1, also where there is none: then err->code is 0. */
static int
content_ask_keeper(const char *verb, const char *digest, const void *bytes, size_t length, struct buffer *out, struct error *err)
{
	const char *setting = preference_value(PREFERENCE_RESOURCES, NULL);
	struct arguments argv = {0};
	int code;

	err->code = 0;
	if (!setting)
		return -1;
	keeper_push(setting, &argv);
	arguments_push_all(&argv, verb, digest, NULL);
	code = keeper_run(&argv, bytes, length, out, CONTENT_BYTES, err);
	if (code > EX_NO || (code == EX_NO && strcmp(verb, "has") != 0))
		code = keeper_judge(code, argv.list[0], verb, "resource", err);
	arguments_release(&argv);
	return code;
}

bool
content_has(const char *digest)
{
	char *path = content_path(digest);
	bool has = file_exists(AT_FDCWD, path);
	struct buffer said = {0};
	struct error ignored; /* then it is put again */

	if (!has)
		has = content_ask_keeper("has", digest, NULL, 0, &said, &ignored) == 0;
	buffer_release(&said);
	free(path);
	return has;
}

/* Reads what this host has. */
static int
content_read_here(const char *digest, struct buffer *out, struct error *err)
{
	char *path = content_path(digest), found[CONTENT_DIGEST_SIZE];
	size_t before = out->length;
	int result = file_read(AT_FDCWD, path, CONTENT_BYTES, out, err);

	if (result < 0) {
		err->code = EX_CONFIG;
	} else {
		content_digest(buffer_string(out) + before, out->length - before, found);
		if (strcmp(found, digest) != 0) {
			out->length = before;
			result = error_set(err, EX_CONFIG, "%s: it is damaged: its SHA-256 is not its name; upload it again", path);
		}
	}
	free(path);
	return result;
}

/* Makes the folder of a digest, durably; -1. */
static int
content_make_folder(const char *path, struct error *err)
{
	char *folder = memory_substring(path, strlen(path) - CONTENT_DIGEST_SIZE);
	int result = file_make_dirs(AT_FDCWD, folder, 0700, err), fd;

	if (result == 0) {
		fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0 || file_sync_up(fd) < 0)
			result = error_errno(err, EX_IOERR, "%s", folder);
		if (fd >= 0)
			close(fd);
	}
	free(folder);
	return result;
}

/* Fetches what the executable keeps, and keeps it here for the next time. */
static int
content_fetch(const char *digest, struct buffer *out, struct error *err)
{
	char *path = content_path(digest), found[CONTENT_DIGEST_SIZE];
	struct buffer bytes = {0};
	struct error ignored; /* it is fetched again then */
	int result = content_ask_keeper("get", digest, NULL, 0, &bytes, err);

	if (result == 0) {
		content_digest(buffer_string(&bytes), bytes.length, found);
		if (strcmp(found, digest) != 0)
			result = error_set(err, EX_CONFIG, "resource %s: where it is kept it is damaged: its SHA-256 is another; upload it again",
			    digest);
	}
	if (result == 0) {
		buffer_append(out, buffer_string(&bytes), bytes.length);
		if (content_make_folder(path, &ignored) == 0)
			file_replace(AT_FDCWD, path, buffer_string(&bytes), bytes.length, 0600, &ignored);
	}
	buffer_release(&bytes);
	free(path);
	return result;
}

int
content_read(const char *digest, struct buffer *out, struct error *err)
{
	struct error failure;

	if (content_read_here(digest, out, err) == 0)
		return 0;
	if (content_fetch(digest, out, &failure) == 0)
		return 0;
	if (failure.code)
		*err = failure;
	return -1;
}

/* Returns whether what is kept is whole; then it is new from now on. */
static bool
content_renew(const char *digest, const char *path)
{
	struct buffer there = {0};
	struct error ignored; /* it is written again */
	bool whole = utimensat(AT_FDCWD, path, NULL, 0) == 0 && content_read_here(digest, &there, &ignored) == 0;

	buffer_release(&there);
	return whole;
}

int
content_put(const void *bytes, size_t length, char digest[static CONTENT_DIGEST_SIZE], struct error *err)
{
	struct buffer said = {0};
	char *path;
	int result;

	if (length > CONTENT_BYTES)
		return error_set(err, EX_DATAERR, "more than %d MiB", CONTENT_BYTES / (1 << 20));
	content_digest(bytes, length, digest);
	path = content_path(digest);
	/* Who was faster may have been stopped before the name was on disk. */
	result = content_make_folder(path, err);
	if (result == 0 && !content_renew(digest, path))
		result = file_replace(AT_FDCWD, path, bytes, length, 0600, err);
	/* Also what is there already: a put that was killed may have left a part. */
	if (result == 0 && content_ask_keeper("put", digest, bytes, length, &said, err) != 0 && err->code)
		result = -1;
	buffer_release(&said);
	free(path);
	return result;
}

/* The content itself goes last, so that a call that was killed before can be repeated. */
int
content_remove(const char *digest, struct error *err)
{
	char *path = content_path(digest);
	struct buffer said = {0};
	int result = content_ask_keeper("delete", digest, NULL, 0, &said, err) != 0 && err->code ? -1 : 0;

	if (result == 0 && unlink(path) < 0 && errno != ENOENT)
		result = error_errno(err, EX_IOERR, "%s", path);
	buffer_release(&said);
	free(path);
	return result;
}

int
content_list_folder(const char *path, int64_t age_s, struct arguments *digests, struct error *err)
{
	DIR *folder = opendir(path);
	struct dirent *entry;
	struct stat status;
	int result = 0;

	while (result == 0 && folder && (entry = readdir(folder)) != NULL) {
		if (fstatat(dirfd(folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(status.st_mode) ||
		    (age_s == CONTENT_ANY_AGE ? !content_is_digest(entry->d_name)
		                              : clock_wall_ms() / 1000 - status.st_mtime <= age_s))
			continue;
		if (content_is_digest(entry->d_name))
			arguments_push(digests, entry->d_name);
		else if (unlinkat(dirfd(folder), entry->d_name, 0) < 0 && errno != ENOENT)
			result = error_errno(err, EX_IOERR, "%s/%s", path, entry->d_name);
	}
	if (folder)
		closedir(folder);
	return result;
}

int
content_list_old(int64_t age_s, struct arguments *digests, struct error *err)
{
	char *top = content_folder();
	int result = 0;

	for (unsigned i = 0; i < 256 && result == 0; i++) {
		char *path = memory_printf("%s/%02x", top, i);

		result = content_list_folder(path, age_s, digests, err);
		free(path);
	}
	free(top);
	return result;
}
