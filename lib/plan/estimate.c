/* SPDX-License-Identifier: Apache-2.0
 *
 * The expected duration of a plan, from what was measured of its tasks. A sum of medians is not the median of a sum, nor is that
 * so of percentiles, and a plan ends when the slowest of many machines does: so the plan is carried out many times on a clock of
 * its own, and the durations are sorted. In each of these draws a task takes median * e^(sigma * z): durations cannot be negative
 * and have a long tail. sigma follows from the 90th percentile that was measured. Of n measurements that is the k-th, below which
 * k / (n + 1) of all such tasks are expected: of few measurements it tells less than nine of ten, and sigma is larger for it. z is
 * standard normal, half of its variance common to all tasks of a kind in the draw: where a package mirror is slow, it is slow for all
 * machines.
 * The numbers are drawn from a fixed seed: the same input gives the same plan.
 */
#include <math.h>
#include <stdlib.h>

#include "base/names.h"
#include "plan/plan.h"

enum { DRAWS_MAX = 201, DRAWS_MIN = 11, DRAWN_TASKS = 200000, SUMMANDS = 12 };

#define NORMAL_P99 2.3263478740408408 /* 99 of 100 standard normal numbers are below it: no measurements tell of more */

struct estimate {
	struct plan *plan;
	uint64_t seed;
	uint32_t *kinds;  /* by step: the number of its kind of task */
	size_t kind_count;
	double *common;   /* by kind: the z that its tasks have in common in a draw */
	double *seconds;  /* by step */
};

/* Returns a standard normal number: a sum of uniform ones (splitmix64), which is the same on every machine. */
static double
estimate_normal(struct estimate *estimate)
{
	double sum = 0;

	for (int i = 0; i < SUMMANDS; i++) {
		uint64_t z = estimate->seed += 0x9e3779b97f4a7c15;

		z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
		z = (z ^ z >> 27) * 0x94d049bb133111eb;
		sum += (double)((z ^ z >> 31) >> 11) / 9007199254740992.0;
	}
	return sum - SUMMANDS / 2.0;
}

/* Returns below which standard normal number the share q of them is, from 0.5 to 1: Abramowitz and Stegun 26.2.23. */
static double
estimate_normal_quantile(double q)
{
	double t = sqrt(-2 * log(1 - q));

	return t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
}

/* Returns how many standard deviations the measured 90th percentile of a task is above its median. */
static double
estimate_p90_deviations(const struct step *step)
{
	double runs = (double)step->runs, rank = floor(0.9 * (runs - 1) + 0.5) + 1;

	return runs > 1 ? estimate_normal_quantile(fmax(rank / (runs + 1), 0.6)) : 1;
}

/* Returns how long a task takes that is z standard deviations slower than the median. */
static double
estimate_seconds(const struct step *step, double z)
{
	double bounded = fmin(fmax(z, -NORMAL_P99), NORMAL_P99);

	if (step->p90_s <= step->expect_s)
		return step->expect_s;
	if (step->expect_s > 0)
		return step->expect_s * pow(step->p90_s / step->expect_s, bounded / estimate_p90_deviations(step));
	return bounded > 0 ? step->p90_s * bounded / estimate_p90_deviations(step) : 0;
}

static double
estimate_draw(struct estimate *estimate, size_t slots)
{
	const struct plan *plan = estimate->plan;

	for (size_t i = 0; i < estimate->kind_count; i++)
		estimate->common[i] = estimate_normal(estimate);
	for (size_t i = 0; i < plan->count; i++)
		estimate->seconds[i] = plan->steps[i].is_milestone ? 0 : estimate_seconds(&plan->steps[i],
		    sqrt(0.5) * (estimate->common[estimate->kinds[i]] + estimate_normal(estimate)));
	return plan_duration(plan, estimate->seconds, slots);
}

/* Numbers the kinds of tasks: the same action on the same service. */
static void
estimate_number_kinds(struct estimate *estimate)
{
	struct arena arena = {0};
	struct names kinds = {0};

	for (size_t i = 0; i < estimate->plan->count; i++) {
		const struct step *step = &estimate->plan->steps[i];

		if (!step->is_milestone)
			estimate->kinds[i] = (uint32_t)names_intern(&kinds, arena_printf(&arena, "%s %s", action_name(step->action),
			    step->service ? step->service : ""));
	}
	estimate->kind_count = kinds.count;
	names_release(&kinds);
	arena_release(&arena);
}

static int
estimate_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Draws durations, and takes their median and 90th percentile, in whole milliseconds. */
static void
estimate_make(struct plan *plan, size_t slots)
{
	struct estimate estimate = {.plan = plan, .kinds = memory_zeroed(plan->count, sizeof *estimate.kinds),
	    .seconds = memory_zeroed(plan->count, sizeof *estimate.seconds)};
	size_t draws = DRAWN_TASKS / plan->count;
	double *durations;

	draws = draws > DRAWS_MAX ? DRAWS_MAX : draws < DRAWS_MIN ? DRAWS_MIN : draws;
	durations = memory_zeroed(draws, sizeof *durations);
	estimate_number_kinds(&estimate);
	estimate.common = memory_zeroed(estimate.kind_count, sizeof *estimate.common);
	for (size_t i = 0; i < draws; i++)
		durations[i] = estimate_draw(&estimate, slots);
	qsort(durations, draws, sizeof *durations, estimate_compare);
	plan->job.expected_s = round(durations[draws / 2] * 1000) / 1000;
	plan->job.expected_p90_s = round(durations[draws * 9 / 10] * 1000) / 1000;
	free(durations);
	free(estimate.common);
	free(estimate.kinds);
	free(estimate.seconds);
}

void
plan_estimate(struct plan *plan, size_t slots)
{
	struct job *job = &plan->job;
	int64_t fewest = 0;

	job->unmeasured = 0;
	for (size_t i = 0; i < plan->count; i++) {
		const struct step *step = &plan->steps[i];

		job->unmeasured += !step->is_milestone && step->runs == 0;
		if (!step->is_milestone && (fewest == 0 || step->runs < fewest))
			fewest = step->runs;
	}
	job->runs = job->unmeasured ? 0 : fewest;
	job->slots = (int64_t)slots;
	if (job->runs > 0)
		estimate_make(plan, slots);
}
