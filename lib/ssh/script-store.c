/* SPDX-License-Identifier: Apache-2.0
 *
 * A bundle is kept as a line for each entry, "folder NAME" or "file LENGTH NAME" or "program LENGTH NAME", NAME ending with a NUL, and behind
 * that what is in it.
 */
#include "ssh/script-store.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"
#include "content/content.h"
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

void
script_store_digest(const struct bundle *bundle, char digest[static CONTENT_DIGEST_SIZE])
{
	struct buffer text = {0};

	script_store_print(bundle, &text);
	content_digest(buffer_string(&text), text.length, digest);
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
	bool has = content_has(digest) || file_exists(AT_FDCWD, path);

	free(path);
	return has;
}

int
script_store_keep(const struct bundle *bundle, struct error *err)
{
	char digest[CONTENT_DIGEST_SIZE];
	struct buffer text = {0};
	int result;

	script_store_print(bundle, &text);
	result = content_put(buffer_string(&text), text.length, digest, err);
	buffer_release(&text);
	return result < 0 ? error_prefix(err, "scripts") : 0;
}

/* Reads what an earlier version has kept. */
static int
script_store_read_earlier(const char *digest, struct buffer *text, struct error *err)
{
	char *path = script_store_path_of(digest), found[CONTENT_DIGEST_SIZE];
	int result = file_read(AT_FDCWD, path, CONTENT_BYTES, text, err);

	if (result < 0) {
		err->code = EX_CONFIG;
	} else {
		content_digest(buffer_string(text), text->length, found);
		if (strcmp(found, digest) != 0)
			result = error_set(err, EX_CONFIG, "%s: it was changed: its SHA-256 is not its name; remove it", path);
	}
	free(path);
	return result;
}

/* Reads one entry at *at, and moves that behind it. */
static int
script_store_read_entry(const char **at, const char *end, struct bundle *bundle, struct error *err)
{
	const char *word = *at, *nul = memchr(word, '\0', (size_t)(end - word)), *number = strchr(word, ' ');
	enum bundle_kind kind = strncmp(word, "folder ", 7) == 0 ? BUNDLE_FOLDER
	    : strncmp(word, "program ", 8) == 0 ? BUNDLE_PROGRAM : BUNDLE_FILE;
	unsigned long long length;
	char *rest;

	if (!nul || !number || number[1] < '0' || number[1] > '9')
		return error_set(err, EX_CONFIG, "it is malformed");
	length = strtoull(number + 1, &rest, 10);
	if (*rest != ' ' || length > (unsigned long long)(end - nul - 1))
		return error_set(err, EX_CONFIG, "it is malformed");
	*at = nul + 1 + length;
	return bundle_put(bundle, rest + 1, kind, nul + 1, (size_t)length, err);
}

int
script_store_read_bytes(const char *digest, struct buffer *out, struct error *err)
{
	char *earlier = script_store_path_of(digest);
	int result = !content_has(digest) && file_exists(AT_FDCWD, earlier) ? script_store_read_earlier(digest, out, err)
	    : content_read(digest, out, err);

	free(earlier);
	return result;
}

int
script_store_read(const char *digest, struct bundle *bundle, struct error *err)
{
	struct buffer text = {0};
	int result = script_store_read_bytes(digest, &text, err);
	const char *at = buffer_string(&text), *end = at + text.length;

	while (result == 0 && at < end)
		if (script_store_read_entry(&at, end, bundle, err) < 0)
			result = error_prefix(err, "%s", digest);
	buffer_release(&text);
	return result;
}
