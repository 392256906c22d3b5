/* SPDX-License-Identifier: Apache-2.0
 *
 * What OpenNebula is asked for: a machine of a template, or of a size alone.
 */
#ifndef CLOUD_OPENNEBULA_ORDER_H
#define CLOUD_OPENNEBULA_ORDER_H

#include "cloud/cloud.h"

struct buffer;

/* Reads a flavor that is a size and no template, "2x4096": CPUs and MB. */
bool one_read_size(const char *flavor, double *cpus, double *memory_mb);

/* Writes the call that makes it. Returns the method; NULL with an error. */
const char *one_write_order(const struct cloud *cloud, const struct cloud_order *order, const struct stop *stop, struct buffer *call, struct error *err);

#endif
