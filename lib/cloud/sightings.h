/* SPDX-License-Identifier: Apache-2.0
 *
 * What a cloud says of all machines of this installation, asked once for all who wait for one of them: however many machines are being
 * made, there is one list each interval. A list of many pages is asked for less often, so that it leaves most of the cloud's limit to others.
 */
#ifndef CLOUD_SIGHTINGS_H
#define CLOUD_SIGHTINGS_H

#include <stdint.h>

#include "cloud/cloud.h"

struct sightings *sightings_new(void);

/* Waits for a list that was asked for after since_ms (monotonic), and copies what it says of the node to found: its machines, oldest first, without
 * those that are gone. Asks for the list itself where nobody does. Fails as the list fails. */
int sightings_look(struct cloud *cloud, const char *node, int64_t since_ms, const struct stop *stop, struct cloud_machines *found,
    struct error *err);

#endif
