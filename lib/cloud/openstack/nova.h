/* SPDX-License-Identifier: Apache-2.0
 *
 * Servers that are asked for, deleted, and whose console is read: functions of struct cloud_api.
 */
#ifndef CLOUD_OPENSTACK_NOVA_H
#define CLOUD_OPENSTACK_NOVA_H

#include "cloud/openstack/account.h"

int nova_make(struct cloud *cloud, const struct cloud_order *order, const struct stop *stop, struct cloud_machines *made, bool *unknown,
    struct error *err);
int nova_remove(struct cloud *cloud, const struct cloud_machine *machine, const struct stop *stop, struct error *err);
int nova_host_keys(struct cloud *cloud, const struct cloud_machine *machine, const struct stop *stop, struct arena *arena,
    struct string_list *keys, struct error *err);

#endif
