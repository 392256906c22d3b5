/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/running-task.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "exec/attempt-result.h"
#include "json/record.h"
#include "worker/login-files.h"

enum { RESULT_BYTES = 4 * 1024 * 1024 };

/* One block holds it all: thousands come and go in a second. */
struct running_task *
running_task_new(const struct queue_task *task, const struct buffer *record)
{
	struct queue_task copy = *task;
	const char **texts[] = {&copy.job, &copy.task, &copy.node, &copy.service, &copy.type};
	size_t count = sizeof texts / sizeof *texts, size = record->length;
	struct running_task *running;
	char *room;

	for (size_t i = 0; i < count; i++)
		size += *texts[i] ? strlen(*texts[i]) + 1 : 0;
	running = memory_resize(NULL, 1, sizeof *running + size);
	room = (char *)(running + 1);
	copy.record = memcpy(room, record->data, record->length);
	copy.record_length = record->length;
	room += record->length;
	for (size_t i = 0; i < count; i++)
		if (*texts[i]) {
			size_t length = strlen(*texts[i]) + 1;

			*texts[i] = memcpy(room, *texts[i], length);
			room += length;
		}
	*running = (struct running_task){.task = copy, .started_ms = clock_monotonic_ms()};
	running->streamed = (struct stream_task){.job = copy.job, .task = copy.task, .attempt = copy.attempt,
	    .record = copy.record, .length = copy.record_length, .timeout_ms = copy.timeout_s * 1000, .owner = running};
	return running;
}

void
running_task_set_record(struct running_task *running, struct buffer *record)
{
	running->task.record_length = running->streamed.length = record->length;
	free(running->given);
	running->given = buffer_take(record);
	running->task.record = running->streamed.record = running->given;
}

void
running_task_make_child(struct running_task *running, char *const *argv, char *const *environment)
{
	running->child = (struct child){.argv = argv, .environment = environment, .input = running->task.record,
	    .input_length = running->task.record_length, .out_limit = RESULT_BYTES, .session = true, .owner = running};
}

void
running_task_free(struct running_task *running)
{
	if (running->has_result)
		result_release(&running->result);
	login_files_leave(running->login);
	child_release(&running->child);
	stream_task_release(&running->streamed);
	free(running->scope);
	free(running->given);
	free(running->answer);
	free(running);
}

/* Takes the record as the result of the task. Returns false if it is none. */
static bool
running_task_take_result(struct running_task *running, jv record)
{
	struct problems problems = {0};
	struct place root = place_root(record, &problems);

	result_parse(&root, &running->result);
	running->has_result = problems.total == 0;
	if (!running->has_result)
		result_release(&running->result);
	problems_release(&problems);
	return running->has_result;
}

/* Makes a result of our own for the task. */
static void
running_task_set_result(struct running_task *running, int status, const char *message)
{
	jv record = jv_object();

	json_set_string(&record, "kind", "result");
	json_set_string(&record, "job", running->task.job);
	json_set_string(&record, "task", running->task.task);
	json_set_number(&record, "attempt", (double)running->task.attempt);
	json_set_number(&record, "status", status);
	json_set_string(&record, "message", message);
	running_task_take_result(running, record);
	jv_free(record);
}

/* A drain is bounded by its time: the instance is stopped then also where the drain was not over, and the result says so. */
static void
running_task_bound_drain(struct running_task *running)
{
	char *message;

	if (running->task.action != ACTION_DRAIN || running->result.status != ATTEMPT_TIMEOUT)
		return;
	message = memory_printf("not drained within its timeout_s, %lld s; it is stopped all the same", (long long)running->task.timeout_s);
	result_release(&running->result);
	running_task_set_result(running, 0, message);
	free(message);
}

static void
running_task_set_outcome(struct running_task *running)
{
	const struct buffer *out = &running->child.out;
	struct error err;
	char *how;
	jv record;

	if (running->streamed.end == STREAM_TASK_FAILED) {
		running_task_set_result(running, running->streamed.error->code, running->streamed.error->text);
		return;
	}
	if (running->streamed.end == STREAM_TASK_ANSWERED) {
		/* The answer of a plugin that streams is for the attempt that it was given, whatever it says. */
		record = jv_copy(running->streamed.answer);
		json_set_string(&record, "kind", "result");
		running_task_take_result(running, record);
		jv_free(record);
		error_set(&err, EX_SOFTWARE, "%s gave an answer that is not a result", running->task.type);
	} else {
		if (json_parse("coopr-exec", buffer_string(out), out->length, &record, &err) == 0) {
			running_task_take_result(running, record);
			jv_free(record);
		}
		how = process_end_text(process_exit_code(running->child.wait_status));
		error_set(&err, EX_SOFTWARE, "coopr-exec %s and gave no result", how);
		free(how);
	}
	if (!running->has_result)
		running_task_set_result(running, EX_SOFTWARE, err.text);
}

void
running_task_conclude(struct running_task *running)
{
	running->took_ms = clock_monotonic_ms() - running->started_ms;
	running_task_set_outcome(running);
	running_task_bound_drain(running);
}

void
running_task_refuse(struct running_task *running, const char *why)
{
	running_task_set_result(running, EX_TEMPFAIL, why);
}

void
running_task_list_add(struct running_task_list *list, struct running_task *running)
{
	running->next = NULL;
	running->previous = list->last;
	*(list->last ? &list->last->next : &list->first) = running;
	list->last = running;
	list->count++;
}

void
running_task_list_remove(struct running_task_list *list, struct running_task *running)
{
	*(running->previous ? &running->previous->next : &list->first) = running->next;
	*(running->next ? &running->next->previous : &list->last) = running->previous;
	list->count--;
}

void
running_task_list_free(struct running_task_list *list)
{
	struct running_task *running;

	while ((running = list->first)) {
		list->first = running->next;
		running_task_free(running);
	}
	*list = (struct running_task_list){0};
}
