/* SPDX-License-Identifier: Apache-2.0
 *
 * A host of libvirt: what the fields of its provider say, and the connection to it, which all tasks share. What the library says of a failure
 * becomes an error here. A call of it blocks until the host has answered, or does not keep the connection alive any more.
 */
#ifndef CLOUD_LIBVIRT_HOST_H
#define CLOUD_LIBVIRT_HOST_H

#include <libvirt/libvirt.h>

#include "cloud/laboratory.h"

struct libvirt {
	struct laboratory laboratory;
	const char *uri;
	const char *pool, *image_pool; /* of storage: where disks are made, and where images are */
	const char *network;           /* of libvirt; NULL: the machines are on the bridge */
	const char *bridge;            /* of the host */
	const char *domain_type;       /* "kvm"; NULL: the fastest that the host has */
	const char *firmware;          /* "efi"; NULL: as the host has it */
	unsigned addresses;            /* where they are asked for: virDomainInterfaceAddressesSource */
	bool seed;                     /* a machine gets a disk from which cloud-init takes its keys */
	virConnectPtr connection;      /* libvirt_connect has it; NULL: none yet */
};

/* Is cloud_api.open: cloud->state is a struct libvirt. */
void libvirt_open(struct cloud *cloud, struct client_settings *settings);

/* Returns the connection, which is opened where there is none that is alive; the caller gives it back with virConnectClose. NULL with EX_TEMPFAIL,
 * EX_NOPERM or EX_CONFIG. */
virConnectPtr libvirt_connect(const struct cloud *cloud, struct error *err);

/* Sets err to what the library says of the call of this thread that has just failed, behind what it was about. The code is EX_NOPERM where that
 * is not allowed, EX_NOINPUT where there is no such thing, EX_CONFIG where the host will never do it, CLOUD_NO_CAPACITY where it has no room, else
 * EX_TEMPFAIL. Returns -1. */
int libvirt_refused(const char *what, struct error *err);

/* Returns that pool of storage, which the caller frees with virStoragePoolFree; NULL with EX_CONFIG where there is none. */
virStoragePoolPtr libvirt_find_pool(virConnectPtr connection, const char *name, struct error *err);

/* Tells who answers. */
int libvirt_try_host(virConnectPtr connection, struct arena *arena, const char **said, struct error *err);

/* Tells whether the network or the bridge and the pools that the fields name are there and in use. */
int libvirt_try_places(const struct cloud *cloud, virConnectPtr connection, struct error *err);

#endif
