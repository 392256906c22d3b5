/* SPDX-License-Identifier: Apache-2.0
 *
 * Steering the operation that is under way on a cluster, also while another process follows it.
 */
#ifndef OPERATION_STEER_H
#define OPERATION_STEER_H

#include "queue/queue.h"

struct error;
struct manner;

/* QUEUE_PAUSE, QUEUE_RESUME or QUEUE_CANCEL (then it waits until nothing runs any more, and settles). *job is the job's id, the
 * caller's to free. EX_NO where nothing is under way, or it is so already. */
int steer(enum queue_order order, const char *cluster, const struct manner *manner, char **job, struct error *err);

#endif
