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

#endif
