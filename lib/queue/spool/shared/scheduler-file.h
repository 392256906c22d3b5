/* SPDX-License-Identifier: Apache-2.0
 *
 * The file of the scheduler's table: its layout, and how it is mapped and made larger. scheduler-lock.c knows when it may be
 * believed, scheduler-table.h has what is done with it.
 */
#ifndef QUEUE_SPOOL_SHARED_SCHEDULER_FILE_H
#define QUEUE_SPOOL_SHARED_SCHEDULER_FILE_H

#include "queue/spool/shared/scheduler-table.h"

enum { SCHEDULER_FIRST_CAPACITY = 64 };

/* Returns how large the file of so many slots is: behind the entries stand their sums. */
size_t scheduler_size_for(uint32_t capacity);

/* Returns how many bytes the entries of so many slots are. */
size_t scheduler_entries_size(uint32_t capacity);

/* Maps size bytes of the file in the place of what was mapped. */
int scheduler_map(struct scheduler_table *table, size_t size, struct error *err);

/* Maps what there is. Returns 1 where it can be used, 0 where it is to be made anew. */
int scheduler_map_usable(struct scheduler_table *table, struct error *err);

/* Returns whether what is mapped, of so many bytes, is of this version and this start of the machine. */
bool scheduler_is_usable(const struct scheduler_table *table, size_t size);

/* Makes an empty table that nobody may use before scheduler_validate, which gives it its sums and its magic. */
int scheduler_reset(struct scheduler_table *table, struct error *err);
void scheduler_validate(struct scheduler_table *table);

/* Makes room for so many slots, a power of two. All links are to be derived anew. */
int scheduler_grow(struct scheduler_table *table, uint32_t capacity, struct error *err);

/* Looks at touches from here on. */
void scheduler_begin_checksum(const struct scheduler_table *table);

/* Returns the sum of the header's second part, which the first part holds. */
uint32_t scheduler_sum_of(const struct scheduler_header *header);

/* Says that the file cannot be used, with errno. Returns -1. */
int scheduler_fail(const struct scheduler_table *table, struct error *err);

#endif
