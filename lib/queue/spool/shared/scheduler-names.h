/* SPDX-License-Identifier: Apache-2.0
 *
 * The slots of the scheduler's table by the names of jobs and clusters: who is found under a name, and who waits for whom.
 */
#ifndef QUEUE_SPOOL_SHARED_SCHEDULER_NAMES_H
#define QUEUE_SPOOL_SHARED_SCHEDULER_NAMES_H

#include "queue/spool/shared/scheduler-table.h"

/* Under the table's lock. leave returns the link to the job that has waited for this one, 0: none. */
void scheduler_names_enter(struct scheduler_table *table, uint32_t link);
uint32_t scheduler_names_leave(struct scheduler_table *table, uint32_t link);

/* The link to the slot of a job, 0: it has none. */
uint32_t scheduler_names_find(const struct scheduler_table *table, const char *job);

#endif
