/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/image/extract.h"

#include <archive.h>
#include <archive_entry.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "content/entry.h"

enum { BLOCK = 256 * 1024, ID_MAX = 65535 };

#define WHITEOUT ".wh."
#define OPAQUE ".wh..wh..opq"

struct extract {
	struct archive *archive;
	const char *name;
	bool layer;
	int root;
	struct extract_room *room;
	struct error *err;
};

struct spot { /* of an entry: the folder that it is in, open, and its name there */
	int folder;
	const char *base;
};

static int
extract_refuse(const struct extract *extract, const char *path, const char *what)
{
	return error_set(extract->err, EX_DATAERR, "%s: %s%s%s", extract->name, path ? path : "", path ? ": " : "", what);
}

static int
extract_fail(const struct extract *extract)
{
	const char *text = archive_error_string(extract->archive);

	return extract_refuse(extract, NULL, text ? text : "it cannot be read");
}

static int
extract_fail_at(const struct extract *extract, const char *path)
{
	return error_errno(extract->err, EX_CANTCREAT, "%s: %s", extract->name, path);
}

/* Opens a folder of the image; links on the way lead where they would if the image were the root directory. -1 with errno. */
static int
extract_open(const struct extract *extract, const char *path)
{
	struct open_how how = {.flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC,
	    .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV};

	return (int)syscall(SYS_openat2, extract->root, *path ? path : ".", &how, sizeof how);
}

/* Opens a folder of the image, which is made if it does not exist, with those above it: not all archives have entries for them. */
static int
extract_open_made(const struct extract *extract, const char *path)
{
	int fd = extract_open(extract, path), above;
	const char *slash = strrchr(path, '/');
	char *parent;

	if (fd >= 0 || errno != ENOENT || !*path)
		return fd;
	parent = memory_substring(path, slash ? (size_t)(slash - path) : 0);
	above = extract_open_made(extract, parent);
	free(parent);
	if (above >= 0) {
		int made = mkdirat(above, slash ? slash + 1 : path, 0755);

		close(above);
		if (made == 0)
			fd = extract_open(extract, path);
	}
	return fd;
}

/* Returns a name of an entry; the first form of it is NULL where the locale has no such letters. */
static const char *
extract_either(const char *name, const char *utf8)
{
	return name ? name : utf8;
}

static const char *
extract_hard_name(struct archive_entry *entry)
{
	return extract_either(archive_entry_hardlink(entry), archive_entry_hardlink_utf8(entry));
}

/* Returns an entry's name without what changes nothing: "./" before it and a "/" behind it; "" for the top itself. NULL, with a reason,
 * if it leads out. The caller frees it. */
static char *
extract_path(const struct extract *extract, const char *name)
{
	size_t length;
	char *path;

	while (name && strncmp(name, "./", 2) == 0)
		name += 2;
	if (!name || (*name && strcmp(name, ".") != 0 && !entry_is_inside(name))) {
		extract_refuse(extract, name, "its name leads out of the archive, or is too long");
		return NULL;
	}
	path = memory_string(strcmp(name, ".") == 0 ? "" : name);
	length = strlen(path);
	if (length && path[length - 1] == '/')
		path[length - 1] = '\0';
	return path;
}

static int
extract_find(const struct extract *extract, const char *path, int (*open_folder)(const struct extract *, const char *), struct spot *spot)
{
	const char *slash = strrchr(path, '/');
	char *parent = memory_substring(path, slash ? (size_t)(slash - path) : 0);

	spot->base = slash ? slash + 1 : path;
	spot->folder = open_folder(extract, parent);
	free(parent);
	return spot->folder < 0 ? -1 : 0;
}

/* Removes all that is in a folder. */
static int
extract_clear(int folder, struct error *err)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), result = 0;
	DIR *entries = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	while (result == 0 && entries && (entry = readdir(entries)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			result = file_remove_tree(folder, entry->d_name, err);
	if (entries)
		closedir(entries);
	return result;
}

static bool
extract_is_whiteout(const struct extract *extract, const char *path)
{
	return extract->layer && strncmp(file_base_name(path), WHITEOUT, strlen(WHITEOUT)) == 0;
}

/* Removes what a whiteout names. A layer's whiteouts are for the layers before it: all are carried out before the layer is unpacked. */
static int
extract_whiteout(const struct extract *extract, struct archive_entry *entry, const char *path)
{
	const char *name = file_base_name(path) + strlen(WHITEOUT);
	struct spot spot;
	int result = 0;

	(void)entry;
	if (!extract_is_whiteout(extract, path))
		return 0;
	if (strcmp(file_base_name(path), OPAQUE) != 0 && !entry_is_inside(name))
		return extract_refuse(extract, path, "it removes no file");
	if (extract_find(extract, path, extract_open, &spot) < 0)
		return 0; /* there is no such folder */
	if (strcmp(spot.base, OPAQUE) == 0)
		result = extract_clear(spot.folder, extract->err);
	else if (strncmp(name, WHITEOUT, strlen(WHITEOUT)) != 0)
		result = file_remove_tree(spot.folder, name, extract->err);
	close(spot.folder);
	return result;
}

/* Gives what is open its owner, its mode, and what it may do as a program. */
static int
extract_finish(const struct extract *extract, struct archive_entry *entry, int fd)
{
	const char *name;
	const void *value;
	size_t size;

	if (fchown(fd, extract->room->first + (uid_t)archive_entry_uid(entry),
	    extract->room->first + (gid_t)archive_entry_gid(entry)) < 0 ||
	    fchmod(fd, archive_entry_perm(entry) & 07777) < 0)
		return -1;
	archive_entry_xattr_reset(entry);
	while (archive_entry_xattr_next(entry, &name, &value, &size) == ARCHIVE_OK)
		if (strcmp(name, "security.capability") == 0 && fsetxattr(fd, name, value, size, 0) < 0 && errno != EOPNOTSUPP)
			return -1;
	return 0;
}

/* Makes the folder, or takes the one that is there. */
static int
extract_folder(const struct extract *extract, struct archive_entry *entry, const char *path, const struct spot *spot)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(spot->folder, *spot->base ? spot->base : ".", flags), result = -1;

	if (fd < 0) {
		if (file_remove_tree(spot->folder, spot->base, extract->err) < 0)
			return -1;
		if (mkdirat(spot->folder, spot->base, 0700) == 0)
			fd = openat(spot->folder, spot->base, flags);
	}
	if (fd >= 0)
		result = extract_finish(extract, entry, fd);
	if (result < 0)
		extract_fail_at(extract, path);
	if (fd >= 0)
		close(fd);
	return result;
}

/* Writes the bytes of a file of that size; what the archive has not of it is a hole. */
static int
extract_bytes(const struct extract *extract, const char *path, int64_t size, int fd)
{
	const void *bytes;
	size_t length;
	la_int64_t at;
	int got;

	while ((got = archive_read_data_block(extract->archive, &bytes, &length, &at)) == ARCHIVE_OK) {
		if (at < 0 || at > size || (int64_t)length > size - at)
			return extract_refuse(extract, path, "it is longer than it says");
		for (size_t done = 0; done < length;) {
			ssize_t n = pwrite(fd, (const char *)bytes + done, length - done, (off_t)at + (off_t)done);

			if (n < 0 && errno != EINTR)
				return extract_fail_at(extract, path);
			done += n > 0 ? (size_t)n : 0;
		}
	}
	if (got != ARCHIVE_EOF)
		return extract_fail(extract);
	return ftruncate(fd, size) < 0 ? extract_fail_at(extract, path) : 0;
}

static int
extract_file(const struct extract *extract, struct archive_entry *entry, const char *path, const struct spot *spot)
{
	const struct timespec times[] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = archive_entry_mtime(entry)}};
	int fd, result;

	if (file_remove_tree(spot->folder, spot->base, extract->err) < 0)
		return -1;
	fd = openat(spot->folder, spot->base, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return extract_fail_at(extract, path);
	result = extract_bytes(extract, path, archive_entry_size(entry), fd);
	if (result == 0 && (extract_finish(extract, entry, fd) < 0 || futimens(fd, times) < 0))
		result = extract_fail_at(extract, path);
	if (close(fd) < 0 && result == 0)
		result = extract_fail_at(extract, path);
	return result;
}

static int
extract_symbolic_link(const struct extract *extract, struct archive_entry *entry, const char *path, const struct spot *spot)
{
	const char *text = extract_either(archive_entry_symlink(entry), archive_entry_symlink_utf8(entry));

	if (!text || !*text)
		return extract_refuse(extract, path, "a link to nothing");
	if (file_remove_tree(spot->folder, spot->base, extract->err) < 0)
		return -1;
	if (symlinkat(text, spot->folder, spot->base) < 0 ||
	    fchownat(spot->folder, spot->base, extract->room->first + (uid_t)archive_entry_uid(entry),
	    extract->room->first + (gid_t)archive_entry_gid(entry), AT_SYMLINK_NOFOLLOW) < 0)
		return extract_fail_at(extract, path);
	return 0;
}

static bool
extract_are_same(const struct spot *one, const struct spot *other)
{
	struct stat a, b;

	return fstatat(one->folder, one->base, &a, AT_SYMLINK_NOFOLLOW) == 0 && fstatat(other->folder, other->base, &b, AT_SYMLINK_NOFOLLOW) == 0 &&
	    a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

/* Makes a further name of a file of the image. */
static int
extract_hard_link(const struct extract *extract, struct archive_entry *entry, const char *path, const struct spot *spot)
{
	char *target = extract_path(extract, extract_hard_name(entry));
	struct spot found;
	int result = 0;

	if (!target)
		return -1;
	if (extract_find(extract, target, extract_open, &found) < 0) {
		free(target);
		return extract_refuse(extract, path, "a further name of what is not there");
	}
	if (!extract_are_same(&found, spot)) {
		result = file_remove_tree(spot->folder, spot->base, extract->err);
		if (result == 0 && linkat(found.folder, found.base, spot->folder, spot->base, 0) < 0)
			result = extract_fail_at(extract, path);
	}
	close(found.folder);
	free(target);
	return result;
}

/* Unpacks an entry. */
static int
extract_entry(const struct extract *extract, struct archive_entry *entry, const char *path)
{
	const mode_t type = archive_entry_filetype(entry);
	const char *hard = extract_hard_name(entry);
	struct spot spot;
	int result = 0;

	if (extract_is_whiteout(extract, path) || (!*path && type != AE_IFDIR))
		return 0;
	if (archive_entry_uid(entry) < 0 || archive_entry_uid(entry) > ID_MAX || archive_entry_gid(entry) < 0 || archive_entry_gid(entry) > ID_MAX)
		return extract_refuse(extract, path, "its owner is none of the users 0 to 65535 that a machine has");
	if (extract_find(extract, path, extract_open_made, &spot) < 0)
		return extract_fail_at(extract, path);
	if (hard)
		result = extract_hard_link(extract, entry, path, &spot);
	else if (type == AE_IFDIR)
		result = extract_folder(extract, entry, path, &spot);
	else if (type == AE_IFREG)
		result = extract_file(extract, entry, path, &spot);
	else if (type == AE_IFLNK)
		result = extract_symbolic_link(extract, entry, path, &spot);
	close(spot.folder);
	return result;
}

/* Reads the archive from its beginning, and has each entry done. */
static int
extract_each(struct extract *extract, int tar, int (*act)(const struct extract *, struct archive_entry *, const char *))
{
	struct extract_room room = *extract->room;
	struct archive_entry *entry;
	int result = 0, got;

	extract->archive = archive_read_new();
	if (!extract->archive || lseek(tar, 0, SEEK_SET) < 0)
		return error_errno(extract->err, EX_OSERR, "%s: cannot be read", extract->name);
	archive_read_support_format_tar(extract->archive);
	/* Of the others, some are programs that would be started. */
	archive_read_support_filter_bzip2(extract->archive);
	archive_read_support_filter_gzip(extract->archive);
	archive_read_support_filter_xz(extract->archive);
	archive_read_support_filter_zstd(extract->archive);
	if (archive_read_open_fd(extract->archive, tar, BLOCK) != ARCHIVE_OK)
		result = extract_fail(extract);
	while (result == 0 && (got = archive_read_next_header(extract->archive, &entry)) != ARCHIVE_EOF) {
		int64_t size = extract_hard_name(entry) ? 0 : archive_entry_size(entry);
		char *path = got < ARCHIVE_WARN ? NULL : extract_path(extract, extract_either(archive_entry_pathname(entry), archive_entry_pathname_utf8(entry)));

		if (got < ARCHIVE_WARN)
			result = extract_fail(extract);
		else if (!path)
			result = -1;
		else if (size < 0 || size > room.bytes || --room.entries < 0)
			result = extract_refuse(extract, path, "there is more in it than the 16 GiB and 1000000 files that an image may have");
		else {
			room.bytes -= size;
			result = act(extract, entry, path);
		}
		free(path);
	}
	archive_read_free(extract->archive);
	if (act == extract_entry)
		*extract->room = room;
	return result;
}

int
extract_tar(int tar, const char *name, bool layer, int root, struct extract_room *room, struct error *err)
{
	struct extract extract = {NULL, name, layer, root, room, err};

	if (layer && extract_each(&extract, tar, extract_whiteout) < 0)
		return -1;
	return extract_each(&extract, tar, extract_entry);
}
