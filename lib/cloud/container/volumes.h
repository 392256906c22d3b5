/* SPDX-License-Identifier: Apache-2.0
 *
 * Volumes of a daemon of containers: its named volumes, whose labels are our tags. A container has them from when it is made, so that it is made
 * anew with them. What a volume is filled with is copied by a container, and a second, empty volume says that this is done.
 */
#ifndef CLOUD_CONTAINER_VOLUMES_H
#define CLOUD_CONTAINER_VOLUMES_H

/* The label of a container that names its volumes, with blanks between. */
#define CONTAINER_TAG_VOLUMES "coopr-volumes"

extern const struct cloud_volume_api container_volumes;

#endif
