/* SPDX-License-Identifier: Apache-2.0
 *
 * What has to be done to services that stand, because their definitions or the configuration of the cluster are no longer
 * what they were.
 */
#ifndef PLAN_CHANGE_H
#define PLAN_CHANGE_H

#include <stdbool.h>

struct dependencies;
struct layout;

/* Whether the layout says anything of what was, beside which services stood where. */
bool change_is_known(const struct layout *layout);

/* For each definition: which actions its instances need (of UPGRADE), 0 for those that nothing has changed for. The caller
 * frees it. */
unsigned *change_find(const struct layout *layout, const struct dependencies *dependencies);

/* For each definition: whether how it is installed, configured, started or stopped has changed. The caller frees it. */
bool *change_find_definitions(const struct layout *layout);

#endif
