/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"
#include "sandbox/record.h"
#include "sandbox/root.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

enum { SAFE = MS_NOSUID | MS_NODEV, TTY_GROUP = 5 };

static const struct fresh {
	const char *type, *target;
	unsigned long flags;
	const char *options;
} fresh[] = {
	{"sysfs", "/sys", SAFE | MS_NOEXEC | MS_RDONLY, NULL},
	{"tmpfs", "/dev", MS_NOSUID | MS_NOEXEC, "mode=755,size=64k,nr_inodes=1k"},
	{"tmpfs", "/dev/shm", SAFE, "mode=1777"},
	{"tmpfs", "/tmp", SAFE, "mode=1777"},
	{"tmpfs", "/run", SAFE, "mode=755"},
};

static const struct folder {
	const char *path;
	mode_t mode;
} run_folders[] = {
	{"/run/lock", 01777},
	{"/run/sshd", 0755},
	{"/run/user", 0755},
	{"/run/cluster", 0755},
};

/* Folders whose contents in the image belong to somebody else (keys, histories, scratch files): the machine gets empty ones. */
static const struct own {
	const char *kept; /* below the machine's folder */
	const char *target;
	mode_t mode;
} own[] = {
	{"layer/root", "/root", 0700},
	{"layer/home", "/home", 0755},
	{"layer/tmp", "/var/tmp", 01777},
	{"layer/ssh", "/etc/ssh", 0755},
};

static const struct device {
	const char *path;
	unsigned major, minor;
} devices[] = {
	{"/dev/null", 1, 3},
	{"/dev/zero", 1, 5},
	{"/dev/full", 1, 7},
	{"/dev/random", 1, 8},
	{"/dev/urandom", 1, 9},
	{"/dev/tty", 5, 0},
};

static const struct link {
	const char *path, *text;
} links[] = {
	{"/dev/fd", "/proc/self/fd"},
	{"/dev/stdin", "/proc/self/fd/0"},
	{"/dev/stdout", "/proc/self/fd/1"},
	{"/dev/stderr", "/proc/self/fd/2"},
	{"/dev/ptmx", "pts/ptmx"},
	{"/run/shm", "/dev/shm"},
};

/* The kernel's own settings are one for all machines: to be read only, or not even that. */
static const char *const read_only[] = {"/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs"};
static const char *const hidden[] = {"/proc/kcore", "/proc/keys", "/proc/timer_list", "/proc/kallsyms",
	"/proc/sched_debug", "/proc/latency_stats", "/proc/acpi", "/proc/scsi"};

static int
root_make_folder(const struct root *root, const char *path, mode_t mode, struct error *err)
{
	if ((mkdir(path, mode) < 0 && errno != EEXIST) || chmod(path, mode) < 0)
		return error_errno(err, EX_CANTCREAT, "%s", path);
	return root_give(root, path, err);
}

static int
root_mount_fresh(const struct root *root, struct error *err)
{
	for (size_t i = 0; i < LENGTH(fresh); i++) {
		const struct fresh *f = &fresh[i];

		if (mkdir(f->target, 0755) < 0 && errno != EEXIST)
			return error_errno(err, EX_CANTCREAT, "%s", f->target);
		if (mount(f->type, f->target, f->type, f->flags, f->options) < 0)
			return error_errno(err, EX_OSERR, "%s: cannot be mounted", f->target);
		if (strcmp(f->type, "tmpfs") == 0 && root_give(root, f->target, err) < 0)
			return -1;
	}
	return 0;
}

/* Mounts source once more, at target; read_only needs a second call, as a bind mount takes no flags at first. */
static int
root_bind(const char *source, const char *target, unsigned long flags, struct error *err)
{
	if (mount(source, target, NULL, MS_BIND, NULL) < 0 ||
	    (flags && mount(NULL, target, NULL, MS_BIND | MS_REMOUNT | flags, NULL) < 0))
		return error_errno(err, EX_OSERR, "%s: cannot be mounted", target);
	return 0;
}

static int
root_mount_terminals(const struct root *root, struct error *err)
{
	char *options = memory_printf("newinstance,ptmxmode=666,mode=620,gid=%u", (unsigned)root->owner + TTY_GROUP);
	int result = 0;

	if (mkdir("/dev/pts", 0755) < 0 || mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, options) < 0)
		result = error_errno(err, EX_OSERR, "/dev/pts: cannot be mounted");
	free(options);
	return result;
}

/* Mounts /proc, without what is the kernel's of it. */
int
root_mount_proc(struct error *err)
{
	struct stat st;

	if ((mkdir("/proc", 0755) < 0 && errno != EEXIST) || mount("proc", "/proc", "proc", SAFE | MS_NOEXEC, NULL) < 0)
		return error_errno(err, EX_OSERR, "/proc: cannot be mounted");
	for (size_t i = 0; i < LENGTH(read_only); i++)
		if (lstat(read_only[i], &st) == 0 &&
		    root_bind(read_only[i], read_only[i], SAFE | MS_NOEXEC | MS_RDONLY, err) < 0)
			return -1;
	for (size_t i = 0; i < LENGTH(hidden); i++) {
		if (lstat(hidden[i], &st) < 0)
			continue;
		if (S_ISDIR(st.st_mode) ? mount("tmpfs", hidden[i], "tmpfs", SAFE | MS_RDONLY, "size=4k") < 0
		                        : root_bind("/dev/null", hidden[i], 0, err) < 0)
			return error_errno(err, EX_OSERR, "%s: cannot be hidden", hidden[i]);
	}
	return 0;
}

/* Mounts what is open at target, with those attributes. */
static int
root_attach(int fd, const char *target, uint64_t flags, struct error *err)
{
	struct mount_attr attributes = {.attr_set = flags};
	int tree = open_tree(fd, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH), result = 0;

	if (tree < 0 || (flags && mount_setattr(tree, "", AT_EMPTY_PATH, &attributes, sizeof attributes) < 0) ||
	    move_mount(tree, "", AT_FDCWD, target, MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_SYMLINKS) < 0)
		result = error_errno(err, EX_OSERR, "%s: cannot be mounted", target);
	if (tree >= 0)
		close(tree);
	return result;
}

/* Shows the host's device: who is not root makes none. */
static int
root_show_device(const struct root *root, const char *path, struct error *err)
{
	int fd = openat(root->host, path + 1, O_PATH | O_NOFOLLOW | O_CLOEXEC), point = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	int result = fd < 0 || point < 0 ? error_errno(err, EX_CANTCREAT, "%s", path) : root_attach(fd, path, 0, err);

	if (fd >= 0)
		close(fd);
	if (point >= 0)
		close(point);
	return result;
}

static int
root_make_device(const struct root *root, const struct device *device, struct error *err)
{
	if (mknod(device->path, S_IFCHR, makedev(device->major, device->minor)) < 0 || chmod(device->path, 0666) < 0 ||
	    lchown(device->path, root->owner, root->owner) < 0)
		return error_errno(err, EX_CANTCREAT, "%s", device->path);
	return 0;
}

static int
root_make_devices(const struct machine *machine, const struct root *root, struct error *err)
{
	for (size_t i = 0; i < LENGTH(devices); i++)
		if ((machine->nested ? root_show_device(root, devices[i].path, err) : root_make_device(root, &devices[i], err)) < 0)
			return -1;
	for (size_t i = 0; i < LENGTH(run_folders); i++)
		if (root_make_folder(root, run_folders[i].path, run_folders[i].mode, err) < 0)
			return -1;
	for (size_t i = 0; i < LENGTH(links); i++)
		if (symlink(links[i].text, links[i].path) < 0 || lchown(links[i].path, root->owner, root->owner) < 0)
			return error_errno(err, EX_CANTCREAT, "%s", links[i].path);
	return 0;
}

static int
root_mount_own(const char *cluster, const struct root *root, struct error *err)
{
	char *names = memory_printf("../../clusters/%s", cluster);
	int result = 0;

	for (size_t i = 0; i < LENGTH(own) && result == 0; i++)
		if (root_make_folder(root, own[i].kept, own[i].mode, err) < 0 ||
		    file_make_dirs(AT_FDCWD, own[i].target, 0755, err) < 0 ||
		    root_bind(own[i].kept, own[i].target, 0, err) < 0)
			result = -1;
	if (result == 0)
		result = root_bind(names, "/run/cluster", SAFE | MS_NOEXEC | MS_RDONLY, err);
	free(names);
	return result;
}

/* Mounts the host's directory path, read only, at the same path. Symbolic links on the way are the host's, and are followed in
 * the host's root. */
static int
root_share(const struct root *root, const char *path, struct error *err)
{
	struct open_how how = {.flags = O_PATH | O_DIRECTORY | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};
	int fd = (int)syscall(SYS_openat2, root->host, path, &how, sizeof how), result;

	if (fd < 0)
		result = error_errno(err, EX_NOINPUT, "share %s", path);
	else if ((result = file_make_dirs(AT_FDCWD, path, 0755, err)) == 0)
		result = root_attach(fd, path, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, err);
	if (fd >= 0)
		close(fd);
	return result;
}

/* Lays an empty directory over path; what is not there needs none. */
static int
root_mask(const char *path, struct error *err)
{
	struct stat st;

	if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode))
		return 0;
	if (mount("tmpfs", path, "tmpfs", SAFE, "mode=700") < 0)
		return error_errno(err, EX_OSERR, "%s: cannot be hidden", path);
	return 0;
}

int
root_mount(const struct machine *machine, const struct root *root, struct error *err)
{
	const char *masks = machine->masks, *shares = machine->shares;
	int result = 0;
	char *path;

	if (root_mount_fresh(root, err) < 0 || root_mount_terminals(root, err) < 0 || root_make_devices(machine, root, err) < 0 ||
	    root_mount_own(machine->cluster, root, err) < 0)
		return -1;
	for (; result == 0 && (path = location_next(&masks)); free(path))
		result = root_mask(path, err);
	for (; result == 0 && (path = location_next(&shares)); free(path))
		result = root_share(root, path, err);
	return result;
}
