/* SPDX-License-Identifier: Apache-2.0
 *
 * The tables of the scheduler's table that follow from its slots: what each tenant and provider runs, what is served
 * first, what comes next in time. All under the scheduler's table's lock.
 */
#ifndef QUEUE_SPOOL_SHARED_SCHEDULER_LINKS_H
#define QUEUE_SPOOL_SHARED_SCHEDULER_LINKS_H

#include "queue/spool/shared/scheduler-table.h"

/* Enters a slot whose own members are filled in, at the end of its cluster; and takes it out of everything. */
void scheduler_links_enter(struct scheduler_table *table, uint32_t link);
void scheduler_links_leave(struct scheduler_table *table, uint32_t link);

/* The slot has got other hints. */
void scheduler_links_update(struct scheduler_table *table, uint32_t link, const struct scheduler_hint *hint);

/* Counts so many more of its tasks as running. */
void scheduler_links_count(struct scheduler_table *table, uint32_t link, int64_t more);

void scheduler_links_set_busy(struct scheduler_table *table, uint32_t link, bool busy);
void scheduler_links_set_timer(struct scheduler_table *table, uint32_t link, int64_t timer_ms);

/* The number of the tenant or provider of that name, added where it is not there. */
uint32_t scheduler_links_limit_key(struct scheduler_table *table, enum limit_key_kind kind, const char *name);

/* The link to a slot for a new job, 0: the scheduler's table is to grow. */
uint32_t scheduler_links_free_slot(struct scheduler_table *table);

/* Makes all of it anew from the slots. */
void scheduler_links_derive(struct scheduler_table *table);

#endif
