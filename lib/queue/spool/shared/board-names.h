/* SPDX-License-Identifier: Apache-2.0
 *
 * The slots of the board by the names of jobs and clusters: who is found under a name, and who waits for whom.
 */
#ifndef QUEUE_SPOOL_SHARED_BOARD_NAMES_H
#define QUEUE_SPOOL_SHARED_BOARD_NAMES_H

#include "queue/spool/shared/board.h"

/* Under the board's lock. leave returns the link to the job that has waited for this one, 0: none. */
void board_names_enter(struct board *board, uint32_t link);
uint32_t board_names_leave(struct board *board, uint32_t link);

/* The link to the slot of a job, 0: it has none. */
uint32_t board_names_find(const struct board *board, const char *job);

#endif
