/* SPDX-License-Identifier: Apache-2.0 */
#include "history/show.h"

#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "queue/spool/job/job-status.h"
#include "queue/spool/job/step.h"
#include "queue/spool/shared/journal.h"

enum { TAIL_BYTES = 8 * 1024, TAIL_LINES = 12 };

/* The start of the last lines of text. */
static const char *
show_last_lines(const char *text, size_t length)
{
	const char *p = text + length;
	int lines = 0;

	if (length && p[-1] == '\n')
		p--;
	while (p > text && (p[-1] != '\n' || ++lines < TAIL_LINES))
		p--;
	return p;
}

const char *
show_output(const struct open_job *job, const char *task, int64_t attempt, struct arena *arena)
{
	char *name = arena_printf(arena, "log/%s.%" PRId64, task, attempt);
	int fd = openat(job->dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	char bytes[TAIL_BYTES];
	const char *start;
	struct stat st;
	ssize_t n;

	if (fd < 0)
		return NULL;
	n = fstat(fd, &st) < 0 ? -1
	    : pread(fd, bytes, sizeof bytes, st.st_size > TAIL_BYTES ? st.st_size - TAIL_BYTES : 0);
	close(fd);
	if (n < 0)
		return NULL;
	start = show_last_lines(bytes, (size_t)n);
	return arena_substring(arena, start, (size_t)(bytes + n - start));
}

static void
show_read_log(const struct open_job *job, struct arena *arena, struct show_task *task)
{
	const struct spool *spool = job->spool;
	const char *output = show_output(job, task->task, task->attempt, arena);

	if (!output)
		return;
	task->log = arena_printf(arena, "%s/%s/%s/log/%s.%" PRId64, spool->path,
	    file_exists(spool->jobs, job->id) ? "jobs" : "done", job->id, task->task, task->attempt);
	if (*output)
		task->output = output;
}

static void
show_read_event(struct open_job *job, uint32_t step, struct arena *arena, struct show_task *task)
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

static struct show_task
show_task_of(struct open_job *job, uint32_t step, bool details, struct arena *arena)
{
	struct job_state *state = &job->state;
	const struct state_live *live = state_live(state, step);
	struct show_task task = {.task = arena_string(arena, state_step_id(state, step)),
	    .node = arena_string(arena, state_node_id(state, state_step(state, step)->node)),
	    .service = arena_string(arena, state_step_service(state, step)),
	    .action = action_name(step_action(state, step)), .status = (enum step_status)live->status,
	    .attempt = live->attempt, .undoing = live->phase != 0};

	if (!details || live->attempt == 0)
		return task;
	show_read_event(job, step, arena, &task);
	show_read_log(job, arena, &task);
	if (task.status == STEP_DELAYED && live->due_ms > clock_boottime_ms())
		task.due_ms = live->due_ms - clock_boottime_ms();
	return task;
}

static bool
show_is_wanted(struct job_state *state, uint32_t step, unsigned wanted)
{
	return !state_step(state, step)->is_milestone && wanted & 1u << state_live(state, step)->status;
}

int
show_tasks(struct queue *queue, const char *id, unsigned wanted, bool details, struct arena *arena,
    struct show_task **list, size_t *count, struct error *err)
{
	struct open_job *job = engine_lock_whole(spool_queue_of(queue), id, err);
	const struct state_header *header;
	size_t room = 0;

	if (!job)
		return -1;
	header = job->state.header;
	for (int status = 0; status < STEP_STATUS_COUNT; status++)
		room += wanted & 1u << status ? header->count[status] : 0;
	*list = arena_alloc(arena, room, sizeof **list);
	*count = 0;
	for (uint32_t step = 0; *count < room && step < header->step_count; step++)
		if (show_is_wanted(&job->state, step, wanted))
			(*list)[(*count)++] = show_task_of(job, step, details, arena);
	job_unlock(job);
	return 0;
}

int
show_plan(struct queue *queue, const char *id, struct buffer *out, struct error *err)
{
	struct open_job *job = engine_lock(spool_queue_of(queue), id, err);
	const struct state_header *header;
	struct arena arena = {0};
	struct job record;
	int result;

	if (!job)
		return -1;
	header = job->state.header;
	result = job_plan(job, 0, header->job_offset, out, err);
	if (result == 0 && (result = job_status_record(job, &arena, &record, err)) == 0) {
		uint64_t rest = header->job_offset + header->job_length + 1;

		job_print(&record, out);
		result = job_plan(job, rest, header->plan_size - rest, out, err);
	}
	job_unlock(job);
	arena_release(&arena);
	return result;
}

int
show_events(struct queue *queue, const char *id, struct buffer *out, struct error *err)
{
	struct open_job *job = engine_lock(spool_queue_of(queue), id, err);
	size_t length;
	ssize_t n;

	if (!job)
		return -1;
	length = job->state.header->applied;
	n = pread(job->events, buffer_room(out, length), length, 0);
	job_unlock(job);
	if (n != (ssize_t)length)
		return error_set(err, EX_IOERR, "job %s: events.ndjson cannot be read", id);
	out->length += length;
	return 0;
}
