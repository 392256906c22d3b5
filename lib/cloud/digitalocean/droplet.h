/* SPDX-License-Identifier: Apache-2.0
 *
 * Droplets: as one is asked for, and as they are listed.
 */
#ifndef CLOUD_DIGITALOCEAN_DROPLET_H
#define CLOUD_DIGITALOCEAN_DROPLET_H

#include "cloud/cloud.h"

struct do_account;

/* Returns what is asked for, owned. */
jv do_droplet(const struct do_account *account, const struct cloud_order *order);

/* Adds the droplet that an object is. */
int do_read_droplet(jv droplet, struct cloud_machines *machines, struct error *err);

/* Adds all droplets of this installation, as struct cloud_api has it. */
int do_list(struct cloud *cloud, const char *node, const struct stop *stop, struct cloud_machines *found, struct error *err);

#endif
