/* SPDX-License-Identifier: Apache-2.0
 *
 * Machines of OpenNebula as they are listed: which are ours, in which state they are and why, and their addresses.
 */
#ifndef CLOUD_OPENNEBULA_MACHINE_H
#define CLOUD_OPENNEBULA_MACHINE_H

#include "cloud/cloud.h"

/* Adds all machines of this installation, as struct cloud_api has it. */
int one_list(struct cloud *cloud, const char *node, const struct stop *stop, struct cloud_machines *found, struct error *err);

/* Returns the name that a tag has as an attribute, "coopr-node" as COOPR_NODE, in the arena. */
char *one_attribute(const char *tag, struct arena *arena);

#endif
