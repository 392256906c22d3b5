/* SPDX-License-Identifier: Apache-2.0
 *
 * Tells of faults, a line each: the object, the reason, and the remedy. The store remembers what was told, so that a run that nobody
 * watches tells only what is new, has changed, or is cured, and of each fault once a day.
 */
#ifndef RECONCILE_FAULTS_H
#define RECONCILE_FAULTS_H

#include <stdbool.h>

struct account;
struct drift_list;
struct error;
struct reconcile_options;
struct reconcile_scope;

/* Tells of the drift, of which is said how far its repair is, and of what is cured. is_whole: all that there is was compared, so that
 * machines of no cluster that were not found are cured. Returns 1 where something is not as it should be, by this run or by an
 * earlier one whose finding could not be checked now; 0, or -1. */
int faults_tell(struct account *account, const struct reconcile_options *parameters, const struct reconcile_scope *scope,
    const struct drift_list *drift, bool is_whole, struct error *err);

#endif
