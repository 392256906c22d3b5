/* SPDX-License-Identifier: Apache-2.0
 *
 * Templates, images, networks and clusters of OpenNebula that documents call by their name, or by their id.
 */
#ifndef CLOUD_OPENNEBULA_NAMES_H
#define CLOUD_OPENNEBULA_NAMES_H

#include <stdint.h>

#include "cloud/cloud.h"

struct one_reply;
struct _xmlNode;

/* Asks for a pool, "template", "image", "vn" or "cluster". Returns its root; NULL with an error. */
const struct _xmlNode *one_ask_pool(const struct cloud *cloud, const char *pool, const struct stop *stop, struct one_reply *reply, struct error *err);

/* Returns what people call a thing of the pool: "network". */
const char *one_noun(const char *pool);

/* Returns the id that a name in a pool stands for, or -1 with an error. */
int64_t one_id(const struct cloud *cloud, const char *pool, const char *name, const struct stop *stop, struct error *err);

#endif
