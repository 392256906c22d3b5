/* SPDX-License-Identifier: Apache-2.0
 *
 * Volumes over any cloud that has some: attach, fence, snapshot and discard of coopr-plugins(7), and what a delete does with them. A volume
 * is found by its tag, and nothing is detached from a machine that may still write to it.
 */
#ifndef CLOUD_LIFE_VOLUMES_H
#define CLOUD_LIFE_VOLUMES_H

#include "cloud/life.h"

/* Do the action of the task. Return -1 with the life's error. */
int life_attach(struct life *life);
int life_fence(struct life *life);
int life_snapshot(struct life *life);
int life_discard(struct life *life);

/* Deletes the volumes of the task that are not kept, once the machine is gone. */
int life_release_volumes(struct life *life);

/* Prints a record for each volume and snapshot of this installation that the provider has. */
int life_list_volumes(struct cloud *cloud, const struct stop *stop, struct error *err);

#endif
