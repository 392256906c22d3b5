/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/stop.h"

#include <time.h>

#include "base/clock.h"
#include "base/error.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The time of the wall may jump, and is none to wait by. */
void
stop_prepare_condition(pthread_cond_t *condition)
{
	pthread_condattr_t attributes;

	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(condition, &attributes);
	pthread_condattr_destroy(&attributes);
}

static void
stop_prepare(void)
{
	stop_prepare_condition(&changed);
}

void
stop_lock(void)
{
	pthread_once(&once, stop_prepare);
	pthread_mutex_lock(&lock);
}

void
stop_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

void
stop_wake_all(void)
{
	pthread_cond_broadcast(&changed);
}

static int
stop_look(const struct stop *stop, struct error *err)
{
	if (stop->cancelled)
		return error_set(err, EX_TEMPFAIL, "stopped");
	if (clock_monotonic_ms() >= stop->deadline_ms)
		return error_set(err, EX_TEMPFAIL, "the time of the task is over");
	return 0;
}

static int
stop_wait_until(pthread_cond_t *condition, const struct stop *stop, int64_t until_ms, struct error *err)
{
	int64_t until = until_ms < stop->deadline_ms ? until_ms : stop->deadline_ms;
	struct timespec at = {.tv_sec = (time_t)(until / 1000), .tv_nsec = (long)(until % 1000) * 1000000};

	if (stop_look(stop, err) < 0)
		return -1;
	pthread_cond_timedwait(condition, &lock, &at);
	return stop_look(stop, err);
}

int
stop_wait(const struct stop *stop, int64_t until_ms, struct error *err)
{
	return stop_wait_until(&changed, stop, until_ms, err);
}

int
stop_wait_for(pthread_cond_t *condition, const struct stop *stop, struct error *err)
{
	return stop_wait_until(condition, stop, clock_monotonic_ms() + STOP_LOOK_MS, err);
}

int
stop_sleep(const struct stop *stop, int64_t ms, struct error *err)
{
	int64_t until = clock_monotonic_ms() + ms;
	int result = 0;

	stop_lock();
	while (result == 0 && clock_monotonic_ms() < until)
		result = stop_wait(stop, until, err);
	stop_unlock();
	return result;
}

bool
stop_is_due(const struct stop *stop)
{
	bool due;

	stop_lock();
	due = stop->cancelled;
	stop_unlock();
	return due || clock_monotonic_ms() >= stop->deadline_ms;
}

int
stop_check(const struct stop *stop, struct error *err)
{
	int result;

	stop_lock();
	result = stop_look(stop, err);
	stop_unlock();
	return result;
}

void
stop_cancel(struct stop *stop)
{
	stop_lock();
	stop->cancelled = true;
	stop_wake_all();
	stop_unlock();
}
