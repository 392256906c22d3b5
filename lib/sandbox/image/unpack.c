/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/image/unpack.h"

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

struct unpack {
	struct archive *archive;
	const char *name;
	bool layer;
	int root;
	struct unpack_room *room;
	struct error *err;
};

struct spot { /* of an entry: the folder that it is in, open, and its name there */
	int folder;
	const char *base;
};

static int
unpack_refuse(const struct unpack *unpack, const char *path, const char *what)
{
	return error_set(unpack->err, EX_DATAERR, "%s: %s%s%s", unpack->name, path ? path : "", path ? ": " : "", what);
}

static int
unpack_fail(const struct unpack *unpack)
{
	const char *text = archive_error_string(unpack->archive);

	return unpack_refuse(unpack, NULL, text ? text : "it cannot be read");
}

static int
unpack_fail_at(const struct unpack *unpack, const char *path)
{
	return error_errno(unpack->err, EX_CANTCREAT, "%s: %s", unpack->name, path);
}

/* Opens a folder of the image; links on the way lead where they would if the image were the root directory. -1 with errno. */
static int
unpack_open(const struct unpack *unpack, const char *path)
{
	struct open_how how = {.flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC,
	    .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV};

	return (int)syscall(SYS_openat2, unpack->root, *path ? path : ".", &how, sizeof how);
}

/* Opens a folder of the image, which is made if it does not exist, with those above it: not all archives have entries for them. */
static int
unpack_open_made(const struct unpack *unpack, const char *path)
{
	int fd = unpack_open(unpack, path), above;
	const char *slash = strrchr(path, '/');
	char *parent;

	if (fd >= 0 || errno != ENOENT || !*path)
		return fd;
	parent = memory_substring(path, slash ? (size_t)(slash - path) : 0);
	above = unpack_open_made(unpack, parent);
	free(parent);
	if (above >= 0) {
		int made = mkdirat(above, slash ? slash + 1 : path, 0755);

		close(above);
		if (made == 0)
			fd = unpack_open(unpack, path);
	}
	return fd;
}

/* Returns a name of an entry; the first form of it is NULL where the locale has no such letters. */
static const char *
unpack_either(const char *name, const char *utf8)
{
	return name ? name : utf8;
}

static const char *
unpack_hard_name(struct archive_entry *entry)
{
	return unpack_either(archive_entry_hardlink(entry), archive_entry_hardlink_utf8(entry));
}

/* Returns an entry's name without what changes nothing: "./" before it and a "/" behind it; "" for the top itself. NULL, with a reason,
 * if it leads out. The caller frees it. */
static char *
unpack_path(const struct unpack *unpack, const char *name)
{
	size_t length;
	char *path;

	while (name && strncmp(name, "./", 2) == 0)
		name += 2;
	if (!name || (*name && strcmp(name, ".") != 0 && !entry_is_inside(name))) {
		unpack_refuse(unpack, name, "its name leads out of the archive, or is too long");
		return NULL;
	}
	path = memory_string(strcmp(name, ".") == 0 ? "" : name);
	length = strlen(path);
	if (length && path[length - 1] == '/')
		path[length - 1] = '\0';
	return path;
}

static int
unpack_find(const struct unpack *unpack, const char *path, int (*open_folder)(const struct unpack *, const char *), struct spot *spot)
{
	const char *slash = strrchr(path, '/');
	char *parent = memory_substring(path, slash ? (size_t)(slash - path) : 0);

	spot->base = slash ? slash + 1 : path;
	spot->folder = open_folder(unpack, parent);
	free(parent);
	return spot->folder < 0 ? -1 : 0;
}

/* Removes all that is in a folder. */
static int
unpack_clear(int folder, struct error *err)
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
unpack_is_whiteout(const struct unpack *unpack, const char *path)
{
	return unpack->layer && strncmp(file_base_name(path), WHITEOUT, strlen(WHITEOUT)) == 0;
}

/* Removes what a whiteout names. A layer's whiteouts are for the layers before it: all are carried out before the layer is unpacked. */
static int
unpack_whiteout(const struct unpack *unpack, struct archive_entry *entry, const char *path)
{
	const char *name = file_base_name(path) + strlen(WHITEOUT);
	struct spot spot;
	int result = 0;

	(void)entry;
	if (!unpack_is_whiteout(unpack, path))
		return 0;
	if (strcmp(file_base_name(path), OPAQUE) != 0 && !entry_is_inside(name))
		return unpack_refuse(unpack, path, "it removes no file");
	if (unpack_find(unpack, path, unpack_open, &spot) < 0)
		return 0; /* there is no such folder */
	if (strcmp(spot.base, OPAQUE) == 0)
		result = unpack_clear(spot.folder, unpack->err);
	else if (strncmp(name, WHITEOUT, strlen(WHITEOUT)) != 0)
		result = file_remove_tree(spot.folder, name, unpack->err);
	close(spot.folder);
	return result;
}

/* Gives what is open its owner, its mode, and what it may do as a program. */
static int
unpack_finish(const struct unpack *unpack, struct archive_entry *entry, int fd)
{
	const char *name;
	const void *value;
	size_t size;

	if (fchown(fd, unpack->room->first + (uid_t)archive_entry_uid(entry),
	    unpack->room->first + (gid_t)archive_entry_gid(entry)) < 0 ||
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
unpack_folder(const struct unpack *unpack, struct archive_entry *entry, const char *path, const struct spot *spot)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(spot->folder, *spot->base ? spot->base : ".", flags), result = -1;

	if (fd < 0) {
		if (file_remove_tree(spot->folder, spot->base, unpack->err) < 0)
			return -1;
		if (mkdirat(spot->folder, spot->base, 0700) == 0)
			fd = openat(spot->folder, spot->base, flags);
	}
	if (fd >= 0)
		result = unpack_finish(unpack, entry, fd);
	if (result < 0)
		unpack_fail_at(unpack, path);
	if (fd >= 0)
		close(fd);
	return result;
}

/* Writes the bytes of a file of that size; what the archive has not of it is a hole. */
static int
unpack_bytes(const struct unpack *unpack, const char *path, int64_t size, int fd)
{
	const void *bytes;
	size_t length;
	la_int64_t at;
	int got;

	while ((got = archive_read_data_block(unpack->archive, &bytes, &length, &at)) == ARCHIVE_OK) {
		if (at < 0 || at > size || (int64_t)length > size - at)
			return unpack_refuse(unpack, path, "it is longer than it says");
		for (size_t done = 0; done < length;) {
			ssize_t n = pwrite(fd, (const char *)bytes + done, length - done, (off_t)at + (off_t)done);

			if (n < 0 && errno != EINTR)
				return unpack_fail_at(unpack, path);
			done += n > 0 ? (size_t)n : 0;
		}
	}
	if (got != ARCHIVE_EOF)
		return unpack_fail(unpack);
	return ftruncate(fd, size) < 0 ? unpack_fail_at(unpack, path) : 0;
}

static int
unpack_file(const struct unpack *unpack, struct archive_entry *entry, const char *path, const struct spot *spot)
{
	const struct timespec times[] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = archive_entry_mtime(entry)}};
	int fd, result;

	if (file_remove_tree(spot->folder, spot->base, unpack->err) < 0)
		return -1;
	fd = openat(spot->folder, spot->base, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return unpack_fail_at(unpack, path);
	result = unpack_bytes(unpack, path, archive_entry_size(entry), fd);
	if (result == 0 && (unpack_finish(unpack, entry, fd) < 0 || futimens(fd, times) < 0))
		result = unpack_fail_at(unpack, path);
	if (close(fd) < 0 && result == 0)
		result = unpack_fail_at(unpack, path);
	return result;
}

static int
unpack_symbolic_link(const struct unpack *unpack, struct archive_entry *entry, const char *path, const struct spot *spot)
{
	const char *text = unpack_either(archive_entry_symlink(entry), archive_entry_symlink_utf8(entry));

	if (!text || !*text)
		return unpack_refuse(unpack, path, "a link to nothing");
	if (file_remove_tree(spot->folder, spot->base, unpack->err) < 0)
		return -1;
	if (symlinkat(text, spot->folder, spot->base) < 0 ||
	    fchownat(spot->folder, spot->base, unpack->room->first + (uid_t)archive_entry_uid(entry),
	    unpack->room->first + (gid_t)archive_entry_gid(entry), AT_SYMLINK_NOFOLLOW) < 0)
		return unpack_fail_at(unpack, path);
	return 0;
}

static bool
unpack_are_same(const struct spot *one, const struct spot *other)
{
	struct stat a, b;

	return fstatat(one->folder, one->base, &a, AT_SYMLINK_NOFOLLOW) == 0 && fstatat(other->folder, other->base, &b, AT_SYMLINK_NOFOLLOW) == 0 &&
	    a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

/* Makes a further name of a file of the image. */
static int
unpack_hard_link(const struct unpack *unpack, struct archive_entry *entry, const char *path, const struct spot *spot)
{
	char *target = unpack_path(unpack, unpack_hard_name(entry));
	struct spot found;
	int result = 0;

	if (!target)
		return -1;
	if (unpack_find(unpack, target, unpack_open, &found) < 0) {
		free(target);
		return unpack_refuse(unpack, path, "a further name of what is not there");
	}
	if (!unpack_are_same(&found, spot)) {
		result = file_remove_tree(spot->folder, spot->base, unpack->err);
		if (result == 0 && linkat(found.folder, found.base, spot->folder, spot->base, 0) < 0)
			result = unpack_fail_at(unpack, path);
	}
	close(found.folder);
	free(target);
	return result;
}

/* Unpacks an entry. */
static int
unpack_entry(const struct unpack *unpack, struct archive_entry *entry, const char *path)
{
	const mode_t type = archive_entry_filetype(entry);
	const char *hard = unpack_hard_name(entry);
	struct spot spot;
	int result = 0;

	if (unpack_is_whiteout(unpack, path) || (!*path && type != AE_IFDIR))
		return 0;
	if (archive_entry_uid(entry) < 0 || archive_entry_uid(entry) > ID_MAX || archive_entry_gid(entry) < 0 || archive_entry_gid(entry) > ID_MAX)
		return unpack_refuse(unpack, path, "its owner is none of the users 0 to 65535 that a machine has");
	if (unpack_find(unpack, path, unpack_open_made, &spot) < 0)
		return unpack_fail_at(unpack, path);
	if (hard)
		result = unpack_hard_link(unpack, entry, path, &spot);
	else if (type == AE_IFDIR)
		result = unpack_folder(unpack, entry, path, &spot);
	else if (type == AE_IFREG)
		result = unpack_file(unpack, entry, path, &spot);
	else if (type == AE_IFLNK)
		result = unpack_symbolic_link(unpack, entry, path, &spot);
	close(spot.folder);
	return result;
}

/* Reads the archive from its beginning, and has each entry done. */
static int
unpack_each(struct unpack *unpack, int tar, int (*act)(const struct unpack *, struct archive_entry *, const char *))
{
	struct unpack_room room = *unpack->room;
	struct archive_entry *entry;
	int result = 0, got;

	unpack->archive = archive_read_new();
	if (!unpack->archive || lseek(tar, 0, SEEK_SET) < 0)
		return error_errno(unpack->err, EX_OSERR, "%s: cannot be read", unpack->name);
	archive_read_support_format_tar(unpack->archive);
	/* Of the others, some are programs that would be started. */
	archive_read_support_filter_bzip2(unpack->archive);
	archive_read_support_filter_gzip(unpack->archive);
	archive_read_support_filter_xz(unpack->archive);
	archive_read_support_filter_zstd(unpack->archive);
	if (archive_read_open_fd(unpack->archive, tar, BLOCK) != ARCHIVE_OK)
		result = unpack_fail(unpack);
	while (result == 0 && (got = archive_read_next_header(unpack->archive, &entry)) != ARCHIVE_EOF) {
		int64_t size = unpack_hard_name(entry) ? 0 : archive_entry_size(entry);
		char *path = got < ARCHIVE_WARN ? NULL : unpack_path(unpack, unpack_either(archive_entry_pathname(entry), archive_entry_pathname_utf8(entry)));

		if (got < ARCHIVE_WARN)
			result = unpack_fail(unpack);
		else if (!path)
			result = -1;
		else if (size < 0 || size > room.bytes || --room.entries < 0)
			result = unpack_refuse(unpack, path, "there is more in it than the 16 GiB and 1000000 files that an image may have");
		else {
			room.bytes -= size;
			result = act(unpack, entry, path);
		}
		free(path);
	}
	archive_read_free(unpack->archive);
	if (act == unpack_entry)
		*unpack->room = room;
	return result;
}

int
unpack_tar(int tar, const char *name, bool layer, int root, struct unpack_room *room, struct error *err)
{
	struct unpack unpack = {NULL, name, layer, root, room, err};

	if (layer && unpack_each(&unpack, tar, unpack_whiteout) < 0)
		return -1;
	return unpack_each(&unpack, tar, unpack_entry);
}
