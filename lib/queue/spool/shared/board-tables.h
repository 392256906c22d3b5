/* SPDX-License-Identifier: Apache-2.0
 *
 * The tables of the board that follow from its slots: what each tenant and provider runs, what is served first, what comes
 * next in time. All under the board's lock.
 */
#ifndef QUEUE_SPOOL_SHARED_BOARD_TABLES_H
#define QUEUE_SPOOL_SHARED_BOARD_TABLES_H

#include "queue/spool/shared/board.h"

/* Enters a slot whose own members are filled in, at the end of its cluster; and takes it out of everything. */
void board_tables_enter(struct board *board, uint32_t link);
void board_tables_leave(struct board *board, uint32_t link);

/* The slot has got other hints. */
void board_tables_update(struct board *board, uint32_t link, const struct board_hint *hint);

/* Counts so many more of its tasks as running. */
void board_tables_count(struct board *board, uint32_t link, int64_t more);

void board_tables_set_busy(struct board *board, uint32_t link, bool busy);
void board_tables_set_timer(struct board *board, uint32_t link, int64_t timer_ms);

/* The number of the tenant or provider of that name, added where it is not there. */
uint32_t board_tables_party(struct board *board, enum board_party_kind kind, const char *name);

/* The link to a slot for a new job, 0: the board is to grow. */
uint32_t board_tables_free_slot(struct board *board);

/* Makes all of it anew from the slots. */
void board_tables_derive(struct board *board);

#endif
