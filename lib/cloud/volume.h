/* SPDX-License-Identifier: Apache-2.0
 *
 * What a provider of a cloud has to say of volumes, if it has any: struct cloud_api points to a table of further functions, which block, and
 * may be called from many threads at once. What is done with them is cloud/life-volumes.h.
 */
#ifndef CLOUD_VOLUME_H
#define CLOUD_VOLUME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"

struct cloud;
struct cloud_machines;
struct error;
struct stop;

/* Volumes and snapshots bear, beside the tags of machines, the id that coopr gives them: */
#define CLOUD_TAG_VOLUME "coopr-volume"

enum cloud_volume_state {
	CLOUD_VOLUME_BUSY, /* it is being made, attached or detached */
	CLOUD_VOLUME_FREE,
	CLOUD_VOLUME_ATTACHED,
	CLOUD_VOLUME_GONE, /* it is being deleted, or was, or will never be of use */
};

struct cloud_volume { /* strings live in the arena of the list; any but id may be NULL */
	const char *id;      /* the cloud's */
	const char *name;    /* coopr's */
	const char *provider;
	const char *machine; /* that it is attached to, or being attached to or detached from */
	const char *device;  /* as the cloud calls it there */
	const char *zone;
	int64_t size_gb;
	enum cloud_volume_state state;
	bool is_snapshot;
};

struct cloud_volumes { /* zero-initialise */
	struct arena arena;
	struct cloud_volume *list;
	size_t count, capacity;
};

struct cloud_volume_order { /* what is to be made; the name also names the request and no other, for APIs that take such a word */
	const char *name, *zone;
	const char *of; /* the cloud's id: of a volume's snapshot, NULL: it is empty; of a snapshot's volume */
	const char *image; /* of the machine that it is made for; NULL for a snapshot */
	int64_t size_gb;
	const char *const (*tags)[2];
	size_t tag_count;
};

struct cloud_volume_place { /* where a machine has a volume */
	const char *name; /* coopr's */
	const char *path; /* on the machine */
};

struct cloud_volume_api {
	const char *const *devices; /* names that volumes may have at a machine, up to NULL; NULL: the cloud names them, and says how many there may be */
	bool fills; /* asked again, make completes a volume that is BUSY */

	/* Adds all volumes that bear the tag of this installation; or all snapshots. */
	int (*list)(struct cloud *cloud, bool snapshots, const struct stop *stop, struct cloud_volumes *found, struct error *err);
	/* Asks for a volume. Asked twice with one name it makes one. */
	int (*make)(struct cloud *cloud, const struct cloud_volume_order *order, const struct stop *stop, struct error *err);
	int (*attach)(struct cloud *cloud, const struct cloud_volume *volume, const char *machine, const char *device, const struct stop *stop,
	    struct error *err);
	/* Takes it from a machine that is off, not by force. */
	int (*detach)(struct cloud *cloud, const struct cloud_volume *volume, const struct stop *stop, struct error *err);
	/* Where a machine has volumes only from when it is made, in place of attach, detach and paths, which are NULL then: makes the machine of these,
	 * which are those of one node, anew, with what it had and these volumes, which are all; its name, addresses and keys stay. Run again, it
	 * completes what was cut off. NULL: volumes come to a machine that runs. */
	int (*give)(struct cloud *cloud, const struct cloud_machines *machines, const struct cloud_volume_place *places, size_t count,
	    const struct stop *stop, struct error *err);
	/* Asks for a snapshot. */
	int (*snapshot)(struct cloud *cloud, const struct cloud_volume_order *order, const struct stop *stop, struct error *err);
	/* Deletes a volume or a snapshot. One that is gone is no error. */
	int (*remove)(struct cloud *cloud, const struct cloud_volume *volume, const struct stop *stop, struct error *err);
	/* Returns the paths of block devices under which the volume may appear on its machine, separated by blanks. */
	const char *(*paths)(const struct cloud_volume *volume, struct arena *arena);
};

/* Adds a volume to the list and returns it, empty. */
struct cloud_volume *cloud_volumes_add(struct cloud_volumes *volumes);
void cloud_volumes_release(struct cloud_volumes *volumes);

#endif
