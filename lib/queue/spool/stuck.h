/* SPDX-License-Identifier: Apache-2.0
 *
 * What processes hold that a signal has stopped (SIGSTOP), and the end of workers that are.
 */
#ifndef QUEUE_SPOOL_STUCK_H
#define QUEUE_SPOOL_STUCK_H

#include <stdbool.h>

#include "queue/spool/engine.h"

enum {
	STUCK_LOOK_MS = 5000,   /* stopped workers are looked at so often */
	STUCK_GRACE_MS = 30000, /* so long after the time of a task is over a stopped worker is ended */
};

/* Kills a worker that is stopped, and has held a task for longer than the task's time and STUCK_GRACE_MS, with what it has
 * started that is stopped too; what else it has started ends by itself, or is killed later. fd is that of its file, whose lock was
 * refused. Returns true if that was tried. */
bool stuck_end_worker(struct spool_queue *queue, const char *worker, int fd);

#endif
