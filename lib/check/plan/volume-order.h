/* SPDX-License-Identifier: Apache-2.0
 *
 * Volumes in a plan: each node on which services that ask for some are new gets them, all of them and no others, before anything else is
 * done there for these, and after the deletion of all nodes that may have had them.
 */
#ifndef CHECK_PLAN_VOLUME_ORDER_H
#define CHECK_PLAN_VOLUME_ORDER_H

#include <stdbool.h>
#include <stddef.h>

#include "model/action.h"

struct judge;

/* Returns the task that does this to the node; JUDGE_NONE if there is none. */
int volume_order_task(const struct judge *judge, size_t node, enum action action);

/* Tells whether a service is set up by the plan on the node, and asks for volumes; or stood there, and had some. */
bool volume_order_is_new(const struct judge *judge, size_t node, size_t service);
bool volume_order_had(const struct judge *judge, size_t node, size_t service);

/* Marks the services whose volumes may go from a machine that answers to a new node. */
void volume_order_mark_handed(const struct judge *judge, bool *handed);

/* Tells whether a machine that answers is deleted with volumes which a service that is new on another node may get. */
bool volume_order_hands_over(const struct judge *judge);

void volume_order_check(struct judge *judge);

#endif
