/* SPDX-License-Identifier: Apache-2.0
 *
 * The disk of a machine: a file system of its own, of the size that the machine may write, in a sparse file of its folder. What the
 * machine has not written takes no room of the host, and what it deletes is given back. An empty one is made once for each size,
 * in "sandbox-disks" of location_state(), and copied.
 */
#ifndef SANDBOX_DISK_H
#define SANDBOX_DISK_H

struct error;
struct machine;

/* Makes the file "disk" in the machine's folder, of machine->disk MiB. EX_UNAVAILABLE without mkfs.ext4(8). */
int disk_make(int dir, const struct machine *machine, struct error *err);

/* Mounts the file "disk" of the working directory at target. The kernel unmounts it, and frees its loop device, with the last process
 * of the mount namespace. */
int disk_mount(const char *target, struct error *err);

enum { DISK_PATH_SIZE = 32 };

enum disk_use { DISK_OF_MACHINE, DISK_OF_VOLUME };

/* Makes an empty file system in the file. EX_UNAVAILABLE without mkfs.ext4(8). */
int disk_format(const char *path, enum disk_use use, struct error *err);

/* Copies what is not a hole. Returns -1 with errno. */
int disk_copy(int from, int to);

/* Binds the file to a loop device that the kernel frees when nobody has it open or mounted. Returns the device's descriptor; its
 * name is in path. */
int disk_bind(int file, char path[DISK_PATH_SIZE], struct error *err);

#endif
