/* SPDX-License-Identifier: Apache-2.0
 *
 * A plan of a few tasks for tests of the queue, put and finished through its interface: each of the nodes is created, confirmed,
 * and gets a service once all are confirmed.
 */
#ifndef TESTS_UNIT_QUEUE_RIG_H
#define TESTS_UNIT_QUEUE_RIG_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "json/record.h"
#include "queue/queue.h"

enum { NODES = 3, TASKS = 3 * NODES };

static inline void
add_task(struct buffer *plan, int number, int node, const char *action, const char *more)
{
	buffer_printf(plan, "{\"kind\":\"task\",\"id\":\"t%d\",\"node\":\"n%d\",\"action\":\"%s\",\"type\":\"dummy\","
	    "\"timeout_s\":60,\"retries\":2,\"rank\":%d%s}\n", number, node, action, TASKS - number, more);
}

static inline void
make_plan(const char *cluster, struct buffer *plan)
{
	char more[128];

	buffer_printf(plan, "{\"kind\":\"job\",\"id\":null,\"cluster\":\"%s\",\"tenant\":\"t\",\"action\":\"x\",\"tasks\":%d,"
	    "\"critical_path_s\":1}\n", cluster, TASKS);
	buffer_printf(plan, "{\"kind\":\"cluster\",\"id\":\"%s\",\"name\":\"c\",\"tenant\":\"t\",\"services\":[\"s\"],"
	    "\"definitions\":[],\"provider\":{\"name\":\"p\",\"providertype\":\"dummy\"},"
	    "\"config\":{\"a\":\"%%ip.service.s%%\"}}\n", cluster);
	for (int n = 0; n < NODES; n++)
		buffer_printf(plan, "{\"kind\":\"node\",\"id\":\"n%d\",\"nodenum\":%d,\"hostname\":\"h%d\",\"services\":[\"s\"],"
		    "\"was\":null}\n", n, n, n);
	for (int n = 0; n < NODES; n++)
		add_task(plan, n, n, "create", "");
	for (int n = 0; n < NODES; n++) {
		snprintf(more, sizeof more, ",\"after\":[\"t%d\"],\"undo\":[\"delete\",\"create\"]", n);
		add_task(plan, NODES + n, n, "confirm", more);
	}
	buffer_text(plan, "{\"kind\":\"milestone\",\"id\":\"m\",\"name\":\"m\",\"after\":[\"t3\",\"t4\",\"t5\"]}\n");
	for (int n = 0; n < NODES; n++)
		add_task(plan, 2 * NODES + n, n, "install", ",\"after\":[\"m\"],\"service\":\"s\"");
}

static inline int
put(struct queue *queue, const char *cluster, char job[QUEUE_ID_SIZE], struct error *err)
{
	const struct queue_put options = {.backoff_ms = 0};
	struct problems problems = {0};
	struct record_reader reader;
	struct buffer plan = {0};
	int ends[2], result;

	make_plan(cluster, &plan);
	if (pipe(ends) < 0 || file_write_all(ends[1], plan.data, plan.length) < 0)
		return error_errno(err, EX_OSERR, "pipe");
	close(ends[1]);
	record_reader_init(&reader, ends[0], "plan");
	result = queue_put(queue, &reader, &options, job, &problems, err);
	record_reader_release(&reader);
	problems_release(&problems);
	buffer_release(&plan);
	close(ends[0]);
	return result;
}

static inline struct result
result_of(const struct queue_task *task, int64_t status)
{
	struct result result = {.job = task->job, .task = task->task, .attempt = task->attempt, .status = status,
	    .source = jv_object()};

	json_set(&result.source, "ipaddresses", JV_OBJECT(jv_string("bind_v4"), jv_string("10.0.0.1")));
	return result;
}

static inline int
finish(struct queue *queue, const struct queue_task *tasks, size_t count, int64_t status, struct error *err)
{
	struct result *results = memory_zeroed(count, sizeof *results);
	struct queue_answer *answers = memory_zeroed(count, sizeof *answers);
	int result;

	for (size_t i = 0; i < count; i++)
		results[i] = result_of(&tasks[i], status);
	result = queue_finish(queue, results, count, answers, err);
	for (size_t i = 0; i < count; i++)
		jv_free(results[i].source);
	free(results);
	free(answers);
	return result;
}

#endif
