/* SPDX-License-Identifier: Apache-2.0
 *
 * Floating addresses of Neutron: one for each server whose provider asks for them. Its description says whose it is, so that it is found again
 * after a kill; and as it is asked for with the port that it is for, which has one at most, none is had twice.
 */
#ifndef CLOUD_OPENSTACK_ADDRESS_H
#define CLOUD_OPENSTACK_ADDRESS_H

#include "cloud/openstack/account.h"

/* Sets the addresses from outside of the servers found, where the fields ask for floating ones: theirs, or NULL. */
int openstack_list_addresses(struct cloud *cloud, const struct stop *stop, struct cloud_machines *found, struct error *err);

/* As give_address and clear of struct cloud_api. */
int openstack_give_address(struct cloud *cloud, const struct cloud_machine *machine, const struct stop *stop, struct error *err);
int openstack_clear_addresses(struct cloud *cloud, const char *node, const struct stop *stop, struct error *err);

#endif
