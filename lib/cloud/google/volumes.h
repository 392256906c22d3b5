/* SPDX-License-Identifier: Apache-2.0
 *
 * Persistent disks of Google, and their snapshots. Their names are made of the volume's, so that one which is asked for again is the same.
 */
#ifndef CLOUD_GOOGLE_VOLUMES_H
#define CLOUD_GOOGLE_VOLUMES_H

#include "cloud/volume.h"

extern const struct cloud_volume_api google_volumes;

#endif
