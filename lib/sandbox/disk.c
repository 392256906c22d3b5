/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/disk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <unistd.h>

#include <linux/loop.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/lock.h"
#include "base/memory.h"
#include "base/process.h"
#include "sandbox/record.h"

enum { ATTEMPTS = 100, SIZES_MOST = 16, OUTPUT_LIMIT = 4096, BLOCK = 4096, MIB = 1024 * 1024 };

/* Options of mkfs that keep its tables in one place, so that fewer blocks are to be copied. No journal: no machine outlives its host's uptime. */
static const char *const disk_features[] = {
	[DISK_OF_MACHINE] = "^has_journal,^resize_inode",
	[DISK_OF_VOLUME] = "has_journal",
};

int
disk_format(const char *path, enum disk_use use, struct error *err)
{
	struct arguments argv = {0};
	struct buffer said = {0};
	int code;

	arguments_push_all(&argv, "mkfs.ext4", "-q", "-F", "-b", "4096", "-m", "0", "-i", "32768", "-O", disk_features[use], "-E",
	    "lazy_itable_init=1,nodiscard,packed_meta_blocks=1", path, NULL);
	code = process_run(argv.list, NULL, 0, NULL, &said, OUTPUT_LIMIT, err);
	arguments_release(&argv);

	if (code > 0)
		error_set(err, EX_UNAVAILABLE, "mkfs.ext4 fails with %d: %.200s", code, buffer_string(&said));
	buffer_release(&said);
	return code == 0 ? 0 : -1;
}

static int
disk_is_size(const struct dirent *entry)
{
	return entry->d_name[strspn(entry->d_name, "0123456789")] == '\0';
}

/* Removes all empty disks where there are many: who asks for machines may ask for any size. They are made again when they are wanted. */
static void
disk_forget(int folder)
{
	struct dirent **sizes = NULL;
	int count = scandirat(folder, ".", &sizes, disk_is_size, NULL);

	for (int i = 0; i < count; i++) {
		if (count >= SIZES_MOST)
			unlinkat(folder, sizes[i]->d_name, 0);
		free(sizes[i]);
	}
	free(sizes);
}

/* Makes an empty disk as "new" in the folder. It is formatted by a path that is gone with us: the mkfs of one that was killed writes to
 * a file that has no name any more. */
static int
disk_make_new(int folder, off_t size, struct error *err)
{
	char *path;
	int fd, result = -1;

	unlinkat(folder, "new", 0);
	fd = openat(folder, "new", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	path = memory_printf("/proc/%d/fd/%d", (int)getpid(), fd);
	if (fd < 0 || ftruncate(fd, size) < 0)
		error_errno(err, EX_CANTCREAT, "sandbox-disks/new");
	else
		result = disk_format(path, DISK_OF_MACHINE, err);
	if (fd >= 0)
		close(fd);
	free(path);
	return result;
}

/* Makes the empty disk of a size in the folder, which is locked until it is closed. */
static int
disk_make_empty(int folder, const char *name, off_t size, struct error *err)
{
	if (lock_wait(folder, LOCK_EX) < 0)
		return error_errno(err, EX_OSERR, "sandbox-disks: cannot be locked");
	if (file_exists(folder, name))
		return 0; /* meanwhile */
	disk_forget(folder);
	if (disk_make_new(folder, size, err) < 0)
		return -1;
	return renameat(folder, "new", folder, name) < 0 ? error_errno(err, EX_CANTCREAT, "sandbox-disks/%s", name) : 0;
}

/* Opens the empty disk of a size. */
static int
disk_open_empty(off_t size, struct error *err)
{
	char *state = location_state(), *path = memory_printf("%s/sandbox-disks", state), name[32];
	int folder = -1, fd = -1;

	snprintf(name, sizeof name, "%lld", (long long)(size / MIB));
	if (file_make_dirs(AT_FDCWD, path, 0700, err) == 0)
		folder = file_open(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, 0, err);
	if (folder >= 0 && (file_exists(folder, name) || disk_make_empty(folder, name, size, err) == 0))
		fd = file_open(folder, name, O_RDONLY, 0, err);
	if (folder >= 0)
		close(folder);
	free(path);
	free(state);
	return fd;
}

int
disk_copy(int from, int to)
{
	off_t at = 0, end;

	while ((at = lseek(from, at, SEEK_DATA)) >= 0 && (end = lseek(from, at, SEEK_HOLE)) > at) {
		off_t source = at, target = at;

		while (source < end)
			if (copy_file_range(from, &source, to, &target, (size_t)(end - source), 0) <= 0)
				return -1;
		at = end;
	}
	return errno == ENXIO ? 0 : -1;
}

int
disk_make(int dir, const struct machine *machine, struct error *err)
{
	off_t size = (off_t)strtoll(machine->disk, NULL, 10) * MIB;
	int empty = disk_open_empty(size, err), fd = -1, result = -1;

	if (empty < 0)
		return -1;
	fd = openat(dir, "disk", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, size) < 0 || disk_copy(empty, fd) < 0)
		error_errno(err, EX_CANTCREAT, "disk");
	else
		result = 0;
	if (fd >= 0)
		close(fd);
	close(empty);
	return result;
}

/* Another process may take a free device before us. */
int
disk_bind(int file, char path[DISK_PATH_SIZE], struct error *err)
{
	struct loop_config config = {.fd = (unsigned)file, .block_size = BLOCK, .info = {.lo_flags = LO_FLAGS_AUTOCLEAR}};
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC), device = -1;

	for (int attempt = 0; control >= 0 && device < 0 && attempt < ATTEMPTS; attempt++) {
		int number = ioctl(control, LOOP_CTL_GET_FREE);

		if (number < 0)
			break;
		snprintf(path, DISK_PATH_SIZE, "/dev/loop%d", number);
		device = open(path, O_RDWR | O_CLOEXEC);
		if (device < 0 || ioctl(device, LOOP_CONFIGURE, &config) == 0)
			break;
		close(device);
		device = -1;
		if (errno != EBUSY)
			break;
	}
	if (device < 0)
		error_errno(err, EX_UNAVAILABLE, "no loop device");
	if (control >= 0)
		close(control);
	return device;
}

int
disk_mount(const char *target, struct error *err)
{
	int file = file_open(AT_FDCWD, "disk", O_RDWR, 0, err), device, result;
	char path[DISK_PATH_SIZE];

	if (file < 0)
		return -1;
	device = disk_bind(file, path, err);
	close(file);
	if (device < 0)
		return -1;
	/* The tables of free inodes are read as empty until they are used: the kernel need not write them behind our back. */
	result = mount(path, target, "ext4", MS_NODEV | MS_NOATIME, "noinit_itable,discard");
	if (result < 0)
		error_errno(err, EX_UNAVAILABLE, "%s: cannot be mounted", path);
	close(device);
	return result;
}
