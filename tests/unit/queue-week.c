/* SPDX-License-Identifier: Apache-2.0
 *
 * A week of a spool, by a clock that the test turns: jobs come in, tasks are taken by workers and on leases, done, failed, left
 * alone; workers die; jobs are paused, cancelled, retried, their tasks skipped, and what is old is removed. All along: one task of a
 * node at a time, none before its time, none twice; and in the end everything is finished and fsck finds nothing.
 *
 * WEEK_STEPS (default 1500) in which that week goes by; WEEK_SEED repeats a run.
 */
#include <stdint.h>
#include <string.h>
#include <time.h>

#define SHIM_WITHOUT_CLOCK
#include "../crash/shim.c" /* NOLINT(bugprone-suspicious-include) */

#include "base/process.h"
#include "queue-rig.h"
#include "queue/read.h"
#include "tap.h"

enum { WEEK_S = 7 * 86400, JOBS_MAX = 4000, HELD_MAX = 64, WORKERS = 4 };

static int64_t now_s = 1000000;

/* All clocks are this one. */
int
clock_gettime(clockid_t id, struct timespec *now)
{
	(void)id;
	*now = (struct timespec){.tv_sec = now_s};
	return 0;
}

struct held { /* a batch of one task */
	struct queue_batch batch;
	int worker; /* or -1: on a lease */
};

static struct queue *queue, *workplace; /* workers stay where they joined, while others come and go */
static char jobs[JOBS_MAX][QUEUE_ID_SIZE];
static bool is_done[JOBS_MAX][TASKS];
static int job_count, held_count;
static struct held held[HELD_MAX];
static struct queue_worker *workers[WORKERS];
static long done_count, deaths, refused;

static unsigned
chance(unsigned below)
{
	return (unsigned)random() % below;
}

static int
number_of(const char *job)
{
	for (int i = job_count - 1; i >= 0; i--)
		if (strcmp(jobs[i], job) == 0)
			return i;
	return -1;
}

static void
put_one(void)
{
	char cluster[16];
	struct error err;

	if (job_count == JOBS_MAX)
		return;
	snprintf(cluster, sizeof cluster, "c%u", chance(200));
	if (put(queue, cluster, jobs[job_count], &err) < 0)
		tap_ok(false, "put: %s", err.text);
	else
		job_count++;
}

static void
join(int worker)
{
	struct error err;

	workers[worker] = queue_join(workplace, "week", &err);
	if (!workers[worker])
		tap_ok(false, "join: %s", err.text);
}

/* Its tasks are taken up by others, and what it says of them later is refused. */
static void
die(int worker)
{
	queue_abandon(workers[worker]);
	deaths++;
	join(worker);
}

/* --- tasks --- */

static bool
is_its_own(const struct queue_task *task)
{
	int number = atoi(task->task + 1);

	return task->action == (number < NODES ? ACTION_CREATE : number < 2 * NODES ? ACTION_CONFIRM : ACTION_INSTALL);
}

/* What may be taken: nothing that was done, nothing before its time. */
static bool
may_be(const struct queue_task *task)
{
	int number = atoi(task->task + 1), job = number_of(task->job);
	bool right = job >= 0 && !is_done[job][number];

	if (number >= NODES && number < 2 * NODES)
		right = right && is_done[job][number - NODES];
	for (int i = NODES; number >= 2 * NODES && i < 2 * NODES; i++)
		right = right && is_done[job][i];
	return right;
}

static void
take_one(void)
{
	struct held *slot = &held[held_count];
	struct queue_want want = {.count = 1};
	struct error err;

	if (held_count == HELD_MAX)
		return;
	slot->worker = chance(4) ? (int)chance(WORKERS) : -1;
	want.worker = slot->worker < 0 ? NULL : queue_worker_id(workers[slot->worker]);
	want.lease_ms = chance(2) ? -1 : (int64_t)chance(7200) * 1000;
	if (queue_take(queue, &want, &slot->batch, &err) < 0)
		tap_ok(false, "take: %s", err.text);
	if (slot->batch.count == 0) {
		queue_batch_release(&slot->batch);
		return;
	}
	if (!may_be(slot->batch.list))
		tap_ok(false, "%s:%s is taken when it may not be", slot->batch.list->job, slot->batch.list->task);
	held_count++;
}

/* Whether an attempt is the only one of its node that is wanted is asked of the queue, for each pair. */
static void
end_one(void)
{
	static const int statuses[] = {0, 0, 0, 0, 0, 0, 0, 1, 75, 65};
	int which = (int)chance((unsigned)held_count), status = statuses[chance(10)];
	const struct queue_task *task = held[which].batch.list;
	struct error err;
	int wanted = queue_wanted(queue, task->job, task->task, task->attempt, &err);
	bool accepted = finish(queue, task, 1, status, &err) == 0;

	if (wanted == 1 && !accepted)
		tap_ok(false, "what is wanted is refused: %s", err.text);
	refused += !accepted;
	if (accepted && status == 0 && is_its_own(task)) {
		is_done[number_of(task->job)][atoi(task->task + 1)] = true;
		done_count++;
	}
	queue_batch_release(&held[which].batch);
	held[which] = held[--held_count];
}

static void
look_at_nodes(void)
{
	for (int i = 0; i < held_count; i++)
		for (int j = 0; j < i; j++) {
			const struct queue_task *a = held[i].batch.list, *b = held[j].batch.list;
			struct error err;

			if (strcmp(a->job, b->job) == 0 && strcmp(a->node, b->node) == 0 &&
			    queue_wanted(queue, a->job, a->task, a->attempt, &err) == 1 &&
			    queue_wanted(queue, b->job, b->task, b->attempt, &err) == 1)
				tap_ok(false, "%s: two tasks of node %s run", a->job, a->node);
		}
}

/* --- what people do --- */

static void
order_one(void)
{
	static const enum queue_control orders[] = {QUEUE_PAUSE, QUEUE_RESUME, QUEUE_RESUME, QUEUE_CANCEL, QUEUE_RETRY};
	const char *job = job_count ? jobs[chance((unsigned)job_count)] : NULL;
	struct error err;

	/* Many of these are a "no". */
	if (job && queue_control(queue, orders[chance(5)], job, NULL, &err) < 0 && err.code != EX_NO)
		tap_ok(false, "order: %s", err.text);
}

static void
collect(int64_t keep_s)
{
	const struct queue_gc options = {keep_s * 1000, UINT64_MAX, false, NULL};
	struct arguments gone = {0};
	struct error err;

	if (queue_gc(queue, &options, &gone, &err) < 0)
		tap_ok(false, "gc: %s", err.text);
	arguments_release(&gone);
}

static void
reopen(const char *spool)
{
	struct error err;

	queue_close(queue);
	queue = queue_open(spool, QUEUE_WRITE, &err);
}

static void
do_something(const char *spool)
{
	switch (chance(40)) {
	case 0:
	case 1:
		put_one();
		break;
	case 2:
		order_one();
		break;
	case 3:
		die((int)chance(WORKERS));
		break;
	case 4:
		reopen(spool);
		break;
	case 5:
		look_at_nodes();
		break;
	case 6:
		collect(86400);
		break;
	default:
		if (chance(2) && held_count > 0)
			end_one();
		else
			take_one();
	}
}

/* All that is left is done. Cancelled jobs stay so. */
static void
clear_up(void)
{
	struct queue_want want = {.count = 50, .lease_ms = -1};
	struct queue_batch batch;
	struct error err;
	bool more = true;

	while (held_count > 0)
		end_one();
	for (int i = 0; i < WORKERS; i++)
		die(i);
	for (int i = 0; i < job_count; i++)
		queue_control(queue, QUEUE_RESUME, jobs[i], NULL, &err);
	for (int rounds = 0; more && rounds < 10000; rounds++) {
		now_s += 3600;
		if (queue_take(queue, &want, &batch, &err) < 0)
			tap_ok(false, "take: %s", err.text);
		more = batch.count > 0;
		for (size_t i = 0; i < batch.count; i++)
			if (!may_be(&batch.list[i]))
				tap_ok(false, "%s:%s is taken when it may not be", batch.list[i].job, batch.list[i].task);
			else if (is_its_own(&batch.list[i]))
				is_done[number_of(batch.list[i].job)][atoi(batch.list[i].task + 1)] = true;
		if (batch.count && finish(queue, batch.list, batch.count, 0, &err) < 0)
			tap_ok(false, "finish: %s", err.text);
		queue_batch_release(&batch);
	}
}

static void
look_at_the_end(void)
{
	struct buffer out = {0};
	struct queue_check check = {false, &out, 0, 0};
	struct queue_job *list;
	struct queue_limit *limits;
	size_t count, running = 0, unfinished = 0;
	struct error err;

	tap_is_number(queue_list(queue, true, &list, &count, &err), 0, "all jobs can be looked at");
	for (size_t i = 0; i < count; i++)
		unfinished += !queue_is_finished(list[i].status);
	free(list);
	tap_is_number(unfinished, 0, "in the end all of %d jobs are finished", job_count);
	tap_is_number(queue_limits(queue, &limits, &count, &err), 0, "the limits can be looked at");
	for (size_t i = 0; i < count; i++)
		running += limits[i].running;
	free(limits);
	tap_is_number(running, 0, "... and nothing is counted as running");
	tap_is_number(queue_check(queue, NULL, &check, &err), 0, "fsck looks through it");
	if (!tap_ok(check.found == 0, "... and finds nothing"))
		printf("# %s\n", out.data);
	buffer_release(&out);
}

int
main(void)
{
	const char *tmp = getenv("TMPDIR"), *steps = getenv("WEEK_STEPS"), *seed = getenv("WEEK_SEED");
	char *folder = memory_printf("%s/queue-week.XXXXXX", tmp ? tmp : "/tmp"), *spool;
	long left = steps ? atol(steps) : 1500;
	int64_t end_s = now_s + WEEK_S;
	struct error err;

	if (!mkdtemp(folder))
		return EX_CANTCREAT;
	shim_no_sync = true;
	srandom((unsigned)(seed ? atol(seed) : (long)getpid()));
	printf("# WEEK_SEED=%ld\n", seed ? atol(seed) : (long)getpid());
	spool = memory_printf("%s/spool", folder);
	queue = queue_open(spool, QUEUE_WRITE, &err);
	workplace = queue_open(spool, QUEUE_WRITE, &err);
	for (int i = 0; i < WORKERS; i++)
		join(i);
	for (; left > 0; left--) {
		now_s += (end_s - now_s) / left;
		do_something(spool);
	}
	clear_up();
	look_at_the_end();
	printf("# %d jobs, %ld tasks done before the end, %ld results refused, %ld workers died\n", job_count, done_count,
	    refused, deaths);
	queue_close(queue);
	queue_close(workplace);
	file_remove_tree(AT_FDCWD, folder, &err);
	free(spool);
	free(folder);
	return tap_end();
}
