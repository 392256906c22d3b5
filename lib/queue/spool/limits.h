/* SPDX-License-Identifier: Apache-2.0
 *
 * The limits of a spool: the file limits.json, and what of it stands on the scheduler's table. It is read when it is not
 * the one that the scheduler's table's limits are from.
 */
#ifndef QUEUE_SPOOL_LIMITS_H
#define QUEUE_SPOOL_LIMITS_H

#include "queue/spool/engine.h"

/* Brings the scheduler's table's limits in line with the file. EX_DATAERR where that cannot be read: nothing may be taken. */
int limits_refresh(struct spool_queue *queue, struct error *err);

/* Returns whether the file can be read: 0, or -1 with the reason. */
int limits_check(const struct spool_queue *queue, struct error *err);

#endif
