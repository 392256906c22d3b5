/* SPDX-License-Identifier: Apache-2.0
 *
 * Volumes of Amazon EBS, and their snapshots.
 */
#ifndef CLOUD_AMAZON_VOLUMES_H
#define CLOUD_AMAZON_VOLUMES_H

#include "cloud/volume.h"

extern const struct cloud_volume_api ec2_volumes;

#endif
