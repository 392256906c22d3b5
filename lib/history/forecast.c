/* SPDX-License-Identifier: Apache-2.0 */
#include "history/forecast.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "json/record.h"
#include "queue/read.h"

enum { FORECAST_RUNNING = 64 }; /* of more running tasks it is not read since when they run */

int
forecast_read(struct forecast *forecast, struct queue *queue, const char *job, struct error *err)
{
	struct record_reader reader = {.fd = -1, .name = job, .end = true};
	struct problems problems = {0};
	int result = queue_plan(queue, job, &reader.pending, err);

	if (result == 0)
		result = plan_document_read(&reader, &forecast->plan, &problems, err);
	if (result == 0)
		result = problems_error(&problems, "its plan", EX_DATAERR, err);
	for (size_t i = 0; result == 0 && i < forecast->plan.count; i++)
		names_intern(&forecast->steps, forecast->plan.steps[i].id);
	record_reader_release(&reader);
	problems_release(&problems);
	return result;
}

void
forecast_release(struct forecast *forecast)
{
	names_release(&forecast->steps);
	plan_document_release(&forecast->plan);
	*forecast = (struct forecast){0};
}

static const struct step *
forecast_step(const struct forecast *forecast, const struct queue_task_status *task)
{
	int number = names_find(&forecast->steps, task->task);

	return number == NAMES_NONE ? NULL : &forecast->plan.steps[number];
}

/* Returns the milliseconds for which a task has been running. */
static int64_t
forecast_age_ms(const struct queue_task_status *task, int64_t now_ms)
{
	return task->at_ms && now_ms > task->at_ms ? now_ms - task->at_ms : 0;
}

/* Returns what is left of a running task itself, at least nothing. */
static double
forecast_rest_ms(const struct step *step, const struct queue_task_status *task, int64_t now_ms)
{
	double age_ms = (double)forecast_age_ms(task, now_ms), expect_ms = step->expect_s * 1000;

	return age_ms < expect_ms ? expect_ms - age_ms : 0;
}

int64_t
forecast_way_ms(const struct forecast *forecast, const struct queue_task_status *task, int64_t now_ms)
{
	const struct step *step = forecast_step(forecast, task);

	return step ? (int64_t)((step->rank - step->expect_s) * 1000 + forecast_rest_ms(step, task, now_ms)) : 0;
}

int64_t
forecast_left_ms(const struct forecast *forecast, struct queue *queue, const struct queue_job *job, int64_t now_ms,
    struct arena *arena)
{
	const struct queue_filter filter = {.statuses = 1u << STEP_BLOCKED | 1u << STEP_READY | 1u << STEP_DELAYED | 1u << STEP_RUNNING,
	    .details = job->running <= FORECAST_RUNNING};
	const struct job *planned = &forecast->plan.job;
	struct queue_task_status *tasks;
	struct error ignored; /* then it is not known */
	double work_ms = 0, longest_ms = 0;
	size_t count;

	if (planned->runs == 0 || job->failed > 0 || queue_tasks(queue, job->id, &filter, arena, &tasks, &count, &ignored) < 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		const struct step *step = forecast_step(forecast, &tasks[i]);
		double rest_ms, way_ms;

		if (!step)
			return -1;
		rest_ms = tasks[i].status == STEP_RUNNING ? forecast_rest_ms(step, &tasks[i], now_ms) : step->expect_s * 1000;
		way_ms = (step->rank - step->expect_s) * 1000 + rest_ms;
		work_ms += rest_ms;
		longest_ms = way_ms > longest_ms ? way_ms : longest_ms;
	}
	work_ms = planned->slots > 0 ? work_ms / (double)planned->slots : 0;
	return (int64_t)(work_ms > longest_ms ? work_ms : longest_ms);
}

const char *
forecast_say(const struct forecast *forecast, const struct queue_task_status *task, int64_t now_ms, struct arena *arena)
{
	const struct step *step = forecast_step(forecast, task);
	char age[CLOCK_RFC3339_SIZE], usual[CLOCK_RFC3339_SIZE];
	int64_t age_ms = forecast_age_ms(task, now_ms);

	clock_duration(age_ms, age);
	if (!step || step->runs == 0 || task->undoing)
		return arena_string(arena, age);
	if ((double)age_ms <= step->expect_s * 1000)
		return arena_printf(arena, "%s of about %s", age, clock_duration((int64_t)(step->expect_s * 1000), usual));
	clock_duration((int64_t)(step->p90_s * 1000), usual);
	if ((double)age_ms <= step->p90_s * 1000)
		return arena_printf(arena, "%s; 90th percentile: %s", age, usual);
	return arena_printf(arena, "%s; longer than the 90th percentile, %s", age, usual);
}
