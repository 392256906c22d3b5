/* SPDX-License-Identifier: Apache-2.0
 *
 * Which image a word means: that of a name in the account's project, of a name in the project where Google or its partner publishes such images, or the
 * newest of a family.
 */
#ifndef CLOUD_GOOGLE_IMAGE_H
#define CLOUD_GOOGLE_IMAGE_H

#include "cloud/cloud.h"

/* Returns the path of an image, "projects/debian-cloud/global/images/debian-12-bookworm-v20260101", in the arena; NULL with an error. What was found is
 * kept until the process ends. */
const char *google_image(const struct cloud *cloud, const char *image, const struct stop *stop, struct arena *arena, struct error *err);

#endif
