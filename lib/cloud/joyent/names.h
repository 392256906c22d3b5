/* SPDX-License-Identifier: Apache-2.0
 *
 * Packages, images and networks of Triton that documents call by their name, or by their id.
 */
#ifndef CLOUD_JOYENT_NAMES_H
#define CLOUD_JOYENT_NAMES_H

#include "cloud/cloud.h"

/* Returns the id that a name stands for, in the arena; kind is "packages", "images" or "networks". An image may be NAME@VERSION. NULL with an error. */
const char *jo_id(const struct cloud *cloud, const char *kind, const char *name, const struct stop *stop, struct arena *arena, struct error *err);

#endif
