/* SPDX-License-Identifier: Apache-2.0
 *
 * What queue.h and read.h promise, of every engine: the suite that a further engine has to pass. queue-judge.c drives the same
 * engines by the rules of retries and order; queue-crash.c and queue-rot.c those that outlive a process.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "history/layout.h"
#include "queue-engines.h"
#include "queue-rig.h"
#include "queue/attempts.h"
#include "queue/read.h"
#include "tap.h"

static const struct suite_engine *engine;
static struct queue *queue;
static struct error err;
static char job[QUEUE_ID_SIZE];

/* A title, with the engine's name. */
#define OK(holds, title) tap_ok((holds), "%s: %s", engine->name, (title))
#define IS(found, expected, title) tap_is_number((found), (expected), "%s: %s", engine->name, (title))

static struct queue_job
now(void)
{
	struct queue_job found = {0};

	if (queue_status_of(queue, job, &found, &err) < 0)
		OK(false, err.text);
	return found;
}

/* Takes up to count tasks of the job on leases of lease_ms; what was taken is released with the next call. */
static struct queue_batch *
take(size_t count, int64_t lease_ms, const char *worker)
{
	static struct queue_batch batch;
	struct queue_want want = {.count = count, .job = job, .lease_ms = lease_ms, .worker = worker};

	queue_batch_release(&batch);
	if (queue_take(queue, &want, &batch, &err) < 0)
		OK(false, err.text);
	return &batch;
}

static void
fresh(const char *cluster)
{
	if (put(queue, cluster, job, &err) < 0)
		OK(false, err.text);
}

/* Does what is ready until nothing is. */
static void
do_all(void)
{
	struct queue_batch *batch;

	while ((batch = take(TASKS, -1, NULL))->count > 0)
		if (finish(queue, batch->list, batch->count, 0, &err) < 0) {
			OK(false, err.text);
			return;
		}
}

static void
test_put(void)
{
	char again[QUEUE_ID_SIZE];
	struct queue_job *list;
	size_t count, before;

	queue_list(queue, false, &list, &before, &err);
	free(list);
	fresh("put");
	tap_is_text(job, "put-001", "%s: the first job of a cluster is number 1", engine->name);
	IS(now().tasks, TASKS, "all its tasks are there");
	IS(now().ready, NODES, "those that wait for nothing are ready");
	IS(put(queue, "put", again, &err), 0, "a second one can be put");
	tap_is_text(again, "put-002", "%s: and gets the next number", engine->name);
	IS(queue_list(queue, false, &list, &count, &err), 0, "they can be listed");
	IS(count, before + 2, "both of them");
	tap_is_text(list[count - 1].id, again, "%s: in the order they were put", engine->name);
	IS(list[count - 1].status, QUEUE_WAITING, "the second waits for the first");
	free(list);
	IS(queue_status_of(queue, "none", &(struct queue_job){0}, &err), -1, "a job that is not there");
	IS(err.code, EX_NO, "is none");
	do_all();
	IS(now().status, QUEUE_COMPLETE, "the first can be done");
	memcpy(job, again, sizeof job);
	IS(now().status, QUEUE_RUNNING, "then it is the second one's turn");
	do_all();
}

static void
test_take(void)
{
	struct queue_batch *batch;
	struct buffer record = {0};

	fresh("take");
	batch = take(1, -1, NULL);
	IS(batch->count, 1, "one is asked for, one is taken");
	tap_is_text(batch->list[0].task, "t0", "%s: that of highest rank", engine->name);
	IS(batch->list[0].attempt, 1, "its attempts are counted");
	IS(now().running, 1, "it runs");
	OK(batch->list[0].record[batch->list[0].record_length - 1] == '\n', "its record is a line");
	OK(!strstr(batch->list[0].record, "/nodes") && !strstr(batch->list[0].record, "/log/"), "which names no file");
	IS(queue_task_record(queue, batch->list, &record, &err), 0, "for who does it here");
	OK(!engine->lasts || (strstr(record.data, "/nodes") && strstr(record.data, "/log/")), "files of this host are named");
	OK(record.data[record.length - 1] == '\n' && record.length >= batch->list[0].record_length, "in a line again");
	buffer_release(&record);
	IS(queue_wanted(queue, job, "t0", 1, &err), 1, "it is wanted");
	IS(queue_wanted(queue, job, "t0", 2, &err), 0, "another attempt is not");
	IS(queue_wanted(queue, "none", "t0", 1, &err), 0, "nor is one of a job that is not there");
	IS(take(TASKS, -1, NULL)->count, NODES - 1, "a node does one task at a time, and nothing before what it waits for");
	IS(take(TASKS, -1, NULL)->count, 0, "then nothing is ready");
	IS(queue_take(queue, &(struct queue_want){.count = 1, .job = "none"}, &(struct queue_batch){0}, &err), -1, "a job that is not there has none");
}

static void
test_finish(void)
{
	struct queue_batch *batch;
	struct queue_answer answer;
	struct result result;

	fresh("finish");
	batch = take(1, -1, NULL);
	IS(finish(queue, batch->list, 1, 0, &err), 0, "a result can be recorded");
	IS(finish(queue, batch->list, 1, 0, &err), 0, "and again");
	IS(now().done, 1, "it counts once");
	IS(finish(queue, batch->list, 1, 1, &err), -1, "another one for the same attempt is refused");
	IS(err.code, EX_NO, "as a plain no");
	result = result_of(batch->list, 0);
	json_set(&result.source, "hostname", jv_string("other"));
	IS(queue_finish(queue, &result, 1, &answer, &err), -1, "also where only what it brings differs");
	IS(answer.code, EX_NO, "and the answer says so");
	result.attempt = 7;
	IS(queue_finish(queue, &result, 1, &answer, &err), -1, "an attempt that was never made is refused");
	result.task = "none";
	IS(queue_finish(queue, &result, 1, &answer, &err), -1, "as is a task that the plan has not");
	IS(answer.code, EX_DATAERR, "which is an error of who says it");
	result.job = "none";
	IS(queue_finish(queue, &result, 1, &answer, &err), -1, "and a job that is not there");
	OK(answer.gone, "which is gone");
	jv_free(result.source);
	do_all();
	IS(now().status, QUEUE_COMPLETE, "when all is done the job is complete");
}

static void
test_loss(void)
{
	struct queue_worker *worker;
	struct queue_batch *batch;
	size_t all, fit;

	fresh("loss");
	take(1, 0, NULL);
	IS(queue_reap(queue, &err), 0, "the lease runs out");
	IS(now().ready, NODES, "and the task is ready again");
	batch = take(1, -1, NULL);
	IS(batch->list[0].attempt, 2, "for a second attempt");
	IS(queue_give_back(queue, batch->list, 1, &err), 0, "it can be given back");
	IS(now().ready, NODES, "and is ready again");
	IS(finish(queue, batch->list, 1, 0, &err), -1, "what is said of it then is refused");
	worker = queue_join(queue, "one", &err);
	OK(worker != NULL, "a worker can join");
	IS(queue_workers(queue, NULL, &all, &fit, &err), 0, "and is counted");
	IS(all, 1, "once");
	IS(queue_renew(worker, &err), 0, "it can say that it is there");
	IS(take(2, -1, queue_worker_id(worker))->count, 2, "it takes tasks");
	IS(queue_reap(queue, &err), 0, "which nobody takes from it");
	IS(now().running, 2, "while it is there");
	IS(queue_leave(worker, &err), 0, "it leaves");
	IS(now().running, 0, "and holds nothing any more");
	worker = queue_join(queue, "two", &err);
	IS(take(2, -1, queue_worker_id(worker))->count, 2, "another takes tasks");
	queue_abandon(worker);
	IS(queue_reap(queue, &err), 0, "and dies");
	IS(now().running, 0, "its tasks are ready again");
}

static void
test_control(void)
{
	struct queue_batch *batch;

	fresh("control");
	IS(queue_control(queue, QUEUE_PAUSE, job, NULL, &err), 0, "a job can be paused");
	IS(now().status, QUEUE_PAUSED, "which shows");
	IS(take(1, -1, NULL)->count, 0, "nothing is taken of it");
	IS(queue_control(queue, QUEUE_RESUME, job, NULL, &err), 0, "and resumed");
	IS(queue_control(queue, QUEUE_RETRY, job, NULL, &err), -1, "nothing has failed");
	batch = take(1, -1, NULL);
	IS(finish(queue, batch->list, 1, EX_DATAERR, &err), 0, "a task fails for good");
	IS(now().failed, 1, "which shows");
	IS(queue_control(queue, QUEUE_RETRY, job, NULL, &err), 0, "it can be tried again");
	IS(now().failed, 0, "which shows");
	IS(queue_skip(queue, job, "t0", "because", &err), 0, "it can be skipped");
	IS(now().skipped, 1, "which shows");
	batch = take(1, -1, NULL);
	IS(queue_control(queue, QUEUE_CANCEL, job, NULL, &err), 0, "the job can be cancelled");
	IS(now().status, QUEUE_CANCELLING, "while a task runs");
	IS(queue_wanted(queue, job, batch->list[0].task, batch->list[0].attempt, &err), 0, "which is not wanted any more");
	IS(finish(queue, batch->list, 1, 0, &err), 0, "and is done nevertheless");
	IS(now().status, QUEUE_CANCELLED, "then it is over");
	IS(queue_control(queue, QUEUE_PAUSE, job, NULL, &err), -1, "and cannot be paused");
	IS(queue_control(queue, QUEUE_RETRY, job, NULL, &err), 0, "but resumed");
	do_all();
	IS(now().status, QUEUE_COMPLETE, "and completed");
}

static void
test_read(void)
{
	struct queue_filter filter = {.task = "t6"};
	struct queue_task_status *tasks;
	struct attempts attempts = {0};
	struct buffer events = {0}, rest = {0}, layout = {0};
	struct arena arena = {0};
	size_t count, lines = 0;

	fresh("read");
	IS(queue_tasks(queue, job, &filter, &arena, &tasks, &count, &err), 0, "one task can be asked for");
	OK(count == 1 && tasks[0].status == STEP_BLOCKED && strcmp(tasks[0].service, "s") == 0, "and is told of");
	do_all();
	IS(queue_tasks(queue, job, &(struct queue_filter){0}, &arena, &tasks, &count, &err), 0, "so can all");
	IS(count, TASKS, "milestones are none");
	tap_is_text(tasks[TASKS - 1].task, "t8", "%s: they come in the order of the plan", engine->name);
	IS(queue_events(queue, job, 0, &events, &err), 0, "its events can be read");
	for (const char *at = events.data; at && (at = strchr(at, '\n')); at++)
		lines++;
	OK(lines == 2 * TASKS + 2, "put, take, done, finish");
	IS(queue_events(queue, job, lines - 1, &rest, &err), 0, "from any number on");
	OK(rest.length > 0 && strstr(rest.data, "\"event\":\"finish\"") && strchr(rest.data, '\n')[1] == '\0', "the last one alone");
	IS(attempts_of_job(queue, job, &attempts, &err), 0, "what happened follows from plan and events");
	IS(attempts.count, TASKS, "an attempt at each task");
	IS(layout_now(queue, job, &layout, &err), 0, "as does the layout");
	OK(layout.length > 0 && strstr(layout.data, "\"was\":[\"s\"]"), "with what stands there");
	attempts_release(&attempts);
	buffer_release(&events);
	buffer_release(&rest);
	buffer_release(&layout);
	arena_release(&arena);
}

static void
test_watch(void)
{
	struct pollfd fd = {.fd = queue_watch(queue, &err), .events = POLLIN};

	OK(fd.fd >= 0, "a queue can be watched");
	queue_watch_clear(queue, fd.fd);
	IS(poll(&fd, 1, 0), 0, "nothing happens");
	fresh("watch");
	IS(poll(&fd, 1, 5000), 1, "a job comes, and that is seen");
	queue_watch_clear(queue, fd.fd);
	IS(poll(&fd, 1, 0), 0, "once");
	close(fd.fd);
}

static void
test_again(void)
{
	fresh("again");
	take(1, -1, NULL);
	queue_close(queue);
	queue = engine->open("spool", QUEUE_WRITE, &err);
	OK(queue != NULL, "a queue can be closed and opened again");
	IS(now().running, 1, "and is as it was");
}

int
main(void)
{
	static void (*const tests[])(void) = {test_put, test_take, test_finish, test_loss, test_control, test_read, test_watch,
	    test_again};
	const char *tmp = getenv("TMPDIR");
	char *folder = memory_printf("%s/queue-suite.XXXXXX", tmp ? tmp : "/tmp");

	if (!mkdtemp(folder) || chdir(folder) < 0)
		return EX_CANTCREAT;
	for (engine = suite_engines; engine < suite_engines + SUITE_ENGINES; engine++) {
		queue = engine->open("spool", QUEUE_WRITE, &err);
		for (size_t i = 0; OK(queue != NULL, "it is open") && i < sizeof tests / sizeof *tests; i++)
			tests[i]();
		take(0, 0, NULL);
		queue_close(queue);
	}
	memory_free_all();
	file_remove_tree(AT_FDCWD, folder, &err);
	free(folder);
	return tap_end();
}
