/* SPDX-License-Identifier: Apache-2.0 */
#include "history/course.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "json/record.h"
#include "queue/spool/engine.h"
#include "queue/spool/shared/journal.h"

int64_t
course_took_ms(const struct course_attempt *attempt)
{
	return attempt->end_ms - attempt->start_ms;
}

static bool
course_has_plan(const struct course *course)
{
	return course->node_of != NULL;
}

/* The plan is whole: names its steps and nodes. */
static int
course_end_plan(struct course *course, struct problems *problems, struct error *err)
{
	struct plan_document *plan = &course->plan;

	plan_document_end(plan, problems);
	if (problems->total > 0)
		return error_set(err, EX_DATAERR, "the plan: %s: %s", problems->list[0].pointer, problems->list[0].text);
	if (!plan->has_job || !plan->has_cluster)
		return error_set(err, EX_DATAERR, "the plan: there is no %s record", plan->has_job ? "cluster" : "job");
	course->job = plan->job.id ? plan->job.id : "";
	course->tenant = plan->job.tenant;
	course->node_of = memory_zeroed(plan->count + 1, sizeof *course->node_of);
	course->last = memory_zeroed(plan->count + 1, sizeof *course->last);
	course->skipped = memory_zeroed(plan->count + 1, sizeof *course->skipped);
	for (size_t i = 0; i < plan->layout.node_count; i++)
		names_intern(&course->nodes, plan->layout.nodes[i].id);
	for (size_t i = 0; i < plan->count; i++) {
		const struct step *step = &plan->steps[i];
		int node = step->is_milestone ? 0 : names_find(&course->nodes, step->node);

		if (names_intern(&course->steps, step->id) != (int)i || node == NAMES_NONE)
			return error_set(err, EX_DATAERR, "the plan: task %s: its id is there twice, or its node is not", step->id);
		course->node_of[i] = (uint32_t)node;
	}
	return 0;
}

/* The number of a worker's name. */
static int
course_worker_of(struct course *course, const char *by)
{
	int number;

	if (!by)
		return NAMES_NONE;
	number = names_find(&course->workers, by);
	return number == NAMES_NONE ? names_intern(&course->workers, arena_string(&course->arena, by)) : number;
}

static void
course_take(struct course *course, const struct event *event, uint32_t step)
{
	const struct step *planned = &course->plan.steps[step];
	struct course_attempt *attempt;

	ARRAY_ROOM(course->attempts, course->count, course->capacity);
	attempt = &course->attempts[course->count++];
	*attempt = (struct course_attempt){.step = step, .previous = course->last[step], .number = event->attempt,
	    .action = event->action ? action_of_name(event->action) : planned->action, .undoing = event->action != NULL,
	    .start_ms = event->at_ms, .end_ms = event->at_ms, .worker = course_worker_of(course, event->by)};
	course->last[step] = (uint32_t)course->count;
}

static void
history_course_skip(struct course *course, const struct event *event, uint32_t step)
{
	struct arena *arena = &course->arena;

	ARRAY_ROOM(course->skips, course->skip_count, course->skip_capacity);
	course->skips[course->skip_count++] = (struct course_skip){step, event->at_ms,
	    event->by ? arena_string(arena, event->by) : NULL, event->reason ? arena_string(arena, event->reason) : NULL};
	course->skipped[step] = true;
}

static int
course_end(struct course *course, const struct event *event, uint32_t step, struct error *err)
{
	uint32_t link = course->last[step];
	struct course_attempt *attempt = link ? &course->attempts[link - 1] : NULL;
	const char *message = event->kind == EVENT_LOST ? event->reason : event->message;

	if (!attempt || attempt->number != event->attempt || attempt->end != COURSE_RUNNING)
		return error_set(err, EX_DATAERR, "%s: %s: attempt %lld does not run", event->task, event_name(event->kind),
		    (long long)event->attempt);
	attempt->end = event->kind == EVENT_DONE ? COURSE_DONE : event->kind == EVENT_FAIL ? COURSE_FAILED : COURSE_LOST;
	/* The clock may have been set meanwhile. */
	attempt->end_ms = event->at_ms > attempt->start_ms ? event->at_ms : attempt->start_ms;
	attempt->status = event->status;
	attempt->next = event->next;
	attempt->message = message ? arena_string(&course->arena, message) : NULL;
	return 0;
}

static void
course_put(struct course *course, const struct event *event)
{
	course->put_ms = event->at_ms;
	course->job = arena_string(&course->arena, event->job);
	course->tenant = arena_string(&course->arena, event->tenant);
}

static int
course_take_event(struct course *course, const struct event *event, struct error *err)
{
	bool of_task = event->kind == EVENT_TAKE || event->kind == EVENT_DONE || event->kind == EVENT_FAIL ||
	    event->kind == EVENT_LOST || event->kind == EVENT_SKIP;
	int step = of_task ? names_find(&course->steps, event->task) : 0;

	if (step == NAMES_NONE)
		return error_set(err, EX_DATAERR, "%s: the plan has no such task", event->task);
	if (event->at_ms > course->last_ms)
		course->last_ms = event->at_ms;
	if (event->kind == EVENT_PUT)
		course_put(course, event);
	else if (event->kind == EVENT_FINISH)
		course->outcome = arena_string(&course->arena, event->reason ? event->reason : "");
	else if (event->kind == EVENT_RETRY)
		course->outcome = NULL;
	else if (event->kind == EVENT_TAKE)
		course_take(course, event, (uint32_t)step);
	else if (event->kind == EVENT_SKIP)
		history_course_skip(course, event, (uint32_t)step);
	else if (of_task)
		return course_end(course, event, (uint32_t)step, err);
	return 0;
}

/* What runs has run until the last event. */
static void
course_end_events(struct course *course)
{
	if (course->put_ms == 0 && course->count > 0)
		course->put_ms = course->attempts[0].start_ms;
	for (size_t i = 0; i < course->count; i++)
		if (course->attempts[i].end == COURSE_RUNNING && course->last_ms > course->attempts[i].start_ms)
			course->attempts[i].end_ms = course->last_ms;
}

static int
course_read_record(struct course *course, const struct place *record, struct error *err)
{
	struct arena scratch = {0};
	struct event event;
	int result = 0;

	if (strcmp(record_kind(record->value), "event") != 0) {
		if (!course_has_plan(course))
			plan_document_take(&course->plan, record);
		return 0;
	}
	if (!course_has_plan(course) && course_end_plan(course, record->problems, err) < 0)
		return -1;
	event_parse(record, &scratch, &event);
	if (record->problems->total == 0)
		result = course_take_event(course, &event, err);
	arena_release(&scratch);
	return result;
}

int
course_read(struct record_reader *reader, struct course *course, struct problems *problems, struct error *err)
{
	struct place stream = place_root((jv){0}, problems);
	jv value;
	int got, result = 0;

	while (result == 0 && (got = record_read(reader, &value, err)) != 0) {
		struct place record = {.up = &stream, .index = reader->number - 1, .value = value, .problems = problems};

		result = got < 0 ? -1 : course_read_record(course, &record, err);
		if (got > 0)
			jv_free(value);
	}
	if (result == 0 && !course_has_plan(course))
		result = course_end_plan(course, problems, err);
	course_end_events(course);
	return result;
}

static int
course_read_plan(const struct open_job *job, struct course *course, struct error *err)
{
	struct problems problems = {0};
	struct record_reader reader;
	int fd = file_open(job->dir, "plan.ndjson", O_RDONLY, 0, err), result;

	if (fd < 0)
		return error_prefix(err, "job %s", job->id);
	record_reader_init(&reader, fd, "plan.ndjson");
	result = course_read(&reader, course, &problems, err);
	record_reader_release(&reader);
	problems_release(&problems);
	close(fd);
	return result < 0 ? error_prefix(err, "job %s", job->id) : 0;
}

/* Events up to the offset until are whole: the state has them. */
static int
course_read_events(const struct open_job *job, uint64_t until, struct course *course, struct error *err)
{
	struct journal_reader reader = {.fd = job->events};
	struct event event;
	int result = 0;

	while (result == 0 && reader.next < until) {
		int got = journal_next(&reader, &event, err);

		if (got > 0)
			result = course_take_event(course, &event, err);
		else
			result = got < 0 ? -1 : error_set(err, EX_IOERR, "events.ndjson: it ends too early");
	}
	journal_reader_release(&reader);
	course_end_events(course);
	return result < 0 ? error_prefix(err, "job %s", job->id) : 0;
}

int
course_of_open_job(const struct open_job *job, struct course *course, struct error *err)
{
	if (course_read_plan(job, course, err) < 0)
		return -1;
	course->job = arena_string(&course->arena, job->id);
	return course_read_events(job, job->state.header->applied, course, err);
}

int
course_of_job(struct queue *queue, const char *id, struct course *course, struct error *err)
{
	struct open_job *job = engine_lock_whole(spool_queue_of(queue), id, err);
	uint64_t applied;

	if (!job)
		return -1;
	applied = job->state.header->applied;
	job_unlock(job);
	/* The plan never changes, and the events before that place do not either: nobody has to wait. */
	if (course_read_plan(job, course, err) < 0)
		return -1;
	course->job = arena_string(&course->arena, job->id);
	return course_read_events(job, applied, course, err);
}

void
course_release(struct course *course)
{
	plan_document_release(&course->plan);
	arena_release(&course->arena);
	names_release(&course->steps);
	names_release(&course->nodes);
	names_release(&course->workers);
	free(course->node_of);
	free(course->last);
	free(course->skipped);
	free(course->skips);
	free(course->attempts);
	*course = (struct course){0};
}
