/* SPDX-License-Identifier: Apache-2.0
 *
 * How long a job still takes, by its plan: of which running task the end of the job depends most, and what remains, where that was
 * measured.
 */
#ifndef HISTORY_FORECAST_H
#define HISTORY_FORECAST_H

#include <stddef.h>
#include <stdint.h>

#include "base/names.h"
#include "model/plan-document.h"

struct arena;
struct error;
struct queue;
struct queue_job;
struct queue_task_status;

struct forecast { /* zero-initialise; release it */
	struct plan_document plan;
	struct names steps; /* numbers as in plan.steps */
};

/* Reads the plan of a job. */
int forecast_read(struct forecast *forecast, struct queue *queue, const char *job, struct error *err);
void forecast_release(struct forecast *forecast);

/* Returns the expected milliseconds from the start of a running task to the end of the job that are left; hints count, too. */
int64_t forecast_way_ms(const struct forecast *forecast, const struct queue_task_status *task, int64_t now_ms);

/* Returns the milliseconds that the job still takes: along the longest way, or for all work with the plan's slots, if that is
 * more. -1: it is not known, because a task of it was never measured or has failed. */
int64_t forecast_left_ms(const struct forecast *forecast, struct queue *queue, const struct queue_job *job, int64_t now_ms,
    struct arena *arena);

/* Returns how long a running task takes compared with what was measured: "31 s of about 45 s"; without measurements "31 s". */
const char *forecast_say(const struct forecast *forecast, const struct queue_task_status *task, int64_t now_ms,
    struct arena *arena);

#endif
