/* SPDX-License-Identifier: Apache-2.0
 *
 * The queue against a judge that knows only the rules, of coopr-queue(1) and coopr-plan(5): random plans, random ends of attempts,
 * and after each step the same states, the same next task, the same outcome. Now and then the index is thrown away.
 *
 * Each engine is judged.
 *
 * JUDGE_SEED repeats a run; JUDGE_CASES (default 40) is how many plans.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "json/record.h"
#include "queue/queue.h"
#include "queue-engines.h"
#include "queue/read.h"
#include "tap.h"

enum { STEPS_MAX = 24, NODES_MAX = 5, LOSSES_MAX = 20, MOVES_MAX = 120 };

/* --- the judge: what the rules say, found out anew each time by looking at everything --- */

enum judged { BLOCKED, READY, RUNNING, DONE, FAILED };

struct judged_step {
	bool milestone, undoes, checks;
	int node, rank, retries, patience_s;
	bool after[STEPS_MAX];
	enum judged state;
	int attempt, failures, losses, cycles;
	int phase; /* 1: delete, 2: create, 0: itself */
};

struct judge {
	struct judged_step steps[STEPS_MAX];
	int count, nodes;
};

static bool
is_free(const struct judge *judge, int step)
{
	for (int i = 0; i < judge->count; i++)
		if (judge->steps[step].after[i] && judge->steps[i].state != DONE)
			return false;
	return true;
}

/* Until nothing changes: what waits for nothing more is ready; a milestone is done. */
static void
judge_reap(struct judge *judge)
{
	for (bool changed = true; changed;) {
		changed = false;
		for (int i = 0; i < judge->count; i++) {
			struct judged_step *step = &judge->steps[i];

			if (step->state != BLOCKED || !is_free(judge, i))
				continue;
			step->state = step->milestone ? DONE : READY;
			changed = true;
		}
	}
}

static bool
is_busy(const struct judge *judge, int node)
{
	for (int i = 0; i < judge->count; i++)
		if (judge->steps[i].state == RUNNING && judge->steps[i].node == node)
			return true;
	return false;
}

/* The one to be taken next; -1: none. */
static int
judge_next(const struct judge *judge)
{
	int best = -1;

	for (int i = 0; i < judge->count; i++)
		if (judge->steps[i].state == READY && !is_busy(judge, judge->steps[i].node) &&
		    (best < 0 || judge->steps[i].rank > judge->steps[best].rank))
			best = i;
	return best;
}

static void
judge_end(struct judge *judge, int which, int64_t status, bool lost)
{
	struct judged_step *step = &judge->steps[which];
	bool again;

	if (status == 0 && !lost && step->phase == 0) {
		step->state = DONE;
	} else if (status == 0 && !lost) {
		step->state = READY;
		step->phase = (step->phase + 1) % 3;
		step->failures = step->losses = 0;
	} else if (lost) {
		step->state = ++step->losses <= LOSSES_MAX ? READY : FAILED;
	} else if (status == 75 || step->checks) {
		step->state = step->patience_s > 0 ? READY : FAILED;
	} else if (status == 65 || status == 77 || status == 78) {
		step->state = FAILED;
	} else if (step->phase == 0 && step->undoes) {
		again = step->cycles + 1 <= step->retries;
		step->state = again ? READY : FAILED;
		step->failures = again ? 0 : step->failures + 1;
		step->losses = again ? 0 : step->losses;
		step->cycles += again;
		step->phase = again ? 1 : 0;
	} else {
		step->state = ++step->failures <= step->retries ? READY : FAILED;
	}
	judge_reap(judge);
}

static void
judge_retry(struct judge *judge)
{
	for (int i = 0; i < judge->count; i++) {
		struct judged_step *step = &judge->steps[i];

		if (step->state != FAILED)
			continue;
		step->state = READY;
		step->failures = step->losses = step->cycles = 0;
	}
}

/* --- plans --- */

static int
chance(int below)
{
	return (int)(random() % below);
}

static void
invent(struct judge *judge)
{
	*judge = (struct judge){.count = 1 + chance(STEPS_MAX), .nodes = 1 + chance(NODES_MAX)};
	for (int i = 0; i < judge->count; i++) {
		struct judged_step *step = &judge->steps[i];

		step->milestone = chance(6) == 0;
		step->undoes = !step->milestone && chance(4) == 0;
		step->node = step->milestone ? -1 : chance(judge->nodes);
		step->rank = chance(5);
		step->checks = !step->milestone && !step->undoes && chance(4) == 0;
		step->retries = chance(3);
		step->patience_s = chance(4) == 0 ? 0 : 1000;
		for (int before = 0; before < i; before++)
			step->after[before] = chance(i) < 2;
	}
	judge_reap(judge);
}

static void
print_step(const struct judge *judge, int i, struct buffer *plan)
{
	const struct judged_step *step = &judge->steps[i];
	bool first = true;

	if (step->milestone)
		buffer_printf(plan, "{\"kind\":\"milestone\",\"id\":\"s%d\"", i);
	else
		buffer_printf(plan, "{\"kind\":\"task\",\"id\":\"s%d\",\"node\":\"n%d\",\"action\":\"%s\",\"type\":\"dummy\","
		    "\"timeout_s\":60,\"retries\":%d,\"patience_s\":%d,\"rank\":%d%s%s", i, step->node,
		    step->undoes ? "confirm" : step->checks ? "check" : "create", step->retries, step->patience_s, step->rank,
		    step->checks ? ",\"service\":\"s\"" : "",
		    step->undoes ? ",\"undo\":[\"delete\",\"create\"]" : "");
	buffer_text(plan, ",\"after\":[");
	for (int before = 0; before < i; before++)
		if (step->after[before]) {
			buffer_printf(plan, "%s\"s%d\"", first ? "" : ",", before);
			first = false;
		}
	buffer_text(plan, "]}\n");
}

static void
print_plan(const struct judge *judge, int number, struct buffer *plan)
{
	int tasks = 0;

	for (int i = 0; i < judge->count; i++)
		tasks += !judge->steps[i].milestone;
	buffer_printf(plan, "{\"kind\":\"job\",\"id\":null,\"cluster\":\"c%d\",\"tenant\":\"t\",\"action\":\"x\",\"tasks\":%d}\n"
	    "{\"kind\":\"cluster\",\"id\":\"c%d\",\"name\":\"c\",\"services\":[],\"definitions\":[],\"config\":{},"
	    "\"provider\":{\"name\":\"p\",\"providertype\":\"dummy\"}}\n", number, tasks, number);
	for (int n = 0; n < judge->nodes; n++)
		buffer_printf(plan, "{\"kind\":\"node\",\"id\":\"n%d\",\"nodenum\":%d,\"hostname\":\"h%d\",\"services\":[],"
		    "\"was\":null}\n", n, n, n);
	for (int i = 0; i < judge->count; i++)
		print_step(judge, i, plan);
}

/* --- the two side by side --- */

struct trial {
	const struct suite_engine *engine;
	struct judge judge;
	struct queue *queue;
	char *spool, job[QUEUE_ID_SIZE];
	struct queue_batch running[NODES_MAX * 2]; /* one task each */
	int count;
	bool agree;
	char why[256];
};

static void
differ(struct trial *trial, const char *what, int step)
{
	if (trial->agree)
		snprintf(trial->why, sizeof trial->why, "%.200s (s%d)", what, step);
	trial->agree = false;
}

static void
compare_states(struct trial *trial)
{
	static const char *const names[] = {"blocked", "ready", "running", "done", "failed"};
	struct queue_task_status *list;
	struct arena arena = {0};
	struct error err;
	size_t count;

	if (queue_tasks(trial->queue, trial->job, &(struct queue_filter){0}, &arena, &list, &count, &err) < 0) {
		differ(trial, err.text, -1);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		int step = atoi(list[i].task + 1);

		if (strcmp(queue_step_name(list[i].status), names[trial->judge.steps[step].state]) != 0)
			differ(trial, queue_step_name(list[i].status), step);
		if (list[i].attempt != trial->judge.steps[step].attempt)
			differ(trial, "another attempt", step);
	}
	arena_release(&arena);
}

/* Takes one, which has to be the judge's. False where nothing is ready. */
static bool
take(struct trial *trial)
{
	static const char *const phases[] = {NULL, "delete", "create"};
	struct queue_batch *batch = &trial->running[trial->count];
	struct queue_want want = {.count = 1, .job = trial->job, .lease_ms = -1};
	int next = judge_next(&trial->judge);
	struct judged_step *step = &trial->judge.steps[next < 0 ? 0 : next];
	struct error err;

	if (queue_take(trial->queue, &want, batch, &err) < 0) {
		differ(trial, err.text, next);
		return false;
	}
	if ((batch->count == 1) != (next >= 0))
		differ(trial, "taken, or not", next);
	else if (next >= 0 && atoi(batch->list[0].task + 1) != next)
		differ(trial, "another one is taken", next);
	else if (next >= 0 && step->phase && strcmp(action_name(batch->list[0].action), phases[step->phase]) != 0)
		differ(trial, "another action", next);
	if (batch->count == 0 || next < 0) {
		queue_batch_release(batch);
		return false;
	}
	step->state = RUNNING;
	step->attempt++;
	trial->count++;
	return true;
}

/* Ends one of those that run, somehow. */
static void
end(struct trial *trial)
{
	static const int statuses[] = {0, 0, 0, 0, 0, 0, 1, 1, 2, 75, 75, 65};
	int which = chance(trial->count), status = statuses[chance(sizeof statuses / sizeof *statuses)];
	const struct queue_task *task = trial->running[which].list;
	struct result result = {.job = task->job, .task = task->task, .attempt = task->attempt, .status = status};
	bool lost = chance(12) == 0;
	struct queue_answer answer;
	struct error err;
	int failed;

	result.source = jv_object();
	failed = lost ? queue_give_back(trial->queue, task, 1, &err) : queue_finish(trial->queue, &result, 1, &answer, &err);
	jv_free(result.source);
	if (failed < 0)
		differ(trial, err.text, atoi(task->task + 1));
	judge_end(&trial->judge, atoi(task->task + 1), status, lost);
	queue_batch_release(&trial->running[which]);
	trial->running[which] = trial->running[--trial->count];
}

/* Another process comes along, and finds what there is. */
static void
reopen(struct trial *trial)
{
	char *state = memory_printf("%s/jobs/%s/state", trial->spool, trial->job);
	struct error err;

	queue_close(trial->queue);
	if (chance(2) && trial->engine->lasts)
		unlink(state);
	trial->queue = trial->engine->open(trial->spool, QUEUE_WRITE, &err);
	free(state);
}

static bool
put(struct trial *trial, int number)
{
	const struct queue_put options = {.backoff_ms = 0};
	struct problems problems = {0};
	struct record_reader reader;
	struct buffer plan = {0};
	struct error err;
	int ends[2], result = -1;

	print_plan(&trial->judge, number, &plan);
	if (pipe(ends) == 0 && file_write_all(ends[1], plan.data, plan.length) == 0) {
		close(ends[1]);
		record_reader_init(&reader, ends[0], "plan");
		result = queue_put(trial->queue, &reader, &options, trial->job, &problems, &err);
		record_reader_release(&reader);
		close(ends[0]);
	}
	if (result < 0)
		differ(trial, problems.total ? problems.list[0].text : err.text, -1);
	problems_release(&problems);
	buffer_release(&plan);
	return result == 0;
}

static bool
is_over(const struct judge *judge, bool *complete)
{
	*complete = true;
	for (int i = 0; i < judge->count; i++) {
		if (judge->steps[i].state == READY || judge->steps[i].state == RUNNING)
			return false;
		*complete = *complete && judge->steps[i].state == DONE;
	}
	return true;
}

/* Takes, ends, forgets, until nothing is left to do; then once more from what has failed. */
static void
play(struct trial *trial)
{
	struct queue_job found;
	struct error err;
	bool complete;

	for (int moves = 0; trial->agree && moves < MOVES_MAX && !is_over(&trial->judge, &complete); moves++) {
		if (chance(10) == 0)
			reopen(trial);
		if ((chance(2) || !take(trial)) && trial->count > 0)
			end(trial);
		compare_states(trial);
	}
	if (!trial->agree || !is_over(&trial->judge, &complete))
		return;
	if (queue_status_of(trial->queue, trial->job, &found, &err) < 0 ||
	    found.status != (complete ? QUEUE_COMPLETE : QUEUE_FAILED))
		differ(trial, "another outcome", -1);
	if (complete)
		return;
	if (queue_control(trial->queue, QUEUE_RETRY, trial->job, NULL, &err) < 0)
		differ(trial, err.text, -1);
	judge_retry(&trial->judge);
	compare_states(trial);
}

static void
try_one(const struct suite_engine *engine, char *spool, int number, long seed)
{
	struct trial trial = {.engine = engine, .spool = spool, .agree = true};
	struct error err;

	invent(&trial.judge);
	trial.queue = engine->open(spool, QUEUE_WRITE, &err);
	if (trial.queue && put(&trial, number)) {
		play(&trial);
		play(&trial);
	}
	if (!tap_ok(trial.agree, "%s, plan %d of seed %ld: queue and judge agree", engine->name, number, seed))
		printf("#   %s\n", trial.why);
	for (int i = 0; i < trial.count; i++)
		queue_batch_release(&trial.running[i]);
	queue_close(trial.queue);
}

int
main(void)
{
	const char *tmp = getenv("TMPDIR"), *wanted = getenv("JUDGE_SEED"), *cases = getenv("JUDGE_CASES");
	char *folder = memory_printf("%s/queue-judge.XXXXXX", tmp ? tmp : "/tmp"), *spool;
	long seed = wanted ? atol(wanted) : (long)getpid();
	struct error err;

	if (!mkdtemp(folder))
		return EX_CANTCREAT;
	spool = memory_printf("%s/spool", folder);
	srandom((unsigned)seed);
	for (int i = 1; i <= (cases ? atoi(cases) : 40); i++)
		for (int engine = 0; engine < SUITE_ENGINES; engine++)
			try_one(&suite_engines[engine], spool, i, seed);
	memory_free_all();
	file_remove_tree(AT_FDCWD, folder, &err);
	free(spool);
	free(folder);
	return tap_end();
}
