/* SPDX-License-Identifier: Apache-2.0
 *
 * Servers, as Nova tells of them: which are ours, in which state they are and why, and their addresses.
 */
#ifndef CLOUD_OPENSTACK_SERVER_H
#define CLOUD_OPENSTACK_SERVER_H

#include "cloud/openstack/account.h"

/* Adds all servers of this installation, as struct cloud_api has it. */
int openstack_list_servers(struct cloud *cloud, const char *node, const struct stop *stop, struct cloud_machines *found, struct error *err);

/* Returns the code of an error of make for what Nova says: CLOUD_NO_CAPACITY, CLOUD_NO_QUOTA, or otherwise. */
int openstack_classify(const char *text, int otherwise);

#endif
