/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/root.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "sandbox/disk.h"
#include "sandbox/hostfiles.h"
#include "sandbox/record.h"

void
root_tell(char notice[NOTICE_SIZE], const char *format, ...)
{
	size_t length = strlen(notice);
	va_list ap;

	if (length && length < NOTICE_SIZE - 2)
		length += (size_t)snprintf(notice + length, NOTICE_SIZE - length, "; ");
	va_start(ap, format);
	vsnprintf(notice + length, NOTICE_SIZE - length, format, ap);
	va_end(ap);
}

/* Appends a path as an option of overlay: commas end options, colons end layers. */
static void
root_append_escaped(const char *path, struct buffer *out)
{
	for (; *path; path++) {
		if (strchr("\\,:", *path))
			buffer_byte(out, '\\');
		buffer_byte(out, *path);
	}
}

int
root_give(const struct root *root, const char *path, struct error *err)
{
	if (root->owner && lchown(path, root->owner, root->owner) < 0)
		return error_errno(err, EX_CANTCREAT, "%s: cannot be given to the machine's root", path);
	return 0;
}

enum { LOWERS = 2 };

struct part { /* of the image, with a layer over it */
	char *target, *layer;
	char *lowers[LOWERS]; /* folders of the host, the upper one first; the second may be NULL */
};

static void
root_release_part(struct part *part)
{
	free(part->target);
	free(part->layer);
	for (int i = 0; i < LOWERS; i++)
		free(part->lowers[i]);
}

static int
root_make_layer(const struct root *root, const struct part *part, struct error *err)
{
	static const char *const folders[] = {"upper", "work"};
	int result = file_make_dirs(AT_FDCWD, "root", 0755, err);

	for (size_t i = 0; result == 0 && i < sizeof folders / sizeof *folders; i++) {
		char *path = memory_printf("%s/%s", part->layer, folders[i]);
		struct stat st;

		result = file_make_dirs(AT_FDCWD, path, 0755, err);
		/* The folder that is mounted has the mode of its layer's. */
		if (result == 0 && i == 0 && stat(part->lowers[0], &st) == 0 && chmod(path, st.st_mode & 07777) < 0)
			result = error_errno(err, EX_CANTCREAT, "%s", path);
		if (result == 0 && i == 0)
			result = root_give(root, path, err);
		free(path);
	}
	return result;
}

/* Makes a mount of a folder of the host as the machine's users see it: a file of the host's user N is one of the machine's user N.
 * Returns -1, with errno, where the kernel or the file system cannot. */
static int
root_open_mapped(const struct root *root, const char *path)
{
	struct mount_attr attributes = {.attr_set = MOUNT_ATTR_IDMAP | MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV,
	    .userns_fd = (unsigned)root->user};
	int fd = open_tree(AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC), reason;

	if (fd < 0 || mount_setattr(fd, "", AT_EMPTY_PATH, &attributes, sizeof attributes) == 0)
		return fd;
	reason = errno;
	close(fd);
	errno = reason;
	return -1;
}

/* Mounts a folder of the host at point as the machine's users see it. */
static int
root_mount_lower(const struct machine *machine, const struct root *root, const char *path, const char *point, struct error *err)
{
	int fd = root_open_mapped(root, path), result = -1;

	if (fd < 0)
		return error_set(err, EX_CONFIG, "image %s: this host's kernel or the file system of %s cannot show files to a user "
		    "namespace (%s), so a machine's root would be the host's; \"unconfined\": true in the provisioner of the "
		    "provider \"%s\" allows that", machine->image, path, strerror(errno), machine->provider);
	if (file_make_dirs(AT_FDCWD, point, 0755, err) == 0) {
		result = move_mount(fd, "", AT_FDCWD, point, MOVE_MOUNT_F_EMPTY_PATH);
		if (result < 0)
			error_errno(err, EX_OSERR, "image %s: cannot be mounted", machine->image);
	}
	close(fd);
	return result;
}

/* Mounts the lower folders of a part, and has the options name them. */
static int
root_append_lowers(const struct machine *machine, const struct root *root, const struct part *part, struct buffer *options,
    struct error *err)
{
	static const char *const points[LOWERS] = {"lower/1", "lower/2"};

	for (int i = 0; i < LOWERS && part->lowers[i]; i++) {
		buffer_text(options, i ? ":" : "lowerdir=");
		if (!machine->ids || machine->nested)
			root_append_escaped(part->lowers[i], options);
		else if (root_mount_lower(machine, root, part->lowers[i], points[i], err) < 0)
			return -1;
		else
			buffer_text(options, points[i]);
	}
	return 0;
}

/* Mounts a part with its layer over it: "volatile", as syncing files to the disk costs much and would save nothing: no machine
 * outlives its host's uptime. Returns 1, with errno, if the kernel does not take the layer. */
static int
root_mount_overlay(const struct machine *machine, const struct root *root, const struct part *part, struct error *err)
{
	struct buffer options = {0};
	int result = root_append_lowers(machine, root, part, &options, err), reason = 0;

	/* Who is not root keeps what overlay notes in attributes of users; then it takes no word for the rest. */
	buffer_printf(&options, ",upperdir=%s/upper,workdir=%s/work,volatile,%s", part->layer, part->layer,
	    machine->nested ? "userxattr" : "index=off,metacopy=off,redirect_dir=on");
	if (result == 0 && mount("overlay", part->target, "overlay", MS_NODEV, options.data) < 0) {
		reason = errno;
		result = 1;
	}
	buffer_release(&options);
	errno = reason;
	return result;
}

static int
root_fail_overlay(const struct machine *machine, struct error *err)
{
	return error_errno(err, EX_OSERR,
	    "image %s: cannot be mounted (the kernel's log tells why; overlay and Linux 5.10 are needed)", machine->image);
}

/* Mounts the machine's disk, if it has one, where its layers will be. The notice tells if that cannot be. */
static int
root_mount_disk(char *notice, struct error *err)
{
	struct error why;

	*notice = '\0';
	if (file_make_dirs(AT_FDCWD, "layer", 0700, err) < 0)
		return -1;
	if (file_exists(AT_FDCWD, "disk") && disk_mount("layer", &why) < 0)
		root_tell(notice, "its disk is not limited: %s", why.text);
	return 0;
}

/* Mounts the first part, the root directory. Not every file system can hold the upper layer (an overlay, as containers have it, or
 * NFS cannot): then memory does. */
static int
root_mount_first(const struct machine *machine, const struct root *root, const struct part *part, char *notice, struct error *err)
{
	int result = root_mount_disk(notice, err);

	if (result == 0)
		result = root_make_layer(root, part, err);
	if (result == 0)
		result = root_mount_overlay(machine, root, part, err);
	if (result <= 0)
		return result;
	if (errno != EINVAL && errno != EOPNOTSUPP)
		return error_errno(err, EX_OSERR, "image %s: cannot be mounted", machine->image);
	if (mount("tmpfs", "layer", "tmpfs", MS_NODEV, "mode=700") < 0)
		return error_errno(err, EX_OSERR, "layer: tmpfs");
	if (root_make_layer(root, part, err) < 0)
		return -1;
	result = root_mount_overlay(machine, root, part, err);
	if (result > 0)
		return root_fail_overlay(machine, err);
	root_tell(notice, "the file system of the state directory cannot hold an overlay: the machine's changes are kept in memory");
	return result;
}

/* Mounts what is shown of the host, each with a layer of its own: an overlay has no other file systems, and no list of what is in
 * it. */
static int
root_mount_shown(const struct machine *machine, const struct root *root, const char *copy, struct error *err)
{
	char *mask = memory_printf("%s/usr", copy);
	int result = 0;

	for (size_t i = 0; result == 0 && hostfiles_shown[i]; i++) {
		struct part part = {.target = memory_printf("root/%s", hostfiles_shown[i]),
		    .layer = memory_printf("layer/shown/%zu", i), .lowers = {memory_printf("/%s", hostfiles_shown[i]), NULL}};
		struct stat st;

		if (machine->nested && strchr(hostfiles_shown[i], '/')) {
			root_release_part(&part); /* is in the copy */
			continue;
		}
		if (strcmp(hostfiles_shown[i], "usr") == 0 && file_exists(AT_FDCWD, mask)) {
			part.lowers[1] = part.lowers[0];
			part.lowers[0] = memory_string(mask);
		}
		if (lstat(part.target, &st) == 0 && S_ISDIR(st.st_mode)) {
			result = root_make_layer(root, &part, err);
			if (result == 0)
				result = root_mount_overlay(machine, root, &part, err);
			if (result > 0)
				result = root_fail_overlay(machine, err);
		}
		root_release_part(&part);
	}
	free(mask);
	return result;
}

/* Returns the folder with the copy of the host's files; the caller frees it. Where the state directory is on a file system that
 * cannot show it to the machine, it is a copy in memory. */
static char *
root_find_copy(const struct machine *machine, const struct root *root, struct error *err)
{
	char *copy = memory_printf("../../../sandbox-host/%s", machine->files);
	bool mapped = machine->ids && !machine->nested;
	int fd = mapped ? root_open_mapped(root, copy) : -1, dir = -1, result = -1;

	if (fd >= 0 || !mapped) {
		if (fd >= 0)
			close(fd);
		return copy;
	}
	free(copy);
	copy = memory_string("copy");
	if (file_make_dirs(AT_FDCWD, copy, 0700, err) == 0) {
		if (mount("tmpfs", copy, "tmpfs", MS_NODEV, "mode=700") < 0)
			error_errno(err, EX_OSERR, "%s: tmpfs", copy);
		else if ((dir = file_open(AT_FDCWD, copy, O_RDONLY | O_DIRECTORY, 0, err)) >= 0)
			result = hostfiles_copy(dir, 0, err);
	}
	if (dir >= 0)
		close(dir);
	if (result == 0)
		return copy;
	free(copy);
	return NULL;
}

/* Mounts the image. */
static int
root_mount_image(const struct machine *machine, const struct root *root, char *notice, struct error *err)
{
	char *copy = machine->files ? root_find_copy(machine, root, err) : NULL;
	struct part part = {.target = memory_string("root"), .layer = memory_string("layer"),
	    .lowers = {copy ? memory_printf("%s/root", copy) : machine->tree ? memory_printf("../../../sandbox-images/%s/root", machine->tree) : memory_string(machine->image), NULL}};
	int result = machine->files && !copy ? -1 : root_mount_first(machine, root, &part, notice, err);

	if (result == 0 && copy)
		result = root_mount_shown(machine, root, copy, err);
	root_release_part(&part);
	free(copy);
	return result;
}

int
root_enter(const struct machine *machine, int user, struct root *root, char *notice, struct error *err)
{
	root->user = user;
	root->owner = machine->ids ? (uid_t)strtoul(machine->ids, NULL, 10) : 0;
	root->host = file_open(AT_FDCWD, "/", O_PATH | O_DIRECTORY, 0, err);
	root->folder = file_open(AT_FDCWD, ".", O_PATH | O_DIRECTORY, 0, err);
	if (root->host < 0 || root->folder < 0)
		return -1;
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return errno == EINVAL
		    ? error_set(err, EX_CONFIG, "/ is not a mount point, as in a chroot, so that no machine can be made of it; "
		          "from outside: mount --rbind DIR DIR, and enter it with chroot(8) again")
		    : error_errno(err, EX_OSERR, "/: cannot be made private");
	if (root_mount_image(machine, root, notice, err) < 0)
		return -1;
	/* The host's root then lies under the machine's, reachable by descriptors only: no path, and no symbolic link of
	 * an image, leads there any more. */
	if (chdir("root") < 0 || syscall(SYS_pivot_root, ".", ".") < 0 || fchdir(root->folder) < 0)
		return error_errno(err, EX_OSERR, "root: cannot be entered");
	return 0;
}

int
root_leave(struct root *root, struct error *err)
{
	if (fchdir(root->host) < 0 || umount2(".", MNT_DETACH) < 0 || chdir("/") < 0)
		return error_errno(err, EX_OSERR, "the host's root: cannot be left");
	close(root->folder);
	close(root->host);
	return 0;
}
