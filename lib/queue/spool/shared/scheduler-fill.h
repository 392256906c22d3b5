/* SPDX-License-Identifier: Apache-2.0
 *
 * How jobs come into the scheduler's table: one that is put, or all that stand in jobs/ where the table is made anew.
 */
#ifndef QUEUE_SPOOL_SHARED_SCHEDULER_FILL_H
#define QUEUE_SPOOL_SHARED_SCHEDULER_FILL_H

#include "queue/spool/shared/scheduler-table.h"

/* Adds a slot, under the table's lock. */
int scheduler_put(struct scheduler_table *table, const struct scheduler_job *job, uint64_t order, uint64_t arrival,
    struct error *err);

/* Fills a fresh table with the jobs that stand in jobs/. */
int scheduler_fill(struct scheduler_table *table, struct error *err);

#endif
