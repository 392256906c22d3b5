/* SPDX-License-Identifier: Apache-2.0
 *
 * How the disk of a volume comes into a machine that runs: it is mounted for the ids of the machine's users, without a place, and a
 * process that has entered the machine's mounts puts it there. So no path of the machine is ever looked up among those of the host.
 */
#ifndef SANDBOX_VOLUME_MOUNT_H
#define SANDBOX_VOLUME_MOUNT_H

#include <stdbool.h>

struct error;
struct sandbox_volume;

/* Mounts the open disk in the volume's machine, at its path. */
int volume_mount(const struct sandbox_volume *volume, int disk, struct error *err);

/* Returns whether a disk is mounted there. */
bool volume_mount_is_there(const struct sandbox_volume *volume);

#endif
