/* SPDX-License-Identifier: Apache-2.0
 *
 * What the workers of a provisioner ask the queue for: a task, and that its result is recorded. A worker has one task at a time, on a lease
 * of its time limit; it is ready again before, where its provisioner has not been heard of.
 */
#ifndef PROVISIONER_ERRAND_H
#define PROVISIONER_ERRAND_H

#include <stdint.h>

#include "json/json.h"

struct error;
struct queue;
struct store;

enum { ERRAND_SILENCE_MS = 120 * 1000 }; /* a provisioner that was not heard of for so long has died */

struct errand { /* who asks */
	struct store *store; /* open to write */
	struct queue *queue; /* and this */
	int64_t token;       /* the number of the one that was shown */
};

/* Takes a task for {"provisionerId", "workerId", "tenantId"}; the worker asks for none while it is at one, so that what it was given before
 * and has not finished is ready again. Sets *task (owned) to its document, with the values of its secrets; invalid where none is ready.
 * EX_DATAERR for an order that is malformed; EX_NOPERM where provisioner or tenant are not the token's. */
int errand_take(const struct errand *errand, jv order, jv *task, struct error *err);

/* Gives a task back that errand_take has taken for that order, and that nobody got. */
int errand_give_back(const struct errand *errand, jv order, struct error *err);

/* Records a result: the members of such an order with "taskId", "status", and what a plugin says of the node. EX_TEMPFAIL where the task is
 * not the worker's, or not any more. */
int errand_finish(const struct errand *errand, jv order, struct error *err);

/* Makes ready again what was given to provisioners that have died or left; those that were heard before since_ms (CLOCK_BOOTTIME, when
 * one could be heard first) count from then. */
int errand_sweep(const struct errand *errand, int64_t since_ms, struct error *err);

#endif
