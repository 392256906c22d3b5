/* SPDX-License-Identifier: Apache-2.0
 *
 * Things of an OpenStack that documents call by their name, or by their id: what was found is kept for a minute.
 */
#ifndef CLOUD_OPENSTACK_NAMES_H
#define CLOUD_OPENSTACK_NAMES_H

#include "cloud/openstack/account.h"

enum openstack_kind { OPENSTACK_A_FLAVOR, OPENSTACK_AN_IMAGE, OPENSTACK_A_NETWORK, OPENSTACK_AN_EXTERNAL_NETWORK, OPENSTACK_A_SECURITY_GROUP };

/* Finds it: its id is text, or it is the only one of that name; text NULL: it is the only one of its kind. Returns NULL with an error: EX_CONFIG
 * where there is none or more than one. It lives as long as the cloud. */
const struct openstack_name *openstack_find(struct cloud *cloud, enum openstack_kind kind, const char *text, const struct stop *stop,
    struct error *err);

/* Tells whether the text is like an id of those that OpenStack draws. */
bool openstack_is_id(const char *text);

#endif
