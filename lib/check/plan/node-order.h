/* SPDX-License-Identifier: Apache-2.0
 *
 * The order on each node: create, confirm, bootstrap; each service stage by stage; delete at last.
 */
#ifndef CHECK_PLAN_NODE_ORDER_H
#define CHECK_PLAN_NODE_ORDER_H

struct judge;

/* Requires this order of the judge's plan. */
void node_order_check(struct judge *judge);

#endif
