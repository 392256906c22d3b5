/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/root.h"

#include <errno.h>
#include <fcntl.h>
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
#include "sandbox/record.h"

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

static int
root_make_layer(const struct root *root, struct error *err)
{
	static const char *const folders[] = {"layer/upper", "layer/work", "root", "lower"};

	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		if (file_make_dirs(AT_FDCWD, folders[i], 0755, err) < 0)
			return -1;
	return root_give(root, "layer/upper", err);
}

int
root_give(const struct root *root, const char *path, struct error *err)
{
	if (root->owner && lchown(path, root->owner, root->owner) < 0)
		return error_errno(err, EX_CANTCREAT, "%s: cannot be given to the machine's root", path);
	return 0;
}

/* Mounts the image at "lower" as the machine's users see it: a file of the host's user N is one of the machine's user N. */
static int
root_mount_lower(const struct machine *machine, const struct root *root, struct error *err)
{
	struct mount_attr attributes = {.attr_set = MOUNT_ATTR_IDMAP | MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV,
	    .userns_fd = (unsigned)root->user};
	const char *path = strcmp(machine->image, "host") == 0 ? "/" : machine->image;
	int fd = open_tree(AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC), result = -1;

	if (fd < 0)
		return error_errno(err, EX_OSERR, "image %s: cannot be mounted", machine->image);
	if (mount_setattr(fd, "", AT_EMPTY_PATH, &attributes, sizeof attributes) < 0)
		error_set(err, EX_CONFIG, "image %s: this host's kernel or the file system cannot show its files to a user "
		    "namespace (%s), so a machine's root would be the host's; \"unconfined\": true in the provisioner of the "
		    "provider \"%s\" allows that", machine->image, strerror(errno), machine->provider);
	else if (move_mount(fd, "", AT_FDCWD, "lower", MOVE_MOUNT_F_EMPTY_PATH) < 0)
		error_errno(err, EX_OSERR, "image %s: cannot be mounted", machine->image);
	else
		result = 0;
	close(fd);
	return result;
}

/* Mounts the image with the layer over it: "volatile", as syncing files to the disk costs much and would save nothing: no machine
 * outlives its host's uptime. */
static int
root_mount_overlay(const struct machine *machine)
{
	struct buffer options = {0};
	int result, reason;

	buffer_text(&options, "lowerdir=");
	if (machine->ids)
		buffer_text(&options, "lower");
	else
		root_append_escaped(strcmp(machine->image, "host") == 0 ? "/" : machine->image, &options);
	buffer_text(&options, ",upperdir=layer/upper,workdir=layer/work,volatile,index=off,metacopy=off,redirect_dir=on");
	result = mount("overlay", "root", "overlay", MS_NODEV, options.data);
	reason = errno;
	buffer_release(&options);
	errno = reason;
	return result;
}

/* Mounts the image. Not every file system can hold the upper layer (an overlay, as containers have it, or NFS cannot): then memory
 * does. */
static int
root_mount_image(const struct machine *machine, const struct root *root, char *notice, struct error *err)
{
	*notice = '\0';
	if (root_make_layer(root, err) < 0 || (machine->ids && root_mount_lower(machine, root, err) < 0))
		return -1;
	if (root_mount_overlay(machine) == 0)
		return 0;
	if (errno != EINVAL && errno != EOPNOTSUPP)
		return error_errno(err, EX_OSERR, "image %s: cannot be mounted", machine->image);
	if (mount("tmpfs", "layer", "tmpfs", MS_NODEV, "mode=700") < 0)
		return error_errno(err, EX_OSERR, "layer: tmpfs");
	if (root_make_layer(root, err) < 0)
		return -1;
	if (root_mount_overlay(machine) < 0)
		return error_errno(err, EX_OSERR,
		    "image %s: cannot be mounted (the kernel's log tells why; overlay and Linux 5.10 are needed)",
		    machine->image);
	snprintf(notice, NOTICE_SIZE,
	    "the file system of the state directory cannot hold an overlay: the machine's changes are kept in memory");
	return 0;
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
		    ? error_set(err, EX_CONFIG, "/ is no mount point, as in a chroot, so that no machine can be made of it; "
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
