/* SPDX-License-Identifier: Apache-2.0
 *
 * What can be asked of DigitalOcean without making anything: functions of struct cloud_api.
 */
#ifndef CLOUD_DIGITALOCEAN_TRIAL_H
#define CLOUD_DIGITALOCEAN_TRIAL_H

#include "cloud/cloud.h"

int do_try(struct cloud *cloud, enum cloud_trial trial, const char *name, const struct stop *stop, struct arena *arena, const char **said,
    struct error *err);
int do_flavors(struct cloud *cloud, const struct stop *stop, struct cloud_flavors *flavors, struct error *err);

#endif
