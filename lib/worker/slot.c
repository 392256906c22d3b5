/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/slot.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "json/record.h"

enum { RESULT_BYTES = 4 * 1024 * 1024 };

/* Moves *text to where there is room for it. */
static void
slot_keep(const char **text, char **room)
{
	size_t size = *text ? strlen(*text) + 1 : 0;

	if (size > 0)
		*text = memcpy(*room, *text, size);
	*room += size;
}

static size_t
slot_size_of(const char *text)
{
	return text ? strlen(text) + 1 : 0;
}

/* One block holds it all: thousands come and go in a second. */
struct slot *
slot_new(const struct queue_task *task, const struct buffer *record)
{
	size_t names = slot_size_of(task->job) + slot_size_of(task->task) + slot_size_of(task->node) + slot_size_of(task->service) +
	    slot_size_of(task->type);
	struct slot *slot = memory_resize(NULL, 1, sizeof *slot + names + record->length);
	char *room = (char *)(slot + 1);

	*slot = (struct slot){.task = *task, .started_ms = clock_monotonic_ms()};
	slot_keep(&slot->task.job, &room);
	slot_keep(&slot->task.task, &room);
	slot_keep(&slot->task.node, &room);
	slot_keep(&slot->task.service, &room);
	slot_keep(&slot->task.type, &room);
	slot->task.record = memcpy(room, record->data, record->length);
	slot->task.record_length = record->length;
	slot->errand = (struct errand){.job = slot->task.job, .task = slot->task.task, .attempt = task->attempt,
	    .record = slot->task.record, .length = record->length, .timeout_ms = task->timeout_s * 1000,
	    .owner = slot};
	return slot;
}

void
slot_make_child(struct slot *slot, char *const *argv, char *const *environment)
{
	slot->child = (struct child){.argv = argv, .environment = environment, .input = slot->task.record,
	    .input_length = slot->task.record_length, .out_limit = RESULT_BYTES, .session = true, .owner = slot};
}

void
slot_free(struct slot *slot)
{
	if (slot->has_result)
		result_release(&slot->result);
	child_release(&slot->child);
	errand_release(&slot->errand);
	free(slot->answer);
	free(slot);
}

/* Takes the record as the slot's result. false where it is none. */
static bool
slot_take_result(struct slot *slot, jv record)
{
	struct problems problems = {0};
	struct place root = place_root(record, &problems);

	result_parse(&root, &slot->result);
	slot->has_result = problems.total == 0;
	if (!slot->has_result)
		result_release(&slot->result);
	problems_release(&problems);
	return slot->has_result;
}

static void
slot_say(struct slot *slot, int status, const char *message)
{
	jv record = jv_object();

	json_set_string(&record, "kind", "result");
	json_set_string(&record, "job", slot->task.job);
	json_set_string(&record, "task", slot->task.task);
	json_set_number(&record, "attempt", (double)slot->task.attempt);
	json_set_number(&record, "status", status);
	json_set_string(&record, "message", message);
	slot_take_result(slot, record);
	jv_free(record);
}

/* The answer of a plugin that streams is for the attempt that it was given, whatever it says. */
static void
slot_take_answer(struct slot *slot)
{
	jv answer = jv_copy(slot->errand.answer);
	struct error err;

	json_set_string(&answer, "kind", "result");
	if (!slot_take_result(slot, answer)) {
		error_set(&err, EX_SOFTWARE, "%s gave an answer that is no result", slot->task.type);
		slot_say(slot, EX_SOFTWARE, err.text);
	}
	jv_free(answer);
}

static void
slot_take_output(struct slot *slot)
{
	const struct buffer *out = &slot->child.out;
	struct error err;
	jv record;

	if (json_parse("coopr-exec", out->data ? out->data : "", out->length, &record, &err) == 0) {
		slot_take_result(slot, record);
		jv_free(record);
	}
	if (!slot->has_result) {
		error_set(&err, EX_SOFTWARE, "coopr-exec ended with exit code %d and no result",
		    process_exit_code(slot->child.wait_status));
		slot_say(slot, EX_SOFTWARE, err.text);
	}
}

void
slot_conclude(struct slot *slot)
{
	slot->took_ms = clock_monotonic_ms() - slot->started_ms;
	if (slot->errand.end == ERRAND_ANSWERED)
		slot_take_answer(slot);
	else if (slot->errand.end == ERRAND_FAILED)
		slot_say(slot, slot->errand.error->code, slot->errand.error->text);
	else
		slot_take_output(slot);
}

void
slot_refuse(struct slot *slot, const char *why)
{
	slot_say(slot, EX_TEMPFAIL, why);
}

void
slot_list_add(struct slot_list *list, struct slot *slot)
{
	slot->next = NULL;
	slot->previous = list->last;
	if (list->last)
		list->last->next = slot;
	else
		list->first = slot;
	list->last = slot;
	list->count++;
}

void
slot_list_remove(struct slot_list *list, struct slot *slot)
{
	*(slot->previous ? &slot->previous->next : &list->first) = slot->next;
	*(slot->next ? &slot->next->previous : &list->last) = slot->previous;
	list->count--;
}
