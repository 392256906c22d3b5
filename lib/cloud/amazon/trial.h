/* SPDX-License-Identifier: Apache-2.0
 *
 * What is asked of EC2 without making anything: whether what the fields, hardware types and image types name is there, and which instance types
 * there are. The Query API tells neither limits nor prices.
 */
#ifndef CLOUD_AMAZON_TRIAL_H
#define CLOUD_AMAZON_TRIAL_H

#include "cloud/cloud.h"

/* As struct cloud_api has them. */
int ec2_try(struct cloud *cloud, enum cloud_trial trial, const char *name, const struct stop *stop, struct arena *arena, const char **said,
    struct error *err);
int ec2_flavors(struct cloud *cloud, const struct stop *stop, struct cloud_flavors *flavors, struct error *err);

#endif
