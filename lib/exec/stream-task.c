/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/stream-task.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

enum { BUCKETS = 64 };

void
stream_task_release(struct stream_task *task)
{
	if (task->end == STREAM_TASK_ANSWERED)
		jv_free(task->answer);
	free(task->error);
	task->error = NULL;
	task->end = STREAM_TASK_OPEN;
}

void
stream_task_fail(struct stream_task *task, int code, const char *format, ...)
{
	va_list ap;

	task->error = memory_zeroed(1, sizeof *task->error);
	task->error->code = code;
	va_start(ap, format);
	vsnprintf(task->error->text, sizeof task->error->text, format, ap);
	va_end(ap);
	task->end = STREAM_TASK_FAILED;
}

char *
stream_task_cancel_line(const struct stream_task *task)
{
	return memory_printf("{\"attempt\":%lld,\"job\":\"%s\",\"kind\":\"cancel\",\"task\":\"%s\"}\n",
	    (long long)task->attempt, task->job, task->task);
}

void
stream_task_list_add(struct stream_task_list *list, struct stream_task *task)
{
	task->next = NULL;
	task->previous = list->last;
	*(list->last ? &list->last->next : &list->first) = task;
	list->last = task;
	list->count++;
}

void
stream_task_list_remove(struct stream_task_list *list, struct stream_task *task)
{
	*(task->previous ? &task->previous->next : &list->first) = task->next;
	*(task->next ? &task->next->previous : &list->last) = task->previous;
	list->count--;
}

/* Returns the bucket of the task that is so named, by a hash. The names are the plan's, which was checked to name each task
 * once: they cannot be made to collide for free. */
static struct stream_task **
stream_task_bucket(const struct stream_task_set *set, const char *job, const char *task)
{
	uint64_t sum = hash_text(hash_text(HASH_START, job), task);

	return &set->buckets[(size_t)(sum ^ sum >> 32) & (set->bucket_count - 1)];
}

static void
stream_task_chain(struct stream_task_set *set, struct stream_task *task)
{
	struct stream_task **bucket = stream_task_bucket(set, task->job, task->task);

	task->chain = *bucket;
	*bucket = task;
}

void
stream_task_set_add(struct stream_task_set *set, struct stream_task *task)
{
	if (set->list.count >= set->bucket_count) {
		set->bucket_count = set->bucket_count ? 2 * set->bucket_count : BUCKETS;
		free(set->buckets);
		set->buckets = memory_zeroed(set->bucket_count, sizeof(struct stream_task *));
		for (struct stream_task *old = set->list.first; old; old = old->next)
			stream_task_chain(set, old);
	}
	stream_task_chain(set, task);
	stream_task_list_add(&set->list, task);
}

void
stream_task_set_remove(struct stream_task_set *set, struct stream_task *task)
{
	struct stream_task **link = stream_task_bucket(set, task->job, task->task);

	while (*link != task)
		link = &(*link)->chain;
	*link = task->chain;
	stream_task_list_remove(&set->list, task);
}

/* Returns the task that the record names, or NULL if it names none that was sent. */
static struct stream_task *
stream_task_named_by(const struct stream_task_set *set, jv record)
{
	jv job = json_get(record, "job"), name = json_get(record, "task"), attempt = json_get(record, "attempt");
	struct stream_task *task = NULL;

	if (set->bucket_count > 0 && json_string(job) && json_string(name) && jv_get_kind(attempt) == JV_KIND_NUMBER) {
		task = *stream_task_bucket(set, json_string(job), json_string(name));
		while (task && (task->attempt != (int64_t)jv_number_value(attempt) ||
		    strcmp(task->task, json_string(name)) != 0 || strcmp(task->job, json_string(job)) != 0))
			task = task->chain;
	}
	jv_free(job);
	jv_free(name);
	jv_free(attempt);
	return task && task->sent ? task : NULL;
}

struct stream_task *
stream_task_set_answer(struct stream_task_set *set, const char *line, size_t length, struct error *err)
{
	struct stream_task *task;
	jv record;

	if (json_parse("an answer", line, length, &record, err) < 0)
		return NULL;
	task = stream_task_named_by(set, record);
	if (!task) {
		jv_free(record);
		error_set(err, EX_SOFTWARE, "it answered to what it was not given");
		return NULL;
	}
	task->answer = record;
	task->end = STREAM_TASK_ANSWERED;
	return task;
}

void
stream_task_set_release(struct stream_task_set *set)
{
	free(set->buckets);
	*set = (struct stream_task_set){.bucket_count = 0};
}
