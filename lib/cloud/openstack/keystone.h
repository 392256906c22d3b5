/* SPDX-License-Identifier: Apache-2.0
 *
 * Sessions: a login at Keystone gives a token for a while and tells where the other services are. All threads share one session.
 */
#ifndef CLOUD_OPENSTACK_KEYSTONE_H
#define CLOUD_OPENSTACK_KEYSTONE_H

#include "cloud/openstack/account.h"

/* Returns the session, and begins one where there is none, or where it is `stale`, whose token was refused. NULL with an error. */
const struct openstack_session *keystone_session(struct cloud *cloud, const struct openstack_session *stale, const struct stop *stop,
    struct error *err);

#endif
