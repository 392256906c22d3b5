/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "sandbox/hostfiles.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

enum { SIZE_MAX_COPIED = 8 * 1024 * 1024, DEPTH_MAX = 12, FOLDERS_DEPTH = 4,
	SHADOW_LIMIT = 4 * 1024 * 1024 };

const char *const hostfiles_shown[] = {"usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "var/lib/dpkg", "var/lib/apt", NULL};

/* Empty in a machine, or filled there. */
static const char *const empty[] = {"boot", "dev", "home", "media", "mnt", "opt", "proc", "root", "run", "srv", "sys", "tmp"};

/* In /etc: what says which host it is or who may do what there, and what a machine has of its own. */
static const char *const left_out[] = {"etc/.pwd.lock", "etc/coopr", "etc/crypttab", "etc/cron.d", "etc/crontab", "etc/fstab", "etc/group-",
	"etc/gshadow", "etc/gshadow-", "etc/hostname", "etc/hosts", "etc/machine-id", "etc/passwd-", "etc/resolv.conf",
	"etc/shadow", "etc/shadow-", "etc/ssh", "etc/ssl/private", "etc/subgid", "etc/subuid", "etc/sudoers", "etc/sudoers.d",
	"etc/systemd/network", "etc/udev/hwdb.bin", "etc/NetworkManager", "etc/netplan", "etc/network", "etc/wireguard"};

/* In /var: what maintainer scripts know of the configuration of packages. */
static const char *const states[] = {"var/lib/apache2", "var/lib/dictionaries-common", "var/lib/emacsen-common", "var/lib/locales",
	"var/lib/pam", "var/lib/php/modules", "var/lib/python", "var/lib/sgml-base", "var/lib/shells.state",
	"var/lib/systemd/deb-systemd-helper-enabled", "var/lib/systemd/deb-user-systemd-helper-enabled", "var/lib/ucf",
	"var/lib/xml-core"};

struct copy {
	int from, to;   /* the host's root, and that of the copy */
	bool files;     /* not only folders */
	int depth;      /* of folders that are gone into */
	bool shown;     /* also what is otherwise shown as it is */
};

static bool
hostfiles_copy_is_one_of(const char *path, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(path, list[i]) == 0)
			return true;
	return false;
}

static bool
hostfiles_copy_is_shown(const char *path)
{
	size_t count = 0;

	while (hostfiles_shown[count])
		count++;
	return hostfiles_copy_is_one_of(path, hostfiles_shown, count);
}

static int
hostfiles_copy_finish(const struct copy *copy, const char *path, const struct stat *st, struct error *err)
{
	if (fchownat(copy->to, path, st->st_uid, st->st_gid, AT_SYMLINK_NOFOLLOW) < 0 ||
	    (!S_ISLNK(st->st_mode) && fchmodat(copy->to, path, st->st_mode & 07777, 0) < 0))
		return error_errno(err, EX_CANTCREAT, "host/%s", path);
	return 0;
}

static int
hostfiles_copy_link(const struct copy *copy, const char *path, const struct stat *st, struct error *err)
{
	char text[4096];
	ssize_t n = readlinkat(copy->from, path, text, sizeof text - 1);

	if (n < 0)
		return 0; /* it has gone */
	text[n] = '\0';
	if (symlinkat(text, copy->to, path) < 0)
		return error_errno(err, EX_CANTCREAT, "host/%s", path);
	return hostfiles_copy_finish(copy, path, st, err);
}

static int
hostfiles_copy_file(const struct copy *copy, const char *path, struct error *err)
{
	int from = openat(copy->from, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), to, result = 0;
	struct buffer text = {0};
	struct stat st;

	if (from < 0)
		return 0;
	/* What is looked at is what is copied. */
	if (fstat(from, &st) < 0 || !S_ISREG(st.st_mode) || (st.st_mode & S_IROTH) == 0 || st.st_size > SIZE_MAX_COPIED) {
		close(from);
		return 0;
	}
	result = file_read_fd(from, path, SIZE_MAX_COPIED, &text, err);
	to = openat(copy->to, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (result == 0 && (to < 0 || file_write_all(to, buffer_string(&text), text.length) < 0))
		result = error_errno(err, EX_CANTCREAT, "host/%s", path);
	if (result == 0)
		result = hostfiles_copy_finish(copy, path, &st, err);
	if (to >= 0)
		close(to);
	close(from);
	buffer_release(&text);
	return result;
}

static int hostfiles_copy_folder(const struct copy *copy, const char *path, int depth, struct error *err);

static int
hostfiles_copy_entry(const struct copy *copy, const char *path, int depth, struct error *err)
{
	struct stat st;

	if (fstatat(copy->from, path, &st, AT_SYMLINK_NOFOLLOW) < 0 || hostfiles_copy_is_one_of(path, left_out, LENGTH(left_out)))
		return 0;
	if (S_ISDIR(st.st_mode))
		return hostfiles_copy_folder(copy, path, depth, err);
	if (S_ISLNK(st.st_mode))
		return copy->files || depth == 1 ? hostfiles_copy_link(copy, path, &st, err) : 0;
	return copy->files && S_ISREG(st.st_mode) ? hostfiles_copy_file(copy, path, err) : 0;
}

/* Copies a folder, and what is in it if everybody may look there. */
static int
hostfiles_copy_folder(const struct copy *copy, const char *path, int depth, struct error *err)
{
	int fd = openat(copy->from, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), result = 0;
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	struct stat st;

	if (!folder || fstat(fd, &st) < 0) {
		if (folder)
			closedir(folder);
		return 0;
	}
	if (mkdirat(copy->to, path, 0700) < 0 && errno != EEXIST)
		result = error_errno(err, EX_CANTCREAT, "host/%s", path);
	if (result == 0)
		result = hostfiles_copy_finish(copy, path, &st, err);
	while (result == 0 && depth < copy->depth && (st.st_mode & 05) == 05 &&
	    (copy->shown || !hostfiles_copy_is_shown(path)) &&
	    (entry = readdir(folder))) {
		char *below;

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		below = memory_printf("%s/%s", path, entry->d_name);
		result = hostfiles_copy_entry(copy, below, depth + 1, err);
		free(below);
	}
	closedir(folder);
	return result;
}

/* Copies what is at the top: folders are empty, links are as they are (bin is one, of usr/bin). */
static int
hostfiles_copy_top(int from, int to, struct error *err)
{
	const struct copy top = {from, to, false, 0, false};

	for (size_t i = 0; i < LENGTH(empty); i++)
		if ((mkdirat(to, empty[i], 0755) < 0 && errno != EEXIST))
			return error_errno(err, EX_CANTCREAT, "host/%s", empty[i]);
	for (size_t i = 0; hostfiles_shown[i]; i++)
		if (!strchr(hostfiles_shown[i], '/') && hostfiles_copy_entry(&top, hostfiles_shown[i], 1, err) < 0)
			return -1;
	return fchmodat(to, "tmp", 01777, 0) < 0 || fchmodat(to, "root", 0700, 0) < 0
	    ? error_errno(err, EX_CANTCREAT, "host") : 0;
}

static int
hostfiles_copy_states(int from, int to, struct error *err)
{
	const struct copy files = {from, to, true, DEPTH_MAX, false};

	for (size_t i = 0; i < LENGTH(states); i++) {
		char *above = memory_substring(states[i], (size_t)(strrchr(states[i], '/') - states[i]));
		bool there = file_exists(to, above);

		free(above);
		if (there && hostfiles_copy_entry(&files, states[i], 1, err) < 0)
			return -1;
	}
	return 0;
}

/* Writes a shadow(5) or gshadow(5) in which nobody has a password, for the names of the file from. A "*" does not lock an account,
 * which would keep sshd from accepting a key. */
static int
hostfiles_copy_shadow(int root, const char *from, const char *to, const char *rest, struct error *err)
{
	struct buffer names = {0}, text = {0};
	struct stat st = {.st_gid = 0};
	char *host = memory_printf("/%s", to);
	int result = file_read(root, from, SHADOW_LIMIT, &names, err), fd;

	for (const char *line = buffer_string(&names); result == 0 && *line; line += strcspn(line, "\n"), line += *line == '\n')
		buffer_printf(&text, "%.*s:*%s\n", (int)strcspn(line, ":\n"), line, rest);
	if (result == 0) {
		fd = openat(root, to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
		if (stat(host, &st) < 0)
			st.st_gid = 0;
		if (fd < 0 || fchown(fd, 0, st.st_gid) < 0 || file_write_all(fd, buffer_string(&text), text.length) < 0)
			result = error_errno(err, EX_CANTCREAT, "host/%s", to);
		if (fd >= 0)
			close(fd);
	}
	free(host);
	buffer_release(&names);
	buffer_release(&text);
	return result;
}

/* Makes the folders above path in the layer as they are in the host. */
static int
mask_make_above(const struct copy *layer, const char *path, struct error *err)
{
	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		char *above = memory_substring(path, (size_t)(slash - path));
		struct stat st;
		int result = 0;

		if (mkdirat(layer->to, above, 0700) == 0)
			result = fstatat(layer->from, above, &st, 0) < 0 ? 0 : hostfiles_copy_finish(layer, above, &st, err);
		else if (errno != EEXIST)
			result = error_errno(err, EX_CANTCREAT, "host/%s", above);
		free(above);
		if (result < 0)
			return -1;
	}
	return 0;
}

/* Hides what not everybody may read in the folder: overlay takes such a device for a removed file. */
static int
mask_folder(const struct copy *layer, const char *path, struct error *err)
{
	int fd = openat(layer->from, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), result = 0;
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	while (result == 0 && folder && (entry = readdir(folder))) {
		char *below = memory_printf("%s/%s", path, entry->d_name);
		struct stat st;

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
		    fstatat(fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 || S_ISLNK(st.st_mode))
			;
		else if ((st.st_mode & S_IROTH) == 0 || (S_ISDIR(st.st_mode) && (st.st_mode & S_IXOTH) == 0))
			result = mask_make_above(layer, below, err) < 0 || mknodat(layer->to, below, S_IFCHR, makedev(0, 0)) < 0
			    ? error_errno(err, EX_CANTCREAT, "host/%s", below) : 0;
		else if (S_ISDIR(st.st_mode))
			result = mask_folder(layer, below, err);
		free(below);
	}
	if (folder)
		closedir(folder);
	return result;
}

/* Makes the folders of /usr in the layer over it: a machine whose root is not the host's may put files only where the layer has the
 * folder. Those that not everybody may enter are left as they are. */
static int
hostfiles_copy_folders(int from, int to, struct error *err)
{
	DIR *folder = fdopendir(dup(from));
	struct dirent *entry;
	int result = 0;

	while (result == 0 && folder && (entry = readdir(folder))) {
		int below, made = -1;
		struct stat st;

		if (entry->d_name[0] == '.' && strspn(entry->d_name, ".") == strlen(entry->d_name))
			continue;
		below = openat(from, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (below >= 0 && fstat(below, &st) == 0 && (st.st_mode & 05) == 05) {
			if ((mkdirat(to, entry->d_name, 0755) < 0 && errno != EEXIST) || fchmodat(to, entry->d_name, st.st_mode & 07777, 0) < 0 ||
			    (made = openat(to, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) < 0)
				result = error_errno(err, EX_CANTCREAT, "host/usr/.../%s", entry->d_name);
			else
				result = hostfiles_copy_folders(below, made, err);
		}
		if (made >= 0)
			close(made);
		if (below >= 0)
			close(below);
	}
	if (folder)
		closedir(folder);
	return result;
}

/* Makes the layer over /usr, with its folders if it is for an owner. */
static int
hostfiles_copy_mask(int dir, int from, uid_t owner, struct error *err)
{
	struct copy layer = {.from = -1, .to = -1};
	int result = 0;

	if (mkdirat(dir, "usr", 0755) < 0)
		return error_errno(err, EX_CANTCREAT, "host/usr");
	layer.from = openat(from, "usr", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	layer.to = openat(dir, "usr", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (layer.from >= 0 && layer.to >= 0 && owner)
		result = hostfiles_copy_folders(layer.from, layer.to, err);
	if (result == 0 && layer.from >= 0 && layer.to >= 0)
		result = mask_folder(&layer, "local", err);
	if (layer.from >= 0)
		close(layer.from);
	if (layer.to >= 0)
		close(layer.to);
	if (result == 0)
		unlinkat(dir, "usr", AT_REMOVEDIR); /* if it is empty */
	return result;
}

/* Copies what says which packages there are, where it cannot be shown as the machine's own. */
static int
hostfiles_copy_packages(int from, int to, struct error *err)
{
	const struct copy files = {from, to, true, DEPTH_MAX, true}, folders = {from, to, false, FOLDERS_DEPTH, true};

	if (file_exists(from, "var/lib/dpkg") && hostfiles_copy_folder(&files, "var/lib/dpkg", 0, err) < 0)
		return -1;
	return file_exists(from, "var/lib/apt") ? hostfiles_copy_folder(&folders, "var/lib/apt", 0, err) : 0;
}

static int
hostfiles_copy_all(int from, int to, struct error *err)
{
	const struct copy files = {from, to, true, DEPTH_MAX, false}, folders = {from, to, false, FOLDERS_DEPTH, false};

	if (fchmod(to, 0755) < 0)
		return error_errno(err, EX_CANTCREAT, "host");
	if (hostfiles_copy_top(from, to, err) < 0 || hostfiles_copy_folder(&files, "etc", 0, err) < 0 ||
	    hostfiles_copy_folder(&folders, "var", 0, err) < 0 || hostfiles_copy_states(from, to, err) < 0)
		return -1;
	if (mkdirat(to, "etc/ssh", 0755) < 0)
		return error_errno(err, EX_CANTCREAT, "host/etc/ssh");
	return hostfiles_copy_shadow(to, "etc/passwd", "etc/shadow", ":19700:0:99999:7:::", err) < 0 ||
	    hostfiles_copy_shadow(to, "etc/group", "etc/gshadow", "::", err) < 0 ? -1 : 0;
}

int
hostfiles_copy(int dir, uid_t owner, struct error *err)
{
	int from = file_open(AT_FDCWD, "/", O_RDONLY | O_DIRECTORY, 0, err), to = -1, result = -1;

	if (from < 0 || file_make_dirs(dir, "root", 0755, err) < 0)
		goto end;
	to = file_open(dir, "root", O_RDONLY | O_DIRECTORY, 0, err);
	if (to >= 0 && hostfiles_copy_all(from, to, err) == 0 && (!owner || hostfiles_copy_packages(from, to, err) == 0))
		result = hostfiles_copy_mask(dir, from, owner, err);
	if (result == 0 && owner && (hostfiles_give(dir, "root", owner, err) < 0 || hostfiles_give(dir, "usr", owner, err) < 0))
		result = -1;
end:
	if (to >= 0)
		close(to);
	if (from >= 0)
		close(from);
	return result;
}
