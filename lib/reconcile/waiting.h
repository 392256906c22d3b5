/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the services that a repair cannot start, as they have no action for it; and those that may be down only because one that they need is: a repair begins with that one, and looks at the others
 * again when it is healthy, so that a dead database does not restart every application.
 */
#ifndef RECONCILE_WAITING_H
#define RECONCILE_WAITING_H

struct drift_list;
struct layout;

/* Sets starts_not, and waits_for, of each stopped service in found, the drift of the cluster of that layout, which needs one that is not healthy
 * and does not need it. The names are the layout's. */
void waiting_mark(const struct layout *layout, struct drift_list *found);

#endif
