/* SPDX-License-Identifier: Apache-2.0
 *
 * unarchive [--list]: reads an archive that somebody has made, a tar (also gzip, xz) or a zip, from its standard input, which is a file,
 * and prints what is in it, apart from the program that asks, so that only this one, which is confined as a filter is, has what a hostile
 * archive makes of a reader. For each entry it prints a line, "KIND LENGTH NAME-LENGTH" and a line's end, then the name, then so many
 * bytes, without a separator; with --list no bytes. KIND is f (a file), x (an executable file), d (a folder), o (something else, of which
 * no bytes are printed), s (a file whose length the archive does not say right), and at last e, the end, with no name. Exits with 0; 65
 * where it cannot be read, or is too large: the last line is then "! LENGTH 0", and so many bytes of reason.
 */
#include <archive.h>
#include <archive_entry.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/message.h"
#include "confine/confine.h"
#include "content/entry.h"
#include "resource/tarball.h"

enum { BLOCK = 64 * 1024 };

static bool lists;
static size_t bytes_left = TARBALL_BYTES;

static int
unarchive_refuse(const char *path, const char *reason)
{
	printf("! %zu 0\n%s%s%s", (path ? strlen(path) + 2 : 0) + strlen(reason), path ? path : "", path ? ": " : "", reason);
	return EX_DATAERR;
}

static int
unarchive_fail(struct archive *archive)
{
	const char *text = archive_error_string(archive);

	return unarchive_refuse(NULL, text ? text : "it cannot be read");
}

/* Reads the bytes of a file, how many they are, and keeps them where they are to be printed. Returns an exit code. */
static int
unarchive_read(struct archive *archive, const char *path, struct buffer *content, size_t *length)
{
	la_ssize_t got;

	while ((got = archive_read_data(archive, buffer_room(content, BLOCK), BLOCK)) > 0) {
		if ((size_t)got > bytes_left)
			return unarchive_refuse(path, "there is more in it than the 64 MiB that a script may have");
		bytes_left -= (size_t)got;
		*length += (size_t)got;
		content->length += lists ? 0 : (size_t)got;
	}
	return got < 0 ? unarchive_fail(archive) : 0;
}

static char
unarchive_kind(struct archive_entry *entry, size_t length)
{
	if (!entry_is_plain(entry))
		return 'o';
	if (archive_entry_filetype(entry) == AE_IFDIR)
		return 'd';
	if (archive_entry_size_is_set(entry) && archive_entry_size(entry) != (la_int64_t)length)
		return 's';
	return archive_entry_perm(entry) & 0100 ? 'x' : 'f';
}

static int
unarchive_entry(struct archive *archive, struct archive_entry *entry)
{
	const char *path = archive_entry_pathname(entry);
	bool is_file = entry_is_plain(entry) && archive_entry_filetype(entry) == AE_IFREG;
	struct buffer content = {0};
	size_t length = 0;
	int code = 0;

	if (!path)
		path = archive_entry_pathname_utf8(entry);
	if (!path || strlen(path) > TARBALL_NAME)
		return unarchive_refuse(NULL, "a name leads out of the archive, or is too long");
	if (is_file)
		code = unarchive_read(archive, path, &content, &length);
	if (code == 0) {
		printf("%c %zu %zu\n%s", unarchive_kind(entry, length), content.length, strlen(path), path);
		fwrite(buffer_string(&content), 1, content.length, stdout);
	}
	buffer_release(&content);
	return code;
}

static int
unarchive_all(struct archive *archive)
{
	struct archive_entry *entry;
	int got, code = 0;

	archive_read_support_format_tar(archive);
	archive_read_support_format_zip(archive);
	archive_read_support_filter_gzip(archive);
	archive_read_support_filter_xz(archive);
	if (archive_read_open_fd(archive, STDIN_FILENO, BLOCK) != ARCHIVE_OK)
		return unarchive_fail(archive);
	for (int entries = 0; code == 0 && (got = archive_read_next_header(archive, &entry)) != ARCHIVE_EOF;) {
		if (got < ARCHIVE_WARN)
			code = unarchive_fail(archive);
		else if (++entries > TARBALL_ENTRIES)
			code = unarchive_refuse(NULL, "it has more than 10000 entries");
		else
			code = unarchive_entry(archive, entry);
	}
	if (code == 0)
		printf("e 0 0\n");
	return code;
}

int
main(int argc, char **argv)
{
	struct archive *archive;
	int code;

	message_program("unarchive");
	lists = argc > 1 && strcmp(argv[1], "--list") == 0;
	confine_filter(NULL, 0);
	confine_bounds(TARBALL_MEMORY, TARBALL_SECONDS);

	archive = archive_read_new();
	code = archive ? unarchive_all(archive) : unarchive_refuse(NULL, "not enough memory to read it");
	if (archive)
		archive_read_free(archive);
	return message_end(code);
}
