/* SPDX-License-Identifier: Apache-2.0 */
#include "backup/unpack.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backup/pack.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "content/entry.h"

enum {
	UNPACK_BLOCK = 64 * 1024,
	UNPACK_FILES_MAX = 20 * 1000 * 1000,
	UNPACK_MANIFEST_MAX = 1024 * 1024 * 1024,
};

struct reading {
	const struct unpack *unpack;
	struct archive *archive;
	struct archive_entry *entry;
	struct error *err;
};

static int
unpack_refuse(const struct reading *reading, const char *what, const char *path)
{
	return error_set(reading->err, EX_DATAERR, "%s: %s%s%s; it is damaged, or not a backup of coopr", reading->unpack->name,
	    path ? path : "", path ? ": " : "", what);
}

static int
unpack_fail(const struct reading *reading)
{
	const char *text = archive_error_string(reading->archive);

	return unpack_refuse(reading, text ? text : "cannot be read", NULL);
}

static int
unpack_open(struct reading *reading, const struct unpack *unpack, struct error *err)
{
	struct stat st;

	*reading = (struct reading){unpack, archive_read_new(), NULL, err};
	if (!reading->archive || sodium_init() < 0)
		return error_set(err, EX_OSERR, "%s: not enough memory to read it", unpack->name);
	if (fstat(unpack->fd, &st) < 0 || !S_ISREG(st.st_mode) || lseek(unpack->fd, 0, SEEK_SET) < 0)
		return error_set(err, EX_NOINPUT, "%s: not a file; a backup has to be a file, because it is read twice", unpack->name);
	archive_read_support_format_tar(reading->archive);
	archive_read_support_filter_gzip(reading->archive);
	return archive_read_open_fd(reading->archive, unpack->fd, UNPACK_BLOCK) == ARCHIVE_OK ? 0 : unpack_fail(reading);
}

static void
unpack_close(struct reading *reading)
{
	if (reading->archive)
		archive_read_free(reading->archive);
	reading->archive = NULL;
}

/* Steps to the next entry: 1 and its path, borrowed until the next step; 0 at the end; -1. */
static int
unpack_next(struct reading *reading, const char **path)
{
	int got = archive_read_next_header(reading->archive, &reading->entry);
	const char *name;
	size_t length;
	bool folder;

	if (got == ARCHIVE_EOF)
		return 0;
	if (got < ARCHIVE_WARN)
		return unpack_fail(reading);
	name = archive_entry_pathname(reading->entry);
	if (!name || strncmp(name, PACK_FOLDER, strlen(PACK_FOLDER)) != 0 || !entry_is_inside(name + strlen(PACK_FOLDER)))
		return unpack_refuse(reading, "the name is not allowed", name);
	length = strlen(name);
	folder = archive_entry_filetype(reading->entry) == AE_IFDIR;
	if (!entry_is_plain(reading->entry))
		return unpack_refuse(reading, "neither a file nor a folder", name);
	if (folder != (name[length - 1] == '/') || !archive_entry_size_is_set(reading->entry) || archive_entry_size(reading->entry) < 0 ||
	    archive_entry_sparse_count(reading->entry) > 0)
		return unpack_refuse(reading, "its header is wrong", name);
	*path = name + strlen(PACK_FOLDER);
	return 1;
}

/* Reads the bytes of the entry, and writes them to fd unless that is -1. Sets the sum. */
static int
unpack_bytes(const struct reading *reading, int fd, int64_t size, char sum[MANIFEST_HASH_SIZE])
{
	unsigned char block[UNPACK_BLOCK], hash[crypto_hash_sha256_BYTES];
	crypto_hash_sha256_state state;
	la_ssize_t got;
	int64_t all = 0;

	crypto_hash_sha256_init(&state);
	while ((got = archive_read_data(reading->archive, block, sizeof block)) > 0) {
		all += got;
		if (all > size)
			return unpack_refuse(reading, "longer than its header says", NULL);
		crypto_hash_sha256_update(&state, block, (unsigned long long)got);
		if (fd >= 0 && file_write_all(fd, block, (size_t)got) < 0)
			return error_errno(reading->err, EX_IOERR, "%s", archive_entry_pathname(reading->entry));
	}
	if (got < 0)
		return unpack_fail(reading);
	if (all != size)
		return unpack_refuse(reading, "shorter than its header says", NULL);
	crypto_hash_sha256_final(&state, hash);
	sodium_bin2hex(sum, MANIFEST_HASH_SIZE, hash, sizeof hash);
	return 0;
}

/* Reads the manifest, which is to agree with the files that came before it. */
static int
unpack_manifest(const struct reading *reading, const struct manifest *found, struct manifest *manifest)
{
	int64_t size = archive_entry_size(reading->entry);
	struct buffer text = {0};
	int result = 0;

	if (size > UNPACK_MANIFEST_MAX)
		return unpack_refuse(reading, "it is too large", PACK_MANIFEST);
	while (result == 0 && (int64_t)text.length < size) {
		la_ssize_t got = archive_read_data(reading->archive, buffer_room(&text, UNPACK_BLOCK), UNPACK_BLOCK);

		if (got > 0)
			text.length += (size_t)got;
		else
			result = got < 0 ? unpack_fail(reading) : unpack_refuse(reading, "it is cut off", PACK_MANIFEST);
	}
	if (result == 0 && manifest_parse(text.data, text.length, manifest, reading->err) < 0)
		result = error_prefix(reading->err, "%s", reading->unpack->name);
	buffer_release(&text);
	if (result == 0 && manifest->count != found->count)
		result = unpack_refuse(reading, "it names other files than the backup contains", PACK_MANIFEST);
	for (size_t i = 0; result == 0 && i < found->count; i++)
		if (strcmp(manifest->files[i].path, found->files[i].path) != 0 || manifest->files[i].size != found->files[i].size ||
		    strcmp(manifest->files[i].hash, found->files[i].hash) != 0)
			result = unpack_refuse(reading, "it differs from the manifest", found->files[i].path);
	return result;
}

static int
unpack_compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int
unpack_check_twice(const struct reading *reading, const struct manifest *found)
{
	const char **paths = memory_resize(NULL, found->count + 1, sizeof *paths);
	int result = 0;

	for (size_t i = 0; i < found->count; i++)
		paths[i] = found->files[i].path;
	qsort(paths, found->count, sizeof *paths, unpack_compare);
	for (size_t i = 1; i < found->count && result == 0; i++)
		if (strcmp(paths[i - 1], paths[i]) == 0)
			result = unpack_refuse(reading, "the name occurs twice", paths[i]);
	free(paths);
	return result;
}

/* Reads one entry that is not the manifest. */
static int
unpack_check_file(const struct reading *reading, const char *path, struct manifest *found, int64_t *room)
{
	struct manifest_file *file;

	if (!reading->unpack->allows(reading->unpack->context, path) || found->count == UNPACK_FILES_MAX)
		return unpack_refuse(reading, "it does not belong in a backup", path);
	file = manifest_add(found, path);
	file->size = archive_entry_size(reading->entry);
	if (path[strlen(path) - 1] == '/')
		return file->size ? unpack_refuse(reading, "its header is wrong", path) : 0;
	*room -= file->size;
	if (file->size > reading->unpack->room || *room < 0)
		return error_set(reading->err, EX_CANTCREAT, "%s: needs more room than the %" PRId64 " MB that are left on the disk",
		    reading->unpack->name, reading->unpack->room / (1 << 20));
	return unpack_bytes(reading, -1, file->size, file->hash);
}

int
unpack_check(const struct unpack *unpack, struct manifest *manifest, struct error *err)
{
	struct manifest found = {0};
	struct reading reading;
	const char *path;
	bool complete = false;
	int64_t room = unpack->room;
	int got = 1, result = unpack_open(&reading, unpack, err);

	while (result == 0 && (got = unpack_next(&reading, &path)) > 0) {
		if (complete)
			result = unpack_refuse(&reading, "data follows the manifest", path);
		else if ((complete = strcmp(path, PACK_MANIFEST) == 0))
			result = unpack_manifest(&reading, &found, manifest);
		else
			result = unpack_check_file(&reading, path, &found, &room);
	}
	if (result == 0 && got < 0)
		result = -1;
	if (result == 0 && !complete)
		result = unpack_refuse(&reading, "there is no manifest at its end", NULL);
	if (result == 0)
		result = unpack_check_twice(&reading, &found);
	unpack_close(&reading);
	manifest_release(&found);
	return result;
}

/* Makes the folders above the last part of name. */
static int
unpack_make_parents(int folder, const char *name, struct error *err)
{
	const char *slash = strrchr(name, '/');
	char *parents;
	int result;

	if (!slash)
		return 0;
	parents = memory_substring(name, (size_t)(slash - name));
	result = file_make_dirs(folder, parents, 0700, err);
	free(parents);
	return result;
}

static int
unpack_write(const struct reading *reading, const struct manifest_file *file, int folder, const char *name)
{
	char sum[MANIFEST_HASH_SIZE];
	int fd, result;

	if (unpack_make_parents(folder, name, reading->err) < 0)
		return -1;
	if (!*file->hash)
		return 0;
	fd = file_open(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600, reading->err);
	if (fd < 0)
		return -1;
	result = unpack_bytes(reading, fd, file->size, sum);
	if (result == 0 && strcmp(sum, file->hash) != 0)
		result = unpack_refuse(reading, "it has changed since it was checked", file->path);
	if (close(fd) < 0 && result == 0)
		result = error_errno(reading->err, EX_IOERR, "%s", name);
	return result;
}

int
unpack_all(const struct unpack *unpack, const struct manifest *manifest, unpack_place *place, void *context, struct error *err)
{
	struct reading reading;
	int result = unpack_open(&reading, unpack, err);

	for (size_t i = 0; result == 0 && i < manifest->count; i++) {
		const struct manifest_file *file = &manifest->files[i];
		const char *path, *name;
		int got = unpack_next(&reading, &path), folder;

		if (got <= 0 || strcmp(path, file->path) != 0) {
			result = got < 0 ? -1 : unpack_refuse(&reading, "it has changed since it was checked", file->path);
			break;
		}
		folder = place(context, file->path, &name);
		result = unpack_write(&reading, file, folder, name);
	}
	unpack_close(&reading);
	return result;
}
