/* SPDX-License-Identifier: Apache-2.0
 *
 * The file of the scheduler's table, made, mapped and made larger. scheduler-table.h has what is done with it.
 */
#ifndef QUEUE_SPOOL_SHARED_SCHEDULER_FILE_H
#define QUEUE_SPOOL_SHARED_SCHEDULER_FILE_H

#include "queue/spool/shared/scheduler-table.h"

enum { SCHEDULER_FIRST_CAPACITY = 64 };

/* Makes room for so many slots, a power of two. The tables are to be derived anew. */
int scheduler_grow(struct scheduler_table *table, uint32_t capacity, struct error *err);

/* Under the scheduler's table's lock: adds a slot. */
int scheduler_put(struct scheduler_table *table, const struct scheduler_job *job, uint64_t order, uint64_t arrival, struct error *err);

/* Fills a fresh table with the jobs that stand in jobs/. */
int scheduler_fill(struct scheduler_table *table, struct error *err);

#endif
