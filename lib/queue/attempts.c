/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/attempts.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "json/json.h"
#include "json/record.h"
#include "queue/read.h"

int64_t
attempt_took_ms(const struct attempt *attempt)
{
	return attempt->end_ms - attempt->start_ms;
}

bool
attempt_is_wait(const struct attempt *attempt)
{
	return attempt->end == ATTEMPT_FAILED && attempt->next == EVENT_NEXT_RETRY && action_table[attempt->action].is_check;
}

static bool
attempts_has_plan(const struct attempts *attempts)
{
	return attempts->node_of != NULL;
}

/* The plan is whole: names its steps and nodes. */
static int
attempts_end_plan(struct attempts *attempts, struct problems *problems, struct error *err)
{
	struct plan_document *plan = &attempts->plan;

	plan_document_end(plan, problems);
	if (problems_error(problems, "the plan", EX_DATAERR, err) < 0)
		return -1;
	if (!plan->has_job || !plan->layout.has_cluster)
		return error_set(err, EX_DATAERR, "the plan: there is no %s record", plan->has_job ? "cluster" : "job");
	attempts->job = plan->job.id ? plan->job.id : "";
	attempts->tenant = plan->job.tenant;
	attempts->node_of = memory_zeroed(plan->count + 1, sizeof *attempts->node_of);
	attempts->last = memory_zeroed(plan->count + 1, sizeof *attempts->last);
	attempts->skipped = memory_zeroed(plan->count + 1, sizeof *attempts->skipped);
	for (size_t i = 0; i < plan->layout.node_count; i++)
		names_intern(&attempts->nodes, plan->layout.nodes[i].id);
	for (size_t i = 0; i < plan->count; i++) {
		const struct step *step = &plan->steps[i];
		int node = step->is_milestone ? 0 : names_find(&attempts->nodes, step->node);

		if (names_intern(&attempts->steps, step->id) != (int)i || node == NAMES_NONE)
			return error_set(err, EX_DATAERR, "the plan: task %s: its id is there twice, or its node is not", step->id);
		attempts->node_of[i] = (uint32_t)node;
	}
	return 0;
}

/* The number of a worker's name. */
static int
attempts_worker_of(struct attempts *attempts, const char *by)
{
	int number;

	if (!by)
		return NAMES_NONE;
	number = names_find(&attempts->workers, by);
	return number == NAMES_NONE ? names_intern(&attempts->workers, arena_string(&attempts->arena, by)) : number;
}

static void
attempts_begin(struct attempts *attempts, const struct event *event, uint32_t step)
{
	const struct step *planned = &attempts->plan.steps[step];
	struct attempt *attempt;

	ARRAY_ROOM(attempts->list, attempts->count, attempts->capacity);
	attempt = &attempts->list[attempts->count++];
	*attempt = (struct attempt){.step = step, .previous = attempts->last[step], .number = event->attempt,
	    .action = event->action ? action_of_name(event->action) : planned->action, .undoing = event->action != NULL,
	    .start_ms = event->at_ms, .end_ms = event->at_ms, .worker = attempts_worker_of(attempts, event->by)};
	attempts->last[step] = (uint32_t)attempts->count;
}

static void
attempts_skip(struct attempts *attempts, const struct event *event, uint32_t step)
{
	struct arena *arena = &attempts->arena;

	ARRAY_ROOM(attempts->skips, attempts->skip_count, attempts->skip_capacity);
	attempts->skips[attempts->skip_count++] = (struct attempts_skip){step, event->at_ms,
	    event->by ? arena_string(arena, event->by) : NULL, event->reason ? arena_string(arena, event->reason) : NULL};
	attempts->skipped[step] = true;
}

/* Takes from the result of a creation what it tells of the machine: when that was asked for, or that there is certainly none. */
static void
attempts_take_creation(struct attempt *attempt, const char *text)
{
	jv result = text ? jv_parse(text) : jv_invalid(), facts = json_get(result, "result");
	char *asked_at = json_get_string(facts, "asked_at"), *class = json_get_string(result, "class");
	int64_t asked_ms = asked_at ? clock_parse_rfc3339(asked_at) : 0;
	bool no_room = class && (strcmp(class, "capacity") == 0 || strcmp(class, "quota") == 0);

	if (attempt->end == ATTEMPT_DONE)
		attempt->asked_ms = asked_ms > 0 ? asked_ms : 0;
	else if (attempt->end == ATTEMPT_FAILED)
		attempt->made_nothing = no_room || attempt->status == EX_NOPERM || attempt->status == EX_CONFIG;
	free(class);
	free(asked_at);
	jv_free(facts);
	jv_free(result);
}

static int
attempts_end(struct attempts *attempts, const struct event *event, uint32_t step, struct error *err)
{
	uint32_t link = attempts->last[step];
	struct attempt *attempt = link ? &attempts->list[link - 1] : NULL;
	const char *message = event->kind == EVENT_LOST ? event->reason : event->message;

	if (!attempt || attempt->number != event->attempt || attempt->end != ATTEMPT_RUNNING)
		return error_set(err, EX_DATAERR, "%s: %s: attempt %lld does not run", event->task, event_name(event->kind),
		    (long long)event->attempt);
	attempt->end = event->kind == EVENT_DONE ? ATTEMPT_DONE : event->kind == EVENT_FAIL ? ATTEMPT_FAILED : ATTEMPT_LOST;
	/* The clock may have been set meanwhile. */
	attempt->end_ms = event->at_ms > attempt->start_ms ? event->at_ms : attempt->start_ms;
	attempt->status = event->status;
	attempt->next = event->next;
	attempt->message = message ? arena_string(&attempts->arena, message) : NULL;
	if (attempt->action == ACTION_CREATE)
		attempts_take_creation(attempt, event->result);
	return 0;
}

/* Counts all times so far by a clock that is so much ahead. */
static void
attempts_set_clock(struct attempts *attempts, int64_t ms)
{
	attempts->put_ms += ms;
	attempts->last_ms += ms;
	for (size_t i = 0; i < attempts->count; i++) {
		attempts->list[i].start_ms += ms;
		attempts->list[i].end_ms += ms;
	}
	for (size_t i = 0; i < attempts->skip_count; i++)
		attempts->skips[i].at_ms += ms;
}

static int
attempts_take_event(struct attempts *attempts, const struct event *event, struct error *err)
{
	struct arena *arena = &attempts->arena;
	bool of_task = event->kind == EVENT_TAKE || event->kind == EVENT_DONE || event->kind == EVENT_FAIL ||
	    event->kind == EVENT_LOST || event->kind == EVENT_SKIP;
	int step = of_task ? names_find(&attempts->steps, event->task) : 0;

	if (step == NAMES_NONE)
		return error_set(err, EX_DATAERR, "%s: the plan has no such task", event->task);
	if (event->clock_set_ms)
		attempts_set_clock(attempts, event->clock_set_ms);
	if (event->at_ms > attempts->last_ms)
		attempts->last_ms = event->at_ms;
	switch (event->kind) {
	case EVENT_PUT:
		attempts->put_ms = event->at_ms;
		attempts->job = arena_string(arena, event->job);
		attempts->tenant = arena_string(arena, event->tenant);
		break;
	case EVENT_FINISH:
		attempts->outcome = arena_string(arena, event->reason ? event->reason : "");
		break;
	case EVENT_RETRY:
		attempts->outcome = NULL;
		break;
	case EVENT_TAKE:
		attempts_begin(attempts, event, (uint32_t)step);
		break;
	case EVENT_SKIP:
		attempts_skip(attempts, event, (uint32_t)step);
		break;
	default:
		return of_task ? attempts_end(attempts, event, (uint32_t)step, err) : 0;
	}
	return 0;
}

static int
attempts_read_record(struct attempts *attempts, const struct place *record, struct error *err)
{
	struct arena scratch = {0};
	struct event event;
	int result = 0;

	if (strcmp(record_kind(record->value), "event") != 0) {
		if (!attempts_has_plan(attempts))
			plan_document_take(&attempts->plan, record);
		return 0;
	}
	if (!attempts_has_plan(attempts) && attempts_end_plan(attempts, record->problems, err) < 0)
		return -1;
	event_parse(record, &scratch, &event);
	if (record->problems->total == 0)
		result = attempts_take_event(attempts, &event, err);
	arena_release(&scratch);
	return result;
}

int
attempts_read(struct record_reader *reader, struct attempts *attempts, struct problems *problems, struct error *err)
{
	struct place stream = place_root((jv){0}, problems);
	jv value;
	int got, result = 0;

	while (result == 0 && (got = record_read(reader, &value, err)) != 0) {
		struct place record = {.up = &stream, .index = reader->number - 1, .value = value, .problems = problems};

		result = got < 0 ? -1 : attempts_read_record(attempts, &record, err);
		if (got > 0)
			jv_free(value);
	}
	if (result == 0 && !attempts_has_plan(attempts))
		result = attempts_end_plan(attempts, problems, err);
	if (attempts->put_ms == 0 && attempts->count > 0)
		attempts->put_ms = attempts->list[0].start_ms;
	/* An attempt that runs has lasted up to the last event. */
	for (size_t i = 0; i < attempts->count; i++)
		if (attempts->list[i].end == ATTEMPT_RUNNING && attempts->last_ms > attempts->list[i].start_ms)
			attempts->list[i].end_ms = attempts->last_ms;
	return result;
}

int
attempts_of_text(const char *job, struct buffer *text, struct attempts *attempts, struct error *err)
{
	struct record_reader reader = {.fd = -1, .name = job, .pending = *text, .end = true};
	struct problems problems = {0};
	int result;

	*text = (struct buffer){0};
	result = attempts_read(&reader, attempts, &problems, err);
	if (result == 0)
		result = problems_error(&problems, "its plan and events", EX_DATAERR, err);
	record_reader_release(&reader);
	problems_release(&problems);
	attempts->job = arena_string(&attempts->arena, job);
	return result < 0 ? error_prefix(err, "job %s", job) : 0;
}

int
attempts_of_job(struct queue *queue, const char *job, struct attempts *attempts, struct error *err)
{
	struct buffer text = {0};

	if (queue_plan(queue, job, &text, err) == 0 && queue_events(queue, job, 0, &text, err) == 0)
		return attempts_of_text(job, &text, attempts, err);
	buffer_release(&text);
	return -1;
}

void
attempts_release(struct attempts *attempts)
{
	plan_document_release(&attempts->plan);
	arena_release(&attempts->arena);
	names_release(&attempts->steps);
	names_release(&attempts->nodes);
	names_release(&attempts->workers);
	free(attempts->node_of);
	free(attempts->last);
	free(attempts->skipped);
	free(attempts->skips);
	free(attempts->list);
	*attempts = (struct attempts){0};
}
