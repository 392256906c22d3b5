/* SPDX-License-Identifier: Apache-2.0
 *
 * Volumes of Cinder, and their snapshots; Nova attaches them.
 */
#ifndef CLOUD_OPENSTACK_VOLUMES_H
#define CLOUD_OPENSTACK_VOLUMES_H

#include "cloud/volume.h"

extern const struct cloud_volume_api openstack_volumes;

#endif
