/* SPDX-License-Identifier: Apache-2.0 */
#include "resource/tarball.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"
#include "base/printable.h"
#include "base/process.h"
#include "content/entry.h"
#include "content/incoming.h"

enum {
	TARBALL_DEPTH = BUNDLE_DEPTH,
	TARBALL_SAID = TARBALL_BYTES + TARBALL_ENTRIES * (TARBALL_NAME + 64), /* what the reader says at most */
};

struct tarball {
	struct archive *archive; /* that is written */
	const char *name;        /* of the resource */
	struct bundle *bundle;
	struct error *err;
};

struct part { /* of what the reader has said */
	char kind;
	size_t length;
	char *path; /* ends before the bytes */
	const char *bytes;
};

static int
tarball_refuse(const struct tarball *tarball, const char *path, const char *what)
{
	return error_set(tarball->err, EX_DATAERR, "archive %s: %s%s%s", tarball->name, path ? path : "", path ? ": " : "", what);
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
tarball_fault(char kind, const char *path)
{
	size_t depth = 0;

	if (!entry_is_inside(path))
		return "its name leads out of the archive, or is too long";
	if (!tarball_is_shown(path))
		return "its name is not UTF-8, or has control characters";
	for (const char *at = path; *at; at++)
		depth += *at == '/';
	if (depth > TARBALL_DEPTH)
		return "it is in too many folders";
	if (kind == 's')
		return "it is not as long as the archive says; a file may not end with a hole";
	if (!strchr("dfx", kind))
		return "it is neither a file nor a folder; archives of resources have no links and no devices";
	return NULL;
}

/* Adds one entry, whose path is below the top of the archive or in a folder there that is called as the resource is. */
static int
tarball_take(const struct tarball *tarball, const struct part *part)
{
	const char *path = part->path, *fault;
	bool folder = part->kind == 'd';
	size_t length = strlen(tarball->name);
	char *place;
	int result;

	while (strncmp(path, "./", 2) == 0)
		path += 2;
	if (folder && (!*path || strcmp(path, ".") == 0))
		return 0;
	fault = tarball_fault(part->kind, path);
	if (fault)
		return tarball_refuse(tarball, path, fault);
	place = strncmp(path, tarball->name, length) == 0 && (path[length] == '/' || (folder && !path[length])) ? memory_string(path)
	    : memory_printf("%s/%s", tarball->name, path);
	if (place[strlen(place) - 1] == '/')
		place[strlen(place) - 1] = '\0';
	result = bundle_put_parents(tarball->bundle, place, tarball->err);
	if (result == 0)
		result = bundle_put(tarball->bundle, place, folder ? BUNDLE_FOLDER : part->kind == 'x' ? BUNDLE_PROGRAM : BUNDLE_FILE,
		    part->bytes, part->length, tarball->err);
	if (result < 0)
		tarball->err->code = EX_DATAERR;
	free(place);
	return result;
}

/* Steps to the next part: "KIND LENGTH NAME-LENGTH", a line, then both. Returns false where there is none as it should be. */
static bool
tarball_step(char **at, const char *end, struct part *part)
{
	char *line = memchr(*at, '\n', (size_t)(end - *at)), *rest;
	size_t named;

	if (!line || line - *at < 5 || (*at)[1] != ' ')
		return false;
	*line++ = '\0';
	part->kind = **at;
	part->length = strtoul(*at + 2, &rest, 10);
	named = *rest == ' ' ? strtoul(rest + 1, &rest, 10) : SIZE_MAX;
	if (*rest || named > TARBALL_NAME || named > (size_t)(end - line) || part->length > (size_t)(end - line) - named)
		return false;
	free(part->path);
	part->path = memory_substring(line, named);
	part->bytes = line + named;
	*at = line + named + part->length;
	return true;
}

/* Takes what the reader has said of the archive. */
static int
tarball_hear(const struct tarball *tarball, struct buffer *said)
{
	struct part part = {.path = NULL};
	char *at = said->data, *end = at + said->length;
	size_t entries = 0;
	bool ended = false;
	int result = 0;

	while (result == 0 && !ended && at && tarball_step(&at, end, &part)) {
		ended = part.kind == 'e';
		if (part.kind == '!') {
			char *reason = memory_substring(part.bytes, part.length);

			printable(reason);
			result = tarball_refuse(tarball, NULL, reason);
			free(reason);
		} else if (ended ? entries == 0 : ++entries > TARBALL_ENTRIES) {
			result = tarball_refuse(tarball, NULL, ended ? "there is nothing in it" : "it has more than 10000 entries");
		} else if (!ended) {
			result = tarball_take(tarball, &part);
		}
	}
	free(part.path);
	return result < 0 ? -1 : ended ? 0 : tarball_refuse(tarball, NULL, "it cannot be read: the program that reads it has failed; it needs more "
	    "than 512 MiB of memory or 30 s of a processor, or is hostile");
}

/* Has the archive read, and hears what is in it; contents of files: or only that they can be read. */
static int
tarball_read_file(const struct tarball *tarball, int file, bool contents)
{
	char *program = location_installed("libexec/coopr/unarchive"), *argv[] = {program, contents ? NULL : (char[]){"--list"}, NULL};
	struct process reader = {.argv = argv, .in = file, .out = -1, .err = PROCESS_NULL, .die_with_us = true};
	struct buffer said = {0};
	struct error ignored;
	int ends[2], result;

	if (pipe2(ends, O_CLOEXEC) < 0) {
		free(program);
		return error_errno(tarball->err, EX_OSERR, "archive %s: pipe", tarball->name);
	}
	reader.out = ends[1];
	result = process_start(&reader, tarball->err);
	close(ends[1]);
	if (result == 0) {
		result = file_read_fd(ends[0], tarball->name, TARBALL_SAID, &said, tarball->err);
		close(ends[0]);
		process_wait(&reader, &ignored); /* how it has ended it has said */
		result = result < 0 ? -1 : tarball_hear(tarball, &said);
	} else {
		close(ends[0]);
	}
	buffer_release(&said);
	free(program);
	return result;
}

int
tarball_read(const void *bytes, size_t length, const char *name, struct bundle *bundle, struct error *err)
{
	const struct tarball tarball = {NULL, name, bundle, err};
	struct incoming copy;
	int result = incoming_copy(&copy, bytes, length, err);

	if (result == 0)
		result = tarball_read_file(&tarball, copy.fd, true);
	incoming_release(&copy);
	return result;
}

int
tarball_check(int file, const char *name, struct error *err)
{
	struct bundle bundle = {0};
	const struct tarball tarball = {NULL, name, &bundle, err};
	int result = tarball_read_file(&tarball, file, false);

	bundle_release(&bundle);
	return result;
}

static int
tarball_fail(const struct tarball *tarball)
{
	const char *text = archive_error_string(tarball->archive);

	return tarball_refuse(tarball, NULL, text ? text : "it cannot be made");
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
tarball_write(const struct bundle *bundle, const char *name, bool gzip, struct buffer *out, struct error *err)
{
	struct tarball tarball = {archive_write_new(), name, NULL, err};
	struct archive_entry *entry = archive_entry_new();
	int result = 0;

	if (!tarball.archive || !entry)
		result = error_set(err, EX_OSERR, "archive %s: not enough memory to make it", name);
	else if (archive_write_set_format_pax_restricted(tarball.archive) != ARCHIVE_OK ||
	    (gzip && (archive_write_add_filter_gzip(tarball.archive) != ARCHIVE_OK ||
	        archive_write_set_filter_option(tarball.archive, "gzip", "timestamp", NULL) != ARCHIVE_OK)) ||
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
