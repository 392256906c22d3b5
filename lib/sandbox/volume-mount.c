/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/volume-mount.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/major.h>

#include "base/error.h"
#include "base/memory.h"
#include "sandbox/disk.h"
#include "sandbox/machine.h"
#include "sandbox/volume.h"

struct inside { /* what is open of the machine */
	int mounts, user; /* its namespaces; user -1: it has none of its own */
	uid_t owner;      /* its root, as the host sees it */
};

static void
volume_mount_close(struct inside *inside)
{
	if (inside->mounts >= 0)
		close(inside->mounts);
	if (inside->user >= 0)
		close(inside->user);
}

static int
volume_mount_open_namespace(const char *pid, const char *name)
{
	char *path = memory_printf("/proc/%s/ns/%s", pid, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	free(path);
	return fd;
}

/* Looks whether the machine runs, and opens its namespaces: they are its own, as it still runs then. */
static int
volume_mount_enter(const struct sandbox_volume *volume, struct inside *inside, struct error *err)
{
	struct found_list before = {.list = NULL}, after = {.list = NULL};
	const struct machine *machine;
	int result;

	*inside = (struct inside){-1, -1, 0};
	result = machine_maker.find(volume->machine, NULL, &before, err);
	if (result == 0 && (before.count != 1 || before.list->state != MACHINE_RUNNING))
		result = error_set(err, EX_TEMPFAIL, "volume %s: the machine %s does not run", volume->id, volume->machine);
	if (result == 0) {
		machine = &before.list->machine;
		inside->mounts = volume_mount_open_namespace(machine->pid, "mnt");
		if (machine->ids)
			inside->user = volume_mount_open_namespace(machine->pid, "user");
		inside->owner = machine->ids ? (uid_t)strtoul(machine->ids, NULL, 10) : 0;
		if (inside->mounts < 0 || (machine->ids && inside->user < 0))
			result = error_errno(err, EX_TEMPFAIL, "volume %s: the machine %s cannot be entered", volume->id, volume->machine);
	}
	if (result == 0 && (machine_maker.find(volume->machine, NULL, &after, err) < 0 || after.count != 1 ||
	    after.list->state != MACHINE_RUNNING || strcmp(after.list->machine.pid, before.list->machine.pid) != 0))
		result = error_set(err, EX_TEMPFAIL, "volume %s: the machine %s has ended", volume->id, volume->machine);
	found_release(&before);
	found_release(&after);
	if (result < 0)
		volume_mount_close(inside);
	return result;
}

/* Makes a mount of the disk that has no place yet, as the machine's users see it. Returns its descriptor. */
static int
volume_mount_make(const struct sandbox_volume *volume, int disk, const struct inside *inside, struct error *err)
{
	struct mount_attr attributes = {.attr_set = MOUNT_ATTR_IDMAP, .userns_fd = (unsigned)inside->user};
	char path[DISK_PATH_SIZE];
	int device = disk_bind(disk, path, err), context = -1, made = -1;

	if (device < 0)
		return -1;
	context = fsopen("ext4", FSOPEN_CLOEXEC);
	if (context >= 0 && fsconfig(context, FSCONFIG_SET_STRING, "source", path, 0) == 0 &&
	    fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		made = fsmount(context, FSMOUNT_CLOEXEC, MOUNT_ATTR_NODEV | MOUNT_ATTR_NOATIME);
	if (made >= 0 && inside->user >= 0 && mount_setattr(made, "", AT_EMPTY_PATH, &attributes, sizeof attributes) < 0) {
		int reason = errno;

		close(made);
		made = -1;
		errno = reason;
	}
	if (made < 0)
		error_errno(err, EX_UNAVAILABLE, "volume %s: cannot be mounted", volume->id);
	if (context >= 0)
		close(context);
	close(device);
	return made;
}

/* Makes the folders of a path in the machine, which are its root's. */
static int
volume_mount_make_folders(const char *path, uid_t owner)
{
	char *copy = memory_string(path);
	int result = 0;

	for (char *at = strchr(copy + 1, '/'); result == 0; at = strchr(at + 1, '/')) {
		if (at)
			*at = '\0';
		if (mkdir(copy, 0755) == 0)
			result = lchown(copy, owner, owner);
		else if (errno != EEXIST)
			result = -1;
		if (!at)
			break;
		*at = '/';
	}
	free(copy);
	return result;
}

/* Tells whether a disk is mounted at path. */
static bool
volume_mount_is_point(const char *path)
{
	struct statx st;

	return statx(AT_FDCWD, path, 0, STATX_BASIC_STATS, &st) == 0 && st.stx_attributes & STATX_ATTR_MOUNT_ROOT && st.stx_dev_major == LOOP_MAJOR;
}

/* Enters the machine's mounts, and puts the mount to its place, or, where made is -1, looks whether there is one. Returns 0, or errno. */
static int
volume_mount_act(const struct sandbox_volume *volume, const struct inside *inside, int made)
{
	if (setns(inside->mounts, CLONE_NEWNS) < 0)
		return errno;
	if (made < 0)
		return volume_mount_is_point(volume->path) ? 0 : ENOENT;
	if (volume_mount_make_folders(volume->path, inside->owner) < 0 ||
	    move_mount(made, "", AT_FDCWD, volume->path, MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_SYMLINKS) < 0)
		return errno;
	return 0;
}

/* Does that in a process of its own, which has our lock of the volume too. Returns 0, or -1 with errno. */
static int
volume_mount_act_inside(const struct sandbox_volume *volume, const struct inside *inside, int made)
{
	pid_t child = fork();
	int status = 0;

	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(volume_mount_act(volume, inside, made));
	}
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (child > 0)
		errno = WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
	return child > 0 && errno == 0 ? 0 : -1;
}

int
volume_mount(const struct sandbox_volume *volume, int disk, struct error *err)
{
	struct inside inside;
	int made, result = -1;

	if (volume_mount_enter(volume, &inside, err) < 0)
		return -1;
	made = volume_mount_make(volume, disk, &inside, err);
	if (made >= 0) {
		result = volume_mount_act_inside(volume, &inside, made);
		if (result < 0)
			error_errno(err, EX_OSERR, "volume %s: cannot be mounted at %s of the machine %s", volume->id, volume->path, volume->machine);
		close(made);
	}
	volume_mount_close(&inside);
	return result;
}

bool
volume_mount_is_there(const struct sandbox_volume *volume)
{
	struct inside inside;
	struct error ignored; /* then it is not */
	bool is_there;

	if (volume_mount_enter(volume, &inside, &ignored) < 0)
		return false;
	is_there = volume_mount_act_inside(volume, &inside, -1) == 0;
	volume_mount_close(&inside);
	return is_there;
}
