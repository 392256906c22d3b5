/* SPDX-License-Identifier: Apache-2.0
 *
 * What has changed for the services that stand, as the judge of plans finds it: their definitions, and the configuration.
 */
#ifndef CHECK_PLAN_CHANGED_H
#define CHECK_PLAN_CHANGED_H

#include "check/plan/judge.h"

/* Returns, by service, the actions that are done to its instances because its definition is another; 0: it is the same. The
 * caller frees the result. */
unsigned *changed_definitions(const struct judge *judge);

/* Returns, by service, whether the configuration has changed for it. The caller frees the result. */
bool *changed_configuration(const struct judge *judge);

#endif
