/* SPDX-License-Identifier: Apache-2.0
 *
 * The host keys that an instance has reported on its console, where cloud-init prints them at each boot.
 */
#ifndef CLOUD_AMAZON_CONSOLE_H
#define CLOUD_AMAZON_CONSOLE_H

#include "cloud/cloud.h"

/* Sets the host keys of the instance, as struct cloud_api has it. */
int ec2_host_keys(struct cloud *cloud, const struct cloud_machine *machine, const struct stop *stop, struct arena *arena, struct string_list *keys,
    struct error *err);

#endif
