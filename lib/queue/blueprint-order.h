/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether the steps of a plan have an order at all, and the index that keeps it.
 */
#ifndef QUEUE_BLUEPRINT_ORDER_H
#define QUEUE_BLUEPRINT_ORDER_H

#include "queue/blueprint.h"

/* Problems for what waits for a step that is not there, and for a cycle, which is named. */
void blueprint_check_order(const struct place *stream, const struct blueprint *blueprint);

#endif
