/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/dummy.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "base/hash.h"
#include "exec/serve.h"

enum { DELAY_MAX_MS = 24 * 3600 * 1000 };

/* Returns the next number of a sequence, 0 <= number < 1 (splitmix64). */
static double
dummy_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

/* Returns a seed that depends on what the task is, not on the job it stands in: the same cluster made twice does the same. */
static uint64_t
dummy_seed(const struct task *task, int64_t seed)
{
	char numbers[64];
	uint64_t hash;

	snprintf(numbers, sizeof numbers, "%lld %lld", (long long)seed, (long long)task->attempt);
	hash = hash_field(HASH_START, numbers);
	hash = hash_field(hash, task->machine.id ? task->machine.id : task->id);
	hash = hash_field(hash, action_name(task->action));
	return hash_field(hash, task->service ? task->service : "");
}

int
dummy_draw_readiness(const struct task *task, int64_t *ready_ms, struct outcome *outcome)
{
	struct problems problems = {0};
	struct place fields = place_root(task->fields, &problems);
	double average = place_number(&fields, "ready_ms", 0, 0, DELAY_MAX_MS);
	double percent = place_number(&fields, "never_ready_percent", 0, 0, 100);
	uint64_t state = ~dummy_seed(task, place_integer(&fields, "seed", 0, INT32_MIN, INT32_MAX));
	int failed = problems_error(&problems, "fields", EX_CONFIG, &outcome->error);

	problems_release(&problems);
	*ready_ms = (int64_t)(average * (0.5 + dummy_random(&state)));
	if (dummy_random(&state) * 100 < percent)
		*ready_ms = -1;
	return failed;
}

void
dummy_wait(double delay_ms)
{
	struct timespec left = {.tv_sec = (time_t)(delay_ms / 1000), .tv_nsec = (long)(fmod(delay_ms, 1000) * 1e6)};

	while (nanosleep(&left, &left) < 0 && errno == EINTR)
		;
}

int
dummy_draw(const struct task *task, double *delay_ms, struct outcome *outcome)
{
	struct problems problems = {0};
	struct place fields = place_root(task->fields, &problems);
	double delay = place_number(&fields, "delay_ms", 0, 0, DELAY_MAX_MS);
	double percent = place_number(&fields, "fail_percent", 0, 0, 100);
	int64_t status = place_integer(&fields, "fail_status", 1, 1, 255);
	uint64_t state = dummy_seed(task, place_integer(&fields, "seed", 0, INT32_MIN, INT32_MAX));
	int failed = problems_error(&problems, "fields", EX_CONFIG, &outcome->error);

	*delay_ms = 0;
	problems_release(&problems);
	if (failed)
		return -1;
	*delay_ms = delay * (0.5 + dummy_random(&state));
	if (dummy_random(&state) * 100 >= percent)
		return 0;
	return error_set(&outcome->error, (int)status, "failed as drawn: fail_percent is %g", percent);
}

void
dummy_begin(struct server *server, struct call *call)
{
	double delay_ms;

	dummy_draw(&call->task, &delay_ms, &call->outcome);
	if (delay_ms > 0)
		serve_due(server, call, clock_monotonic_ms() + (int64_t)(delay_ms + 0.5));
	else
		server->service->due(server, call);
}
