/* SPDX-License-Identifier: Apache-2.0
 *
 * Mounts the volumes of a node, the action mount of plans: its half for the node is share/coopr/shell/volumes.sh.
 */
#ifndef AUTOMATOR_VOLUMES_H
#define AUTOMATOR_VOLUMES_H

#include "automator/automator.h"

/* Fills the work, as struct automator's prepare. */
int volumes_prepare(const struct task *task, struct arena *arena, struct automator_work *work, struct error *err);

#endif
