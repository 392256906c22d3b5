/* SPDX-License-Identifier: Apache-2.0
 *
 * Instances of Google: as one is asked for, and as they are listed.
 */
#ifndef CLOUD_GOOGLE_INSTANCE_H
#define CLOUD_GOOGLE_INSTANCE_H

#include "cloud/cloud.h"

/* Returns the name of the instance of an order, in the arena: its hostname, and a part of the token, so that no two machines are one name. */
const char *google_instance_name(const struct cloud_order *order, struct arena *arena);

/* Returns what is asked for, of that name and boot image, in that zone. */
jv google_instance(const struct cloud *cloud, const struct cloud_order *order, const char *name, const char *image, const char *zone);

/* Adds the instance that an object is. */
int google_read_instance(const struct cloud *cloud, jv instance, struct cloud_machines *machines, struct error *err);

#endif
