/* SPDX-License-Identifier: Apache-2.0
 *
 * The history of a cluster: its operations, and what each of them has changed. The columns are in status/state-line.c.
 */
#ifndef SHOW_CLUSTER_HISTORY_H
#define SHOW_CLUSTER_HISTORY_H

#include <stdint.h>

#include "status/status.h"

/* Prints its operations, the newest first, at most limit (0: all). */
int cluster_history_print(struct cluster_status *status, int64_t limit, struct output *output, struct error *err);

/* Prints what operation number has changed, or changes (layout-diff.h). Returns 1, or 0 if that is nothing; -1. */
int cluster_history_changes(struct cluster_status *status, int64_t number, struct output *output, struct error *err);

/* Prints the tasks of the plan of operation number, and the milestones between them, as records without what the tasks are told. Returns
 * how many; -1. */
int cluster_history_tasks(struct cluster_status *status, int64_t number, struct output *output, struct error *err);

#endif
