/* SPDX-License-Identifier: Apache-2.0
 *
 * How a task that waits in a thread of its own is told to end: it is cancelled, or its time is over. Everything in this folder that waits,
 * waits here.
 */
#ifndef CLOUD_STOP_H
#define CLOUD_STOP_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct error;

struct stop {
	int64_t deadline_ms; /* monotonic */
	bool cancelled;      /* under the lock */
};

/* The lock under which the threads of a plugin share what they have, and the condition for which they wait: that something of it has
 * changed. */
void stop_lock(void);
void stop_unlock(void);
void stop_wake_all(void); /* under the lock */

/* Waits under the lock until something has changed, or until the instant. Fails with EX_TEMPFAIL where the task is to end. */
int stop_wait(const struct stop *stop, int64_t until_ms, struct error *err);

/* Prepares a condition of a caller's own, which wakes one who waits for it and not all, and waits for it as above; that the task is cancelled is
 * seen at most STOP_LOOK_MS later. */
void stop_prepare_condition(pthread_cond_t *condition);
int stop_wait_for(pthread_cond_t *condition, const struct stop *stop, struct error *err);

/* Waits so long without the lock. Fails as stop_wait does. */
int stop_sleep(const struct stop *stop, int64_t ms, struct error *err);

/* Tells whether the task is to end. */
bool stop_is_due(const struct stop *stop);

/* Fails with EX_TEMPFAIL where the task is to end. */
int stop_check(const struct stop *stop, struct error *err);

/* Has the task end soon. */
void stop_cancel(struct stop *stop);

enum { STOP_LOOK_MS = 500 };

#endif
