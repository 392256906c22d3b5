/* SPDX-License-Identifier: Apache-2.0
 *
 * A file is a line for each entry, "folder NAME" or "file LENGTH NAME" or "program LENGTH NAME", NAME ending with a NUL, and behind
 * that the content. Its digest is its name, so a file that was damaged or exchanged is found out when it is read.
 */
#include "ssh/script-store.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"
#include "ssh/bundle.h"

static void
script_store_print(const struct bundle *bundle, struct buffer *out)
{
	for (size_t i = 0; i < bundle->count; i++) {
		const struct bundle_file *file = &bundle->list[i];

		if (file->is_folder)
			buffer_printf(out, "folder 0 %s", file->name);
		else
			buffer_printf(out, "%s %zu %s", file->executable ? "program" : "file", file->content.length, file->name);
		buffer_byte(out, '\0');
		buffer_append(out, buffer_string(&file->content), file->content.length);
	}
}

static void
script_store_hash(const struct buffer *text, char digest[static SCRIPT_DIGEST_SIZE])
{
	unsigned char bytes[crypto_hash_sha256_BYTES];

	crypto_hash_sha256(bytes, (const unsigned char *)buffer_string(text), text->length);
	sodium_bin2hex(digest, SCRIPT_DIGEST_SIZE, bytes, sizeof bytes);
}

void
script_store_digest(const struct bundle *bundle, char digest[static SCRIPT_DIGEST_SIZE])
{
	struct buffer text = {0};

	script_store_print(bundle, &text);
	script_store_hash(&text, digest);
	buffer_release(&text);
}

char *
script_store_path(void)
{
	char *state = location_state(), *path = memory_printf("%s/scripts", state);

	free(state);
	return path;
}

static char *
script_store_path_of(const char *digest)
{
	char *folder = script_store_path(), *path = memory_printf("%s/%s", folder, digest);

	free(folder);
	return path;
}

bool
script_store_has(const char *digest)
{
	char *path = script_store_path_of(digest);
	bool has = file_exists(AT_FDCWD, path);

	free(path);
	return has;
}

int
script_store_keep(const struct bundle *bundle, struct error *err)
{
	char digest[SCRIPT_DIGEST_SIZE], *folder = script_store_path(), *path;
	struct buffer text = {0};
	int result = 0;

	script_store_print(bundle, &text);
	script_store_hash(&text, digest);
	path = script_store_path_of(digest);
	/* Whoever removes what is not named looks at the age. */
	if (utimensat(AT_FDCWD, path, NULL, 0) < 0 && !file_exists(AT_FDCWD, path))
		result = file_make_dirs(AT_FDCWD, folder, 0700, err) < 0 ? -1 :
		    file_replace(AT_FDCWD, path, text.data, text.length, 0600, err);
	free(path);
	free(folder);
	buffer_release(&text);
	return result;
}

/* Reads one entry at *at, and moves that behind it; false where it is none. */
static bool
script_store_read_entry(const char **at, const char *end, struct bundle *bundle)
{
	const char *word = *at, *nul = memchr(word, '\0', (size_t)(end - word)), *number = strchr(word, ' '), *name;
	struct bundle_file file = {0};
	unsigned long long length;
	char *rest;

	if (!nul || !number || number[1] < '0' || number[1] > '9')
		return false;
	length = strtoull(number + 1, &rest, 10);
	name = rest + 1;
	if (*rest != ' ' || length > (unsigned long long)(end - nul - 1))
		return false;
	file.is_folder = strncmp(word, "folder ", 7) == 0;
	file.executable = strncmp(word, "program ", 8) == 0;
	file.name = memory_string(name);
	buffer_append(&file.content, nul + 1, (size_t)length);
	ARRAY_ROOM(bundle->list, bundle->count, bundle->capacity);
	bundle->list[bundle->count++] = file;
	bundle->bytes += (size_t)length;
	*at = nul + 1 + length;
	return true;
}

int
script_store_read(const char *digest, struct bundle *bundle, struct error *err)
{
	char *path = script_store_path_of(digest), found[SCRIPT_DIGEST_SIZE];
	struct buffer text = {0};
	int result = file_read(AT_FDCWD, path, 2 * (size_t)BUNDLE_BYTES, &text, err);
	const char *at = buffer_string(&text), *end = at + text.length;

	if (result < 0) {
		err->code = EX_CONFIG;
	} else {
		script_store_hash(&text, found);
		if (strcmp(found, digest) != 0)
			result = error_set(err, EX_CONFIG, "%s: it was changed: its SHA-256 is not its name; remove it", path);
	}
	while (result == 0 && at < end)
		if (!script_store_read_entry(&at, end, bundle))
			result = error_set(err, EX_CONFIG, "%s: it is malformed", path);
	buffer_release(&text);
	free(path);
	return result;
}
