/* SPDX-License-Identifier: Apache-2.0 */
#include "resource/tarball.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/printable.h"
#include "content/entry.h"
#include "ssh/bundle.h"

enum { TARBALL_BLOCK = 64 * 1024, TARBALL_DEPTH = BUNDLE_DEPTH };

struct tarball {
	struct archive *archive;
	const char *name; /* of the resource */
	struct bundle *bundle;
	struct error *err;
};

static int
tarball_refuse(const struct tarball *tarball, const char *path, const char *what)
{
	return error_set(tarball->err, EX_DATAERR, "archive %s: %s%s%s", tarball->name, path ? path : "", path ? ": " : "", what);
}

static int
tarball_fail(const struct tarball *tarball)
{
	const char *text = archive_error_string(tarball->archive);

	return tarball_refuse(tarball, NULL, text ? text : "it cannot be read");
}

static int
tarball_open(struct tarball *tarball, const void *bytes, size_t length)
{
	tarball->archive = archive_read_new();
	if (!tarball->archive)
		return error_set(tarball->err, EX_OSERR, "archive %s: not enough memory to read it", tarball->name);
	archive_read_support_format_tar(tarball->archive);
	archive_read_support_format_zip(tarball->archive);
	archive_read_support_filter_gzip(tarball->archive);
	archive_read_support_filter_xz(tarball->archive);
	return archive_read_open_memory(tarball->archive, bytes, length) == ARCHIVE_OK ? 0 : tarball_fail(tarball);
}

/* Returns whether a terminal shows a name as it is. */
static bool
tarball_is_shown(const char *path)
{
	char *shown = memory_string(path);
	bool same;

	printable(shown);
	same = strcmp(shown, path) == 0;
	free(shown);
	return same;
}

/* Returns why an entry cannot be taken; NULL: it can. */
static const char *
tarball_fault(struct archive_entry *entry, const char *path)
{
	size_t depth = 0;

	if (!path || !entry_is_inside(path))
		return "its name leads out of the archive, or is too long";
	if (!tarball_is_shown(path))
		return "its name is not UTF-8, or has control characters";
	for (const char *at = path; *at; at++)
		depth += *at == '/';
	if (depth > TARBALL_DEPTH)
		return "it is in too many folders";
	if (!entry_is_plain(entry))
		return "it is neither a file nor a folder; archives of resources have no links and no devices";
	return NULL;
}

/* Returns the entry's name without "./" before it; "" for the top itself. */
static const char *
tarball_path(struct archive_entry *entry)
{
	const char *path = archive_entry_pathname(entry);

	if (!path)
		path = archive_entry_pathname_utf8(entry);
	while (path && strncmp(path, "./", 2) == 0)
		path += 2;
	return path && strcmp(path, ".") == 0 ? "" : path;
}

static int
tarball_read_bytes(const struct tarball *tarball, const char *path, struct buffer *content)
{
	la_ssize_t got;

	while ((got = archive_read_data(tarball->archive, buffer_room(content, TARBALL_BLOCK), TARBALL_BLOCK)) > 0) {
		content->length += (size_t)got;
		if (content->length > BUNDLE_BYTES - tarball->bundle->bytes)
			return tarball_refuse(tarball, path, "there is more in it than the 64 MiB that a script may have");
	}
	return got < 0 ? tarball_fail(tarball) : 0;
}

/* Adds one entry, whose path is below the top of the archive or in a folder there that is called as the resource is. */
static int
tarball_read_entry(const struct tarball *tarball, struct archive_entry *entry)
{
	const char *path = tarball_path(entry), *fault;
	bool folder = archive_entry_filetype(entry) == AE_IFDIR;
	struct buffer content = {0};
	size_t length = strlen(tarball->name);
	char *place;
	int result;

	if (path && !*path && folder)
		return 0;
	fault = tarball_fault(entry, path);
	if (fault)
		return tarball_refuse(tarball, path, fault);
	place = strncmp(path, tarball->name, length) == 0 && (path[length] == '/' || (folder && !path[length])) ? memory_string(path)
	    : memory_printf("%s/%s", tarball->name, path);
	if (place[strlen(place) - 1] == '/')
		place[strlen(place) - 1] = '\0';
	result = folder ? 0 : tarball_read_bytes(tarball, path, &content);
	if (result == 0 && !folder && archive_entry_size_is_set(entry) && archive_entry_size(entry) != (la_int64_t)content.length)
		result = tarball_refuse(tarball, path, "it is not as long as the archive says; a file may not end with a hole");
	if (result == 0)
		result = bundle_put_parents(tarball->bundle, place, tarball->err);
	if (result == 0)
		result = bundle_put(tarball->bundle, place, folder ? BUNDLE_FOLDER
		    : archive_entry_perm(entry) & 0100 ? BUNDLE_PROGRAM : BUNDLE_FILE, buffer_string(&content), content.length, tarball->err);
	if (result < 0)
		tarball->err->code = EX_DATAERR;
	buffer_release(&content);
	free(place);
	return result;
}

int
tarball_read(const void *bytes, size_t length, const char *name, struct bundle *bundle, struct error *err)
{
	struct tarball tarball = {NULL, name, bundle, err};
	struct archive_entry *entry;
	size_t entries = 0;
	int result = tarball_open(&tarball, bytes, length), got;

	while (result == 0 && (got = archive_read_next_header(tarball.archive, &entry)) != ARCHIVE_EOF) {
		if (got < ARCHIVE_WARN)
			result = tarball_fail(&tarball);
		else if (++entries > BUNDLE_FILES)
			result = tarball_refuse(&tarball, NULL, "it has more than 10000 entries");
		else
			result = tarball_read_entry(&tarball, entry);
	}
	if (result == 0 && entries == 0)
		result = tarball_refuse(&tarball, NULL, "there is nothing in it");
	if (tarball.archive)
		archive_read_free(tarball.archive);
	return result;
}

static la_ssize_t
tarball_append(struct archive *archive, void *out, const void *bytes, size_t length)
{
	(void)archive;
	buffer_append(out, bytes, length);
	return (la_ssize_t)length;
}

static int
tarball_write_file(const struct tarball *tarball, const struct bundle_file *file, struct archive_entry *entry)
{
	archive_entry_clear(entry);
	archive_entry_set_pathname(entry, file->name);
	archive_entry_set_filetype(entry, file->is_folder ? AE_IFDIR : AE_IFREG);
	archive_entry_set_perm(entry, file->is_folder || file->executable ? 0755 : 0644);
	archive_entry_set_size(entry, (la_int64_t)file->content.length);
	archive_entry_set_mtime(entry, 0, 0);
	if (archive_write_header(tarball->archive, entry) < ARCHIVE_WARN ||
	    archive_write_data(tarball->archive, buffer_string(&file->content), file->content.length) < 0)
		return tarball_fail(tarball);
	return 0;
}

int
tarball_write(const struct bundle *bundle, const char *name, struct buffer *out, struct error *err)
{
	struct tarball tarball = {archive_write_new(), name, NULL, err};
	struct archive_entry *entry = archive_entry_new();
	int result = 0;

	if (!tarball.archive || !entry)
		result = error_set(err, EX_OSERR, "archive %s: not enough memory to make it", name);
	else if (archive_write_set_format_pax_restricted(tarball.archive) != ARCHIVE_OK ||
	    archive_write_set_bytes_per_block(tarball.archive, 0) != ARCHIVE_OK ||
	    archive_write_open(tarball.archive, out, NULL, tarball_append, NULL) != ARCHIVE_OK)
		result = tarball_fail(&tarball);
	for (size_t i = 0; i < bundle->count && result == 0; i++)
		result = tarball_write_file(&tarball, &bundle->list[i], entry);
	if (result == 0 && archive_write_close(tarball.archive) != ARCHIVE_OK)
		result = tarball_fail(&tarball);
	archive_entry_free(entry);
	if (tarball.archive)
		archive_write_free(tarball.archive);
	return result;
}
