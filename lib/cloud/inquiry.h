/* SPDX-License-Identifier: Apache-2.0
 *
 * What a provider of machines of a cloud is asked beside the life of a machine: whether it would work, and which flavors there are. Nothing is
 * made. Records are printed, coopr-plugins(7).
 */
#ifndef CLOUD_INQUIRY_H
#define CLOUD_INQUIRY_H

#include "cloud/cloud.h"

/* Tries all that can be tried, and what the members flavors, images and zones of the entity name, and prints a record "check" for each. Fails with
 * the first that is not well. */
int inquiry_test(struct cloud *cloud, jv entity, const struct stop *stop, struct error *err);

/* Prints a record "flavor" for each. */
int inquiry_flavors(struct cloud *cloud, const struct stop *stop, struct error *err);

#endif
