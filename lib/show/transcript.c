/* SPDX-License-Identifier: Apache-2.0 */
#include "show/transcript.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/printable.h"
#include "model/name.h"
#include "operation/target.h"
#include "queue/read.h"
#include "show/login.h"
#include "status/status.h"

enum { READ_BYTES = 64 * 1024 };

static bool
transcript_is_meant(const struct transcript *transcript, const struct node *node, const struct queue_task_status *task)
{
	const struct target *target = transcript->target;

	if (transcript->action && strcmp(transcript->action, task->action) != 0)
		return false;
	if (target->service && strcmp(target->service, task->service) != 0)
		return false;
	if (node)
		return target_has(target, node);
	return target->services.count == 0 && (target->nodes.count == 0 || name_list_has(&target->nodes, task->node));
}

/* Finds the tasks of the transcript's job, on the nodes of the layout that the operation wanted. */
static int
transcript_add_tasks(struct transcript *transcript, const struct layout *layout, struct error *err)
{
	struct queue_task_status *tasks;
	size_t count;

	if (queue_tasks(transcript->status->queue, transcript->job, &(struct queue_filter){0}, &transcript->arena, &tasks, &count, err) < 0)
		return -1;
	transcript->count = 0;
	transcript->list = arena_alloc(&transcript->arena, count, sizeof *transcript->list);
	for (size_t i = 0; i < count; i++) {
		const struct node *node = layout_node(layout, tasks[i].node);

		if (transcript_is_meant(transcript, node, &tasks[i]))
			transcript->list[transcript->count++] = (struct transcript_task){&tasks[i],
			    node ? login_name(node, &transcript->arena) : tasks[i].node};
	}
	return 0;
}

/* Returns 1 if the operation had something to do on the target, 0 if not; -1. */
static int
transcript_try_operation(struct transcript *transcript, const struct operation *operation, struct error *err)
{
	struct operation_documents documents = {0};
	struct layout layout = {0};
	struct queue_job job;
	struct error gone;
	int result;

	if (!operation->job || !transcript->status->queue || queue_status_of(transcript->status->queue, operation->job, &job,
	    &gone) < 0)
		return 0;
	free(transcript->job);
	transcript->job = memory_string(operation->job);
	result = operation_documents(&transcript->status->account, operation->cluster, operation->number, &documents, err);
	if (result == 0)
		result = layout_parse_text(documents.wanted ? documents.wanted : "", &layout, err);
	if (result == 0)
		result = transcript_add_tasks(transcript, &layout, err);
	layout_release(&layout);
	operation_documents_release(&documents);
	return result < 0 ? -1 : transcript->count > 0;
}

static int
transcript_nothing(const struct transcript *transcript, const struct operation_list *list, int64_t number,
    struct error *err)
{
	if (list->count && number)
		return error_set(err, EX_NO, "%s: operation %" PRId64 " had no such task, or its job was removed from the queue",
		    transcript->status->cluster->name, number);
	return error_set(err, EX_NO, "%s: no job in the queue has such a task; a job is removed with its logs (coopr-queue gc)",
	    transcript->status->cluster->name);
}

int
transcript_open(struct transcript *transcript, struct cluster_status *status, int64_t number, struct error *err)
{
	struct operation_list list = {0};
	int found = 0;

	transcript->status = status;
	found = number ? operation_find(&status->account, status->cluster->id, number, &list, err)
	               : operations_list(&status->account, status->cluster->id, 0, 0, &list, err);
	for (size_t i = 0; i < list.count && found == 0; i++)
		found = transcript_try_operation(transcript, &list.list[i], err);
	if (found == 0)
		found = transcript_nothing(transcript, &list, number, err);
	operation_list_release(&list);
	return found < 0 ? -1 : 0;
}

static void
transcript_print_line(const struct transcript *transcript, const char *prefix, const char *line, size_t length)
{
	char *text = memory_substring(line, length);

	if (*prefix)
		printf("%s%s%s | ", transcript->colour ? "\033[1m" : "", prefix, transcript->colour ? "\033[0m" : "");
	if (transcript->plain) {
		fwrite(line, 1, length, stdout);
	} else {
		printable(text);
		fputs(text, stdout);
	}
	putchar('\n');
	free(text);
}

void
transcript_print_lines(const struct transcript *transcript, const char *prefix, struct buffer *text, bool over)
{
	char *start = text->data, *rest = start ? start + text->length : NULL, *end;

	for (; start < rest; start = end < rest ? end + 1 : rest) {
		end = memchr(start, '\n', (size_t)(rest - start));
		if (!end && !over)
			break;
		end = end ? end : rest;
		transcript_print_line(transcript, prefix, start, (size_t)(end - start));
	}
	if (text->data)
		buffer_drop(text, (size_t)(start - text->data));
}

/* Prints all that the newest attempt at a task has printed. Returns 1, 0 if that is nothing; -1. */
static int
transcript_print_task(const struct transcript *transcript, const struct transcript_task *of, bool more, struct error *err)
{
	const struct queue_task_status *task = of->task;
	struct buffer text = {0};
	ssize_t n;

	while ((n = queue_log_read(transcript->status->queue, transcript->job, task->task, task->attempt, (int64_t)text.length,
	    buffer_room(&text, READ_BYTES), READ_BYTES, err)) > 0)
		text.length += (size_t)n;
	if (n < 0 || text.length == 0) {
		buffer_release(&text);
		return n < 0 ? -1 : 0;
	}
	printf("%s%s==> %s%s%s on %s, attempt %" PRId64 ": %s <==%s\n", more ? "\n" : "", transcript->colour ? "\033[1m" : "",
	    task->action, *task->service ? " " : "", task->service, of->node, task->attempt, queue_step_name(task->status),
	    transcript->colour ? "\033[0m" : "");
	transcript_print_lines(transcript, "", &text, true);
	buffer_release(&text);
	return 1;
}

int
transcript_print(struct transcript *transcript, struct error *err)
{
	int count = 0, got;

	for (size_t i = 0; i < transcript->count; i++) {
		if (transcript->list[i].task->attempt == 0)
			continue;
		got = transcript_print_task(transcript, &transcript->list[i], count > 0, err);
		if (got < 0)
			return -1;
		count += got;
	}
	return count;
}

void
transcript_release(struct transcript *transcript)
{
	free(transcript->job);
	arena_release(&transcript->arena);
}
