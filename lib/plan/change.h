/* SPDX-License-Identifier: Apache-2.0
 *
 * The services that stand and have to be changed, because their definitions or the configuration of the cluster are no
 * longer what they were.
 */
#ifndef PLAN_CHANGE_H
#define PLAN_CHANGE_H

#include <stdbool.h>

struct dependencies;
struct layout;

/* Tells whether the layout says anything of what was, beside which services stood where. */
bool change_is_known(const struct layout *layout);

/* Returns, by definition, the actions that its instances need (of ACTIONS_UPGRADE); 0 if nothing has changed for them. The
 * caller frees the result. */
unsigned *change_find(const struct layout *layout, const struct dependencies *dependencies);

/* Returns, by definition, whether how it is installed, configured, started or stopped has changed. The caller frees it. */
bool *change_find_definitions(const struct layout *layout);

#endif
