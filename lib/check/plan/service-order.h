/* SPDX-License-Identifier: Apache-2.0
 *
 * The order between services: each task waits for all tasks of others that duty.h finds.
 */
#ifndef CHECK_PLAN_SERVICE_ORDER_H
#define CHECK_PLAN_SERVICE_ORDER_H

struct judge;

/* Reports each task of the judge's plan that does not wait for what it has to. */
void service_order_check(struct judge *judge);

#endif
