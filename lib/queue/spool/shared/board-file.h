/* SPDX-License-Identifier: Apache-2.0
 *
 * The file of the board, made, mapped and made larger. board.h has what is done with it.
 */
#ifndef QUEUE_SPOOL_SHARED_BOARD_FILE_H
#define QUEUE_SPOOL_SHARED_BOARD_FILE_H

#include "queue/spool/shared/board.h"

enum { BOARD_FIRST_CAPACITY = 64 };

/* Makes room for so many slots, a power of two. The tables are to be derived anew. */
int board_grow(struct board *board, uint32_t capacity, struct error *err);

/* Under the board's lock: adds a slot. */
int board_put(struct board *board, const struct board_job *job, uint64_t order, uint64_t arrival, struct error *err);

/* Fills a fresh board with the jobs that stand in jobs/. */
int board_fill(struct board *board, struct error *err);

#endif
