/* SPDX-License-Identifier: Apache-2.0
 *
 * Machines of Triton as they are listed: in which state they are, their tags and their addresses.
 */
#ifndef CLOUD_JOYENT_MACHINE_H
#define CLOUD_JOYENT_MACHINE_H

#include "cloud/cloud.h"

/* Adds the machine that an object is. */
int jo_read_machine(jv value, struct cloud_machines *machines, struct error *err);

/* Adds all machines of this installation, as struct cloud_api has it. */
int jo_list(struct cloud *cloud, const char *node, const struct stop *stop, struct cloud_machines *found, struct error *err);

#endif
