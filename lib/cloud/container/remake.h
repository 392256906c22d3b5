/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes the container of a machine anew with volumes: another one beside it gets its keys, and takes its name when it is deleted. Whatever is
 * cut off, one of the two is whole.
 */
#ifndef CLOUD_CONTAINER_REMAKE_H
#define CLOUD_CONTAINER_REMAKE_H

#include "cloud/volume.h"

/* Is cloud_volume_api.give. */
int container_remake(struct cloud *cloud, const struct cloud_machines *machines, const struct cloud_volume_place *places, size_t count,
    const struct stop *stop, struct error *err);

#endif
