/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies of volumes, which a daemon itself cannot make: a container that has both makes them.
 */
#ifndef CLOUD_CONTAINER_COPY_H
#define CLOUD_CONTAINER_COPY_H

#include "cloud/cloud.h"

/* Copies all that one volume has to another, in place of what that has, in a container of the image; an earlier one for it that was cut off
 * is ended. Returns -1 with an error. */
int container_copy(struct cloud *cloud, const char *from, const char *to, const char *image, const struct stop *stop, struct error *err);

/* Ends the container that copies to a volume, if there is one. */
int container_copy_stop(struct cloud *cloud, const char *to, const struct stop *stop, struct error *err);

#endif
