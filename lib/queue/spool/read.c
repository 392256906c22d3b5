/* SPDX-License-Identifier: Apache-2.0
 *
 * What is read of one job. All is read under the job's lock: nobody waits for a pager.
 */
#include "queue/spool/read.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/holder.h"
#include "base/names.h"
#include "queue/job/id.h"
#include "queue/job/step.h"
#include "queue/spool/engine.h"
#include "queue/spool/job-status.h"
#include "queue/spool/local.h"
#include "queue/spool/shared/journal.h"

int
read_plan_of(struct open_job *job, struct buffer *out, struct error *err)
{
	const struct state_header *header = job->state.header;
	uint64_t rest = header->job_offset + header->job_length + 1;
	struct arena arena = {0};
	struct job record;
	int result = job_plan(job, 0, header->job_offset, out, err);

	if (result == 0)
		result = job_status_record(job, &arena, &record, err);
	if (result == 0) {
		job_print(&record, out);
		result = job_plan(job, rest, header->plan_size - rest, out, err);
	}
	arena_release(&arena);
	return result;
}

int
read_plan(struct queue *queue, const char *id, struct buffer *out, struct error *err)
{
	struct open_job *job = engine_lock(spool_queue_of(queue), id, err);
	int result;

	if (!job)
		return -1;
	result = read_plan_of(job, out, err);
	job_unlock(job);
	return result;
}

/* Appends bytes [from, to) of the events, which are never changed. */
static int
read_events_between(const struct open_job *job, uint64_t from, uint64_t to, struct buffer *out, struct error *err)
{
	size_t length = to - from;

	if (pread(job->events, buffer_room(out, length), length, (off_t)from) != (ssize_t)length)
		return error_set(err, EX_IOERR, "job %s: events.ndjson cannot be read", job->id);
	out->length += length;
	out->data[out->length] = '\0';
	return 0;
}

int
read_events_of(const struct open_job *job, struct buffer *out, struct error *err)
{
	return read_events_between(job, 0, job->state.header->applied, out, err);
}

/* Finds where the event behind the one numbered after begins. */
static int
read_find_event(const struct open_job *job, uint64_t after, uint64_t end, uint64_t *offset, struct error *err)
{
	struct journal_reader reader = {.fd = job->events};
	struct event event;
	int got = 1;

	for (*offset = 0; after > 0 && *offset < end; *offset = reader.next)
		if ((got = journal_next(&reader, &event, err)) <= 0 || event.seq > after)
			break;
	journal_reader_release(&reader);
	return got < 0 ? error_prefix(err, "job %s", job->id) : 0;
}

int
read_events(struct queue *queue, const char *id, uint64_t after, struct buffer *out, struct error *err)
{
	struct open_job *job = engine_lock(spool_queue_of(queue), id, err);
	uint64_t end, offset;

	if (!job)
		return -1;
	end = job->state.header->applied;
	job_unlock(job);
	if (read_find_event(job, after, end, &offset, err) < 0)
		return -1;
	return read_events_between(job, offset, end, out, err);
}

/* Damage shows when a record is read; the second time they have been made anew. */
int
read_nodes(struct queue *queue, const char *id, struct buffer *out, struct error *err)
{
	size_t start = out->length;
	int result = -1;

	for (int tries = 0; result < 0 && tries < 2; tries++) {
		struct open_job *job = engine_lock_whole(spool_queue_of(queue), id, err);

		if (!job)
			return -1;
		out->length = start;
		result = 0;
		for (uint32_t n = 0; result == 0 && n < job->state.header->node_count; n++) {
			result = job_node(job, n, out, err);
			buffer_byte(out, '\n');
		}
		tries += !job->state.broken;
		job_unlock(job);
	}
	return result;
}

/* --- tasks --- */

/* Returns the process that is the worker if it is stopped by a signal, else 0. */
static int
read_stopped_pid(const struct spool *spool, const char *worker)
{
	int fd = id_is_valid(worker) ? openat(spool->workers, worker, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
	struct holder holder;
	int pid = fd >= 0 && holder_find(fd, &holder) && holder.stopped ? holder.pid : 0;

	if (fd >= 0)
		close(fd);
	return pid;
}

/* Finds the workers that are stopped: each is looked for once, however many tasks it has. */
static void
read_stopped(const struct spool *spool, struct queue_task_status *list, size_t count)
{
	struct names names = {0};
	struct queue_task_status **first = memory_zeroed(count + 1, sizeof *first);

	for (size_t i = 0; i < count; i++) {
		int at;

		if (list[i].status != STEP_RUNNING || !list[i].by)
			continue;
		at = names_find(&names, list[i].by);
		if (at == NAMES_NONE) {
			first[names_intern(&names, list[i].by)] = &list[i];
			list[i].stopped_pid = read_stopped_pid(spool, list[i].by);
		} else {
			list[i].stopped_pid = first[at]->stopped_pid;
		}
	}
	names_release(&names);
	free(first);
}

static void
read_event_of(struct open_job *job, uint32_t step, struct arena *arena, struct queue_task_status *task)
{
	struct journal_reader reader = {.fd = job->events};
	struct event event;
	struct error none;

	if (journal_read_at(&reader, state_live(&job->state, step)->event, &event, &none) == 0) {
		task->by = event.by ? arena_string(arena, event.by) : NULL;
		task->at_ms = event.at_ms;
		task->code = event.status;
		task->message = event.message ? arena_string(arena, event.message) : NULL;
		task->reason = event.reason ? arena_string(arena, event.reason) : NULL;
	}
	journal_reader_release(&reader);
}

static bool
read_is_retried(const struct queue_task_status *task)
{
	return (task->status == STEP_FAILED || task->status == STEP_DELAYED) && task->attempt > 1;
}

/* Fills in how the first attempt of each task ended that has failed more than once: what failed last is often what the first
 * failure has left. All events are read once. */
static void
read_first_failures(const struct open_job *job, struct arena *arena, struct queue_task_status *list, size_t count)
{
	struct journal_reader reader = {.fd = job->events};
	struct names names = {0};
	struct event event;
	struct error none;
	size_t left = 0;

	for (size_t i = 0; i < count; i++) {
		names_intern(&names, list[i].task);
		left += read_is_retried(&list[i]);
	}
	while (left > 0 && reader.next < job->state.header->applied && journal_next(&reader, &event, &none) > 0) {
		int at = (event.kind == EVENT_FAIL || event.kind == EVENT_LOST) ? names_find(&names, event.task) : NAMES_NONE;
		struct queue_task_status *task = at == NAMES_NONE ? NULL : &list[at];

		if (!task || !read_is_retried(task) || task->first_attempt)
			continue;
		left--;
		task->first_attempt = event.attempt;
		task->first_message = event.message || event.reason ? arena_string(arena, event.message ? event.message : event.reason) : NULL;
	}
	for (size_t i = 0; i < count; i++)
		if (list[i].first_attempt == list[i].attempt)
			list[i].first_attempt = 0;
	journal_reader_release(&reader);
	names_release(&names);
}

static void
read_log_of(struct spool_queue *queue, const struct open_job *job, struct arena *arena, struct queue_task_status *task)
{
	const struct spool *spool = &queue->spool;
	const char *name = arena_printf(arena, "log/%s.%" PRId64, task->task, task->attempt);

	if (!file_exists(job->dir, name))
		return;
	task->log = arena_printf(arena, "%s/%s/%s/%s", spool->path, file_exists(spool->jobs, job->id) ? "jobs" : "done",
	    job->id, name);
	task->output = queue_log_tail(&queue->base, job->id, task->task, task->attempt, arena);
}

static struct queue_task_status
read_task_of(struct spool_queue *queue, struct open_job *job, uint32_t step, const struct queue_filter *filter,
    struct arena *arena)
{
	struct job_state *index = &job->state;
	const struct state_live *live = state_live(index, step);
	struct queue_task_status task = {.task = arena_string(arena, state_step_id(index, step)),
	    .node = arena_string(arena, state_node_id(index, state_step(index, step)->node)),
	    .service = arena_string(arena, state_step_service(index, step)),
	    .action = action_name(step_action(index, step)), .status = (enum step_status)live->status,
	    .planned = (enum action)state_step(index, step)->action,
	    .attempt = live->attempt, .undoing = live->phase != 0};

	if (!filter->details || live->attempt == 0)
		return task;
	read_event_of(job, step, arena, &task);
	if (!filter->brief)
		read_log_of(queue, job, arena, &task);
	if (task.status == STEP_DELAYED && live->due_ms > clock_boottime_ms())
		task.due_ms = live->due_ms - clock_boottime_ms();
	return task;
}

int
read_tasks(struct queue *base, const char *id, const struct queue_filter *filter, struct arena *arena,
    struct queue_task_status **list, size_t *count, struct error *err)
{
	struct spool_queue *queue = spool_queue_of(base);
	/* A caller that often asks for one task must not pay for looking through all of them. */
	struct open_job *job = filter->task ? engine_lock(queue, id, err) : engine_lock_whole(queue, id, err);
	unsigned wanted = filter->statuses ? filter->statuses : ~0u;
	uint32_t first = 0, end;
	size_t room = 0;

	if (!job)
		return -1;
	end = job->state.header->step_count;
	if (filter->task) {
		end = state_find(&job->state, filter->task);
		first = end ? end - 1 : 0;
		room = 1;
	}
	for (int status = 0; !filter->task && status < STEP_STATUS_COUNT; status++)
		room += wanted & 1u << status ? job->state.header->count[status] : 0;
	*list = arena_alloc(arena, room, sizeof **list);
	*count = 0;
	for (uint32_t step = first; *count < room && step < end; step++)
		if (!state_step(&job->state, step)->is_milestone && wanted & 1u << state_live(&job->state, step)->status)
			(*list)[(*count)++] = read_task_of(queue, job, step, filter, arena);
	if (filter->details)
		read_stopped(&queue->spool, *list, *count);
	if (filter->details && !filter->brief)
		read_first_failures(job, arena, *list, *count);
	job_unlock(job);
	return 0;
}
