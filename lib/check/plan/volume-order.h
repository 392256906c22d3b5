/* SPDX-License-Identifier: Apache-2.0
 *
 * Volumes in a plan: each node on which services that ask for some are new gets them, all of them and no others, before anything else is
 * done there for these, and after the deletion of all nodes that may have had them.
 */
#ifndef CHECK_PLAN_VOLUME_ORDER_H
#define CHECK_PLAN_VOLUME_ORDER_H

#include <stdbool.h>

struct judge;

/* Tells whether a machine that answers is deleted with volumes which a service that is new on another node may get. */
bool volume_order_hands_over(const struct judge *judge);

void volume_order_check(struct judge *judge);

#endif
