/* SPDX-License-Identifier: Apache-2.0 */
#include "backup/pack.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"

enum { PACK_BLOCK = 64 * 1024 };

struct pack {
	struct archive *archive;
	const char *name;
	struct manifest *manifest;
};

int
pack_compression(const char *name, bool *compress, struct error *err)
{
	static const struct {
		const char *ending;
		bool compress;
	} known[] = {{".tar", false}, {".tar.gz", true}, {".tgz", true}};
	size_t length = strlen(name);

	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		size_t size = strlen(known[i].ending);

		if (length > size && strcmp(name + length - size, known[i].ending) == 0) {
			*compress = known[i].compress;
			return 0;
		}
	}
	return error_set(err, EX_USAGE, "%s: the name of a backup ends with .tar, .tar.gz or .tgz", name);
}

bool
pack_is_file(const char *operand)
{
	struct error ignored;
	bool compress;

	return *operand == '/' || *operand == '.' || pack_compression(operand, &compress, &ignored) == 0;
}

static int
pack_fail(const struct pack *pack, struct error *err)
{
	const char *text = archive_error_string(pack->archive);

	return error_set(err, EX_IOERR, "%s: %s", pack->name, text ? text : "cannot be written");
}

struct pack *
pack_open(int fd, const char *name, bool compress, struct manifest *manifest, struct error *err)
{
	struct pack *pack = memory_zeroed(1, sizeof *pack);

	*pack = (struct pack){archive_write_new(), name, manifest};
	if (sodium_init() >= 0 && pack->archive && archive_write_set_format_pax_restricted(pack->archive) == ARCHIVE_OK &&
	    (!compress || archive_write_add_filter_gzip(pack->archive) == ARCHIVE_OK) &&
	    archive_write_open_fd(pack->archive, fd) == ARCHIVE_OK)
		return pack;
	pack_fail(pack, err);
	pack_release(pack);
	return NULL;
}

static int
pack_header(const struct pack *pack, const char *path, mode_t type, int64_t size, struct error *err)
{
	struct archive_entry *entry = archive_entry_new();
	char *name = memory_printf(PACK_FOLDER "%s", path);
	int result;

	archive_entry_set_pathname(entry, name);
	archive_entry_set_filetype(entry, type);
	archive_entry_set_perm(entry, type == AE_IFDIR ? 0700 : 0600);
	archive_entry_set_size(entry, size);
	archive_entry_set_mtime(entry, pack->manifest->at_ms / 1000, 0);
	/* It warns of names that the locale cannot express, and writes them as they are. */
	result = archive_write_header(pack->archive, entry) >= ARCHIVE_WARN ? 0 : pack_fail(pack, err);
	archive_entry_free(entry);
	free(name);
	return result;
}

static int
pack_bytes(const struct pack *pack, const void *bytes, size_t length, struct error *err)
{
	return archive_write_data(pack->archive, bytes, length) == (la_ssize_t)length ? 0 : pack_fail(pack, err);
}

int
pack_file(struct pack *pack, const char *path, int fd, int64_t size, struct error *err)
{
	struct manifest_file *file = manifest_add(pack->manifest, path);
	unsigned char block[PACK_BLOCK], hash[crypto_hash_sha256_BYTES];
	crypto_hash_sha256_state state;
	int64_t at = 0;

	if (pack_header(pack, path, AE_IFREG, size, err) < 0)
		return -1;
	crypto_hash_sha256_init(&state);
	while (at < size) {
		size_t wanted = size - at < PACK_BLOCK ? (size_t)(size - at) : PACK_BLOCK;
		ssize_t got = pread(fd, block, wanted, at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? error_errno(err, EX_IOERR, "%s", path)
			    : error_set(err, EX_IOERR, "%s: it was truncated while it was read; run the command again", path);
		crypto_hash_sha256_update(&state, block, (unsigned long long)got);
		if (pack_bytes(pack, block, (size_t)got, err) < 0)
			return -1;
		at += got;
	}
	crypto_hash_sha256_final(&state, hash);
	file->size = size;
	sodium_bin2hex(file->hash, sizeof file->hash, hash, sizeof hash);
	return 0;
}

int
pack_folder(struct pack *pack, const char *path, struct error *err)
{
	manifest_add(pack->manifest, path);
	return pack_header(pack, path, AE_IFDIR, 0, err);
}

int
pack_finish(struct pack *pack, struct error *err)
{
	struct buffer text = {0};
	int result;

	manifest_print(pack->manifest, &text);
	result = pack_header(pack, PACK_MANIFEST, AE_IFREG, (int64_t)text.length, err);
	if (result == 0)
		result = pack_bytes(pack, text.data, text.length, err);
	if (result == 0 && archive_write_close(pack->archive) != ARCHIVE_OK)
		result = pack_fail(pack, err);
	buffer_release(&text);
	return result;
}

void
pack_release(struct pack *pack)
{
	if (!pack)
		return;
	if (pack->archive)
		archive_write_free(pack->archive);
	free(pack);
}
