/* SPDX-License-Identifier: Apache-2.0
 *
 * A judge of plans, which shares no code with the planner: it finds out whether every rule of coopr-plan(1) is kept,
 * whatever order the queue runs the steps in, as long as each waits for those it comes after.
 */
#ifndef CHECK_PLAN_CHECK_H
#define CHECK_PLAN_CHECK_H

#include "json/place.h"

struct plan_document;

/* Lists in findings all that is against the rules; pointers are those of the records. */
void plan_check(const struct plan_document *document, struct problems *findings);

#endif
