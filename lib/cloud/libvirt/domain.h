/* SPDX-License-Identifier: Apache-2.0
 *
 * A machine of libvirt: a domain, as it is described to the host and as it is read. Its uuid is the token of the machine, and an element of our own
 * in its metadata has our tags.
 */
#ifndef CLOUD_LIBVIRT_DOMAIN_H
#define CLOUD_LIBVIRT_DOMAIN_H

#include <libvirt/libvirt.h>

#include "cloud/laboratory.h"

struct disks;

#define DOMAIN_HOST_KEY "host-key" /* its element in the metadata: the public half of what the machine is to show */

/* Returns the description of a machine, in the arena; host_key is NULL where we have given it none. NULL with an error. */
const char *domain_describe(const struct cloud *cloud, virConnectPtr connection, const struct cloud_order *order,
    const struct laboratory_size *size, const struct disks *disks, const char *host_key, struct arena *arena, struct error *err);

/* Returns what our element in the metadata says under a name, as a tag without "coopr-", in the arena; NULL without an error where the domain is
 * none of any coopr, or its element has nothing of the kind. */
const char *domain_metadata(virDomainPtr domain, const char *name, struct arena *arena, struct error *err);

/* Adds the domain to the list, if it is of this installation and there. */
int domain_read(const struct cloud *cloud, virDomainPtr domain, struct cloud_machines *machines, struct error *err);

#endif
