/* SPDX-License-Identifier: Apache-2.0
 *
 * The promise of coopr-spool(5) under kill -9: whoever is stopped at any call that changes a file, what was acknowledged stands,
 * the spool is in a legal state, nothing runs twice at once and nothing before what it waits for.
 *
 * Each round makes a fresh job, lets a child do one thing and die at its n-th such call, looks, and does the job to its end; n
 * goes up, by five at a time (all with CRASH_ALL=1), until the child comes through. After some deeds (all with CRASH_ALL=1) those who come to put things right are stopped as
 * well, one after the other, each one call later.
 */
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>

/* The calls it stands in for are those of this very program. */
#include "../crash/shim.c" /* NOLINT(bugprone-suspicious-include) */

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "json/record.h"
#include "queue-engines.h"
#include "queue-rig.h"
#include "queue/read.h"
#include "tap.h"

enum { ROUNDS_MAX = 800, SPOOL_ROUNDS = 16, STRIDE = 5 };

static const struct suite_engine *engine; /* one that outlives its processes */
static char *folder, *spool;
static char note[64]; /* of a round, for messages */

/* --- what the child does; each says on its pipe what was acknowledged --- */

struct deed {
	const char *name;
	int (*prepare)(struct queue *queue, const char *job, struct error *err); /* in the parent, before; or NULL */
	int (*act)(struct queue *queue, const char *cluster, const char *job, struct error *err);
	void (*check)(struct queue *queue, const char *job, bool acknowledged);
	bool recovered; /* whether recovery is stopped as well */
};

static struct queue_job
look(struct queue *queue, const char *job)
{
	struct queue_job found = {0};
	struct error err;

	if (queue_status_of(queue, job, &found, &err) < 0 && err.code != EX_NO)
		tap_ok(false, "%s: %s", note, err.text);
	return found;
}

static int
act_put(struct queue *queue, const char *cluster, const char *job, struct error *err)
{
	char id[QUEUE_ID_SIZE];

	(void)job;
	return put(queue, cluster, id, err);
}

static void
check_put(struct queue *queue, const char *job, bool acknowledged)
{
	struct queue_job found = look(queue, job);

	if (acknowledged || found.tasks)
		tap_is_number(found.tasks, TASKS, "%s: a job that was put is there, whole", note);
}

static int
act_take(struct queue *queue, const char *cluster, const char *job, struct error *err)
{
	struct queue_want want = {.count = 2, .lease_ms = 0};
	struct queue_batch batch;
	int result = queue_take(queue, &want, &batch, err);

	(void)cluster;
	(void)job;
	queue_batch_release(&batch);
	return result;
}

static int
act_work(struct queue *queue, const char *cluster, const char *job, struct error *err)
{
	struct queue_worker *worker = queue_join(queue, "crash", err);
	struct queue_want want = {.count = 2, .worker = worker ? queue_worker_id(worker) : NULL};
	struct queue_batch batch;
	int result;

	(void)cluster;
	(void)job;
	if (!worker)
		return -1;
	result = queue_take(queue, &want, &batch, err);
	if (result == 0)
		result = finish(queue, batch.list, 1, 0, err);
	queue_batch_release(&batch);
	return result == 0 ? queue_leave(worker, err) : result;
}

/* The tasks that prepare took, for the child to finish. */
static struct queue_batch held;

static int
take_two(struct queue *queue, const char *job, struct error *err)
{
	struct queue_want want = {.count = 2, .job = job, .lease_ms = -1};

	queue_batch_release(&held);
	return queue_take(queue, &want, &held, err);
}

static int
act_done(struct queue *queue, const char *cluster, const char *job, struct error *err)
{
	(void)cluster;
	(void)job;
	return finish(queue, held.list, held.count, 0, err);
}

static void
check_done(struct queue *queue, const char *job, bool acknowledged)
{
	struct queue_job found = look(queue, job);
	struct error err;

	if (acknowledged)
		tap_is_number(found.done, held.count, "%s: what was said to be done is done", note);
	/* A caller that was not answered says it again, and is heard. */
	tap_is_number(finish(queue, held.list, held.count, 0, &err), 0, "%s: it can be said again", note);
	tap_is_number(look(queue, job).done, held.count, "%s: ... and counts once", note);
}

static int
act_fail(struct queue *queue, const char *cluster, const char *job, struct error *err)
{
	(void)cluster;
	(void)job;
	return finish(queue, held.list, held.count, 1, err);
}

/* All but the last task, which is taken. */
static int
do_most(struct queue *queue, const char *job, struct error *err)
{
	struct queue_want want = {.count = 1, .job = job, .lease_ms = -1};

	for (int i = 0; i < TASKS; i++) {
		queue_batch_release(&held);
		if (queue_take(queue, &want, &held, err) < 0 || held.count != 1 ||
		    (i < TASKS - 1 && finish(queue, held.list, 1, 0, err) < 0))
			return -1;
	}
	return 0;
}

static void
check_last(struct queue *queue, const char *job, bool acknowledged)
{
	struct error err;

	if (acknowledged)
		tap_is_number(look(queue, job).status, QUEUE_COMPLETE, "%s: the job is complete", note);
	tap_is_number(finish(queue, held.list, held.count, 0, &err), 0, "%s: it can be said again", note);
	tap_is_number(look(queue, job).status, QUEUE_COMPLETE, "%s: ... and completes the job", note);
}

static int
fail_for_good(struct queue *queue, const char *job, struct error *err)
{
	struct queue_want want = {.count = NODES, .job = job, .lease_ms = -1};

	queue_batch_release(&held);
	return queue_take(queue, &want, &held, err) < 0 ? -1 : finish(queue, held.list, held.count, 65, err);
}

static int
act_retry(struct queue *queue, const char *cluster, const char *job, struct error *err)
{
	(void)cluster;
	return queue_control(queue, QUEUE_RETRY, job, NULL, err);
}

static void
check_retry(struct queue *queue, const char *job, bool acknowledged)
{
	struct queue_job found = look(queue, job);
	struct error err;

	/* Whoever came to put things right may have taken of it. */
	if (acknowledged)
		tap_is_number(found.ready + found.delayed + found.running, NODES, "%s: what failed is ready", note);
	else if (found.failed)
		tap_is_number(queue_control(queue, QUEUE_RETRY, job, NULL, &err), 0, "%s: it can be ordered again", note);
}

static int
act_cancel(struct queue *queue, const char *cluster, const char *job, struct error *err)
{
	(void)cluster;
	return queue_control(queue, QUEUE_CANCEL, job, NULL, err);
}

static void
check_cancel(struct queue *queue, const char *job, bool acknowledged)
{
	struct queue_job found = look(queue, job);
	struct error err;

	if (acknowledged)
		tap_is_number(found.status, QUEUE_CANCELLED, "%s: the job is cancelled", note);
	if (found.status == QUEUE_CANCELLED)
		tap_is_number(queue_control(queue, QUEUE_RETRY, job, NULL, &err), 0, "%s: ... and taken up again", note);
}

/* Finishes what was taken, and takes on. */
static int
act_turn(struct queue *queue, const char *cluster, const char *job, struct error *err)
{
	struct queue_want want = {.count = 2, .lease_ms = 0};
	struct queue_answer answers[2] = {0};
	struct result results[2] = {0};
	struct queue_batch batch;
	int result;

	(void)cluster;
	(void)job;
	for (size_t i = 0; i < held.count; i++)
		results[i] = result_of(&held.list[i], 0);
	result = queue_turn(queue, results, held.count, answers, &want, &batch, err);
	queue_batch_release(&batch);
	for (size_t i = 0; i < held.count; i++)
		jv_free(results[i].source);
	return result;
}

static int
act_skip(struct queue *queue, const char *cluster, const char *job, struct error *err)
{
	(void)cluster;
	return queue_skip(queue, job, "t8", "no", err);
}

static void
check_skip(struct queue *queue, const char *job, bool acknowledged)
{
	struct error err;

	if (acknowledged)
		tap_is_number(look(queue, job).skipped, 1, "%s: the task is skipped", note);
	if (look(queue, job).failed)
		tap_is_number(queue_control(queue, QUEUE_RETRY, job, NULL, &err), 0, "%s: what failed can be tried again", note);
}

static int
act_limit(struct queue *queue, const char *cluster, const char *job, struct error *err)
{
	const struct queue_limit limits[] = {{.kind = QUEUE_LIMIT_TOTAL, .max = 100},
	    {.kind = QUEUE_LIMIT_TENANT, .name = "t", .max = 50}};
	struct queue_want want = {.count = 2, .lease_ms = 0};
	struct queue_batch batch;
	int result = queue_set_limits(queue, limits, 2, err);

	(void)cluster;
	(void)job;
	if (result < 0)
		return -1;
	result = queue_take(queue, &want, &batch, err);
	queue_batch_release(&batch);
	return result;
}

static const struct deed deeds[] = {
	{"put", NULL, act_put, check_put, true},
	{"take", NULL, act_take, NULL, false},
	{"work", NULL, act_work, NULL, true},
	{"done", take_two, act_done, check_done, true},
	{"fail", take_two, act_fail, NULL, false},
	{"last done", do_most, act_done, check_last, false},
	{"retry", fail_for_good, act_retry, check_retry, false},
	{"cancel", NULL, act_cancel, check_cancel, false},
	{"turn", take_two, act_turn, check_done, false},
	{"skip", fail_for_good, act_skip, check_skip, false},
	{"limit", NULL, act_limit, NULL, false},
};

static long points; /* at which someone was stopped */

/* --- a round --- */

static struct queue *
open_queue(void)
{
	static struct error err;
	struct queue *queue = engine->open(spool, QUEUE_WRITE, &err);

	if (!queue)
		tap_ok(false, "%s: %s", note, err.text);
	return queue;
}

/* In a child: does it, armed to die at its n-th call. Returns whether it died. */
static bool
die_in(int (*act)(struct queue *, const char *, const char *, struct error *), const char *cluster, const char *job,
    long at, bool torn)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		struct error err;
		struct queue *queue;

		shim_arm(at, torn);
		queue = engine->open(spool, QUEUE_WRITE, &err);
		if (!queue || act(queue, cluster, job, &err) < 0) {
			printf("# %s: %s\n", note, err.text);
			fflush(stdout);
			_exit(1);
		}
		_exit(0);
	}
	waitpid(child, &status, 0);
	points += WIFSIGNALED(status);
	if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
		tap_ok(false, "%s: it ends well, or by the kill", note);
	return WIFSIGNALED(status);
}

/* Does what every caller does: looks for the dead, takes. */
static int
act_recover(struct queue *queue, const char *cluster, const char *job, struct error *err)
{
	return queue_reap(queue, err) < 0 ? -1 : act_take(queue, cluster, job, err);
}

static void
die_in_recovery(const char *cluster, const char *job, bool torn)
{
	long at = 1;

	while (at < ROUNDS_MAX && die_in(act_recover, cluster, job, at, torn))
		at++;
	tap_ok(at < ROUNDS_MAX, "%s: recovery comes through at last", note);
}

static void
is_legal(struct queue *queue)
{
	struct buffer out = {0};
	struct queue_check check = {false, &out, 0, 0};
	struct error err;

	if (queue_check(queue, NULL, &check, &err) < 0)
		tap_ok(false, "%s: fsck: %s", note, err.text);
	else if (!tap_ok(check.found == 0, "%s: the spool is in a legal state", note))
		printf("# %s\n", out.data);
	buffer_release(&out);
}

/* Does the rest of the job. Leases that ran out are lost on the way; those that did not are ended by their results. */
static void
do_the_rest(struct queue *queue, const char *job)
{
	struct queue_want want = {.count = TASKS, .job = job, .lease_ms = -1};
	struct queue_batch batch;
	bool right = true;
	struct error err;

	for (int i = 0; i < 10 * TASKS; i++) {
		bool busy[NODES] = {false};
		size_t before = look(queue, job).done;

		if (queue_take(queue, &want, &batch, &err) < 0) {
			tap_ok(false, "%s: take: %s", note, err.text);
			return;
		}
		for (size_t t = 0; t < batch.count; t++) {
			int node = batch.list[t].node[1] - '0', task = atoi(batch.list[t].task + 1);

			right = right && !busy[node] && (task < 2 * NODES || before >= 2 * NODES);
			busy[node] = true;
		}
		if (batch.count == 0 || finish(queue, batch.list, batch.count, 0, &err) < 0)
			i = 10 * TASKS;
		queue_batch_release(&batch);
	}
	tap_ok(right, "%s: one task of a node at a time, none before what it waits for", note);
}

/* True where the child came through: there is no such call any more. */
static bool
round_at(const struct deed *deed, long at, bool torn)
{
	static int number;
	char cluster[32], job[QUEUE_ID_SIZE];
	struct queue *queue;
	struct error err;
	bool died;

	/* fsck looks at all jobs there are: they had better be few. */
	if (number % SPOOL_ROUNDS == 0)
		file_remove_tree(AT_FDCWD, spool, &err);
	queue = open_queue();

	snprintf(cluster, sizeof cluster, "c%d", ++number);
	snprintf(job, sizeof job, "%s-001", cluster);
	snprintf(note, sizeof note, "%s, stopped at call %ld%s", deed->name, at, torn ? " (torn)" : "");
	if ((deed->act != act_put && put(queue, cluster, job, &err) < 0) ||
	    (deed->prepare && deed->prepare(queue, job, &err) < 0))
		tap_ok(false, "%s: cannot be prepared: %s", note, err.text);

	died = die_in(deed->act, cluster, job, at, torn);
	if ((deed->recovered && !torn) || getenv("CRASH_ALL"))
		die_in_recovery(cluster, job, torn);

	if (queue_reap(queue, &err) < 0)
		tap_ok(false, "%s: reap: %s", note, err.text);
	if (deed->check)
		deed->check(queue, job, !died);
	if (look(queue, job).tasks) {
		finish(queue, held.list, deed->prepare ? held.count : 0, 0, &err);
		do_the_rest(queue, job);
		tap_is_number(look(queue, job).status, QUEUE_COMPLETE, "%s: the job comes to its end", note);
	}
	is_legal(queue);
	queue_close(queue);
	return !died;
}

static void
crash_all(void)
{
	const long stride = getenv("CRASH_ALL") ? 1 : STRIDE;

	spool = memory_printf("%s/%s", folder, engine->name);
	for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++)
		for (int torn = 0; torn < 2; torn++) {
			long at = 1 + (long)(2 * i + (size_t)torn) % stride;

			while (at < ROUNDS_MAX && !round_at(&deeds[i], at, torn))
				at += stride;
			tap_ok(at > 3 && at < ROUNDS_MAX, "%s: %s%s: stopped among %ld calls", engine->name, deeds[i].name,
			    torn ? " (torn)" : "", at - 1);
		}
	free(spool);
}

int
main(void)
{
	struct error err;

	shim_no_sync = true;
	folder = memory_printf("%s/queue-crash.XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	if (!mkdtemp(folder))
		return EX_CANTCREAT;
	for (engine = suite_engines; engine < suite_engines + SUITE_ENGINES; engine++)
		if (engine->lasts)
			crash_all();
	printf("# stopped at %ld points\n", points);
	queue_batch_release(&held);
	file_remove_tree(AT_FDCWD, folder, &err);
	free(folder);
	return tap_end();
}
