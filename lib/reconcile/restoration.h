/* SPDX-License-Identifier: Apache-2.0
 *
 * Services that say "repair": "restore": a lost machine with their data is replaced where the newest archive of each instance on it is
 * there, and then the data is restored. The history of the cluster says what waits for that: a replacement with such a reason, behind which
 * there is no restore yet.
 */
#ifndef RECONCILE_RESTORATION_H
#define RECONCILE_RESTORATION_H

#include <stdbool.h>

struct account;
struct buffer;
struct drift;
struct drift_list;
struct error;
struct kept_data;
struct reconcile_options;
struct reconcile_scope;

/* Returns whether all data on the lost machine may be restored, and has an archive; appends which: "the archive X of TIME of mysql". */
bool restoration_is_possible(struct account *account, const struct kept_data *kept, const struct drift *drift, struct buffer *archives);

/* Begins the restores that are to follow a replacement in scope, and adds them to the drift. Returns 0, or the code of the worst failure,
 * which got a notice; -1 where nothing could be done. */
int restoration_begin(struct account *account, const struct reconcile_options *parameters, const struct reconcile_scope *scope,
    struct drift_list *drift, struct error *err);

#endif
