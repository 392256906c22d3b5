/* SPDX-License-Identifier: Apache-2.0
 *
 * The disks of a machine, which are volumes of storage: one is a copy of its image, and from a small one cloud-init takes its keys. They bear the
 * installation and the node in their names, as a volume has no tags. They are whole before there is a domain, so that those without one are rests.
 */
#ifndef CLOUD_LIBVIRT_DISK_H
#define CLOUD_LIBVIRT_DISK_H

#include <libvirt/libvirt.h>
#include <stdint.h>

struct arena;
struct buffer;
struct cloud;
struct error;

struct disks { /* in the arena given */
	const char *root, *root_format; /* the name of the volume; "qcow2" */
	const char *seed;               /* NULL: there is none */
};

/* Makes the disks of a node, after what an earlier attempt may have left of them is removed: the root has a size in bytes, 0: that of the image. seed
 * is NULL where there is to be none. Where it fails, rests may be left. */
int disks_make(const struct cloud *cloud, virConnectPtr connection, const char *node, const char *image, uint64_t bytes, const struct buffer *seed,
    struct arena *arena, struct disks *disks, struct error *err);

/* Deletes the disks of a node. None is there: no error. */
int disks_remove(const struct cloud *cloud, virConnectPtr connection, const char *node, struct error *err);

/* Tells whether there is an image of that name, and how large it is. */
int disks_try_image(const struct cloud *cloud, virConnectPtr connection, const char *name, struct arena *arena, const char **said, struct error *err);

#endif
