/* SPDX-License-Identifier: Apache-2.0
 *
 * drain [-n COUNT] PLAN
 *
 * What the queue itself costs: puts a plan into the spool (COOPR_SPOOL), then takes and finishes up to COUNT tasks at a
 * time (default 256) until it is complete, everything on disk before it counts. Each result is parsed from its record, as one from a plugin
 * is.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/message.h"
#include "base/option.h"
#include "json/record.h"
#include "queue/queue.h"

static long count = 256;

static const struct option_spec options[] = {
	OPTION_NUMBER('n', "count", &count, "COUNT", "so many at a time"),
	OPTION_END
};

static const struct command command = {"drain", "[OPTION]... PLAN", "Put a plan and drain it.", options, ""};

struct drain {
	struct queue *queue;
	struct queue_worker *worker;
	char job[QUEUE_ID_SIZE];
	struct result *results;
	struct queue_answer *answers;
	size_t count, done;
};

static void
give_up(const struct error *err)
{
	exit(message_error(err));
}

static void
put(struct drain *drain, const char *path)
{
	const struct queue_put how = {0};
	struct problems problems = {0};
	struct record_reader reader;
	struct error err;

	if (record_reader_open(&reader, path, &err) < 0 ||
	    queue_put(drain->queue, &reader, &how, drain->job, &problems, &err) < 0)
		give_up(&err);
	record_reader_release(&reader);
}

/* What its plugin would have said. */
static void
do_task(struct drain *drain, const struct queue_task *task)
{
	struct problems problems = {0};
	struct place place;
	struct error err;
	char text[512];
	int length;
	jv record;

	length = snprintf(text, sizeof text, "{\"attempt\":%d,\"job\":\"%s\",\"kind\":\"result\",\"status\":0,\"task\":\"%s\"}",
	    (int)task->attempt, task->job, task->task);
	if (json_parse("result", text, (size_t)length, &record, &err) < 0)
		give_up(&err);
	place = place_root(record, &problems);
	result_parse(&place, &drain->results[drain->count++]);
	jv_free(record);
}

/* False where nothing was left. */
static bool
turn(struct drain *drain)
{
	struct queue_want want = {.count = (size_t)count, .worker = queue_worker_id(drain->worker)};
	struct queue_batch batch;
	struct error err;
	size_t taken;

	if (queue_turn(drain->queue, drain->results, drain->count, drain->answers, &want, &batch, &err) < 0)
		give_up(&err);
	for (size_t i = 0; i < drain->count; i++)
		result_release(&drain->results[i]);
	drain->done += drain->count;
	drain->count = 0;
	for (size_t i = 0; i < batch.count; i++)
		do_task(drain, &batch.list[i]);
	taken = batch.count;
	queue_batch_release(&batch);
	return taken > 0;
}

int
main(int argc, char **argv)
{
	struct drain drain = {0};
	struct error err;
	int64_t began, ended;

	argv += option_parse(&command, argc, argv);
	if (!argv[0] || count == 0)
		return option_misuse(&command, "which plan, and how many at a time?");
	drain.queue = queue_open(NULL, QUEUE_WRITE, &err);
	drain.results = memory_zeroed((size_t)count, sizeof *drain.results);
	drain.answers = memory_zeroed((size_t)count, sizeof *drain.answers);
	if (!drain.queue || !(drain.worker = queue_join(drain.queue, "drain", &err)))
		give_up(&err);

	began = clock_monotonic_ms();
	put(&drain, argv[0]);
	ended = clock_monotonic_ms();
	printf("put                      %8.3f s\n", (double)(ended - began) / 1e3);
	began = clock_monotonic_ms();
	while (turn(&drain))
		;
	ended = clock_monotonic_ms();
	printf("take+done, %4ld at a time %8.3f s, %zu tasks, %.0f tasks/s\n", count, (double)(ended - began) / 1e3, drain.done,
	    (double)drain.done / ((double)(ended - began + 1) / 1e3));

	if (queue_leave(drain.worker, &err) < 0)
		give_up(&err);
	queue_close(drain.queue);
	free(drain.results);
	free(drain.answers);
	return message_end(0);
}
