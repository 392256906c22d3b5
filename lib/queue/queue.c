/* SPDX-License-Identifier: Apache-2.0
 *
 * Hands each call on to the engine of the queue.
 */
#include "queue/queue.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "json/dump.h"
#include "queue/engine.h"

void
queue_close(struct queue *queue)
{
	if (queue)
		queue->engine->close(queue);
}

void
queue_set_patient(struct queue *queue, bool patient)
{
	queue->engine->set_patient(queue, patient);
}

int
queue_put(struct queue *queue, struct record_reader *plan, const struct queue_put *options, char job[QUEUE_ID_SIZE],
    struct problems *problems, struct error *err)
{
	return queue->engine->put(queue, plan, options, job, problems, err);
}

int
queue_is_of(struct queue *queue, const char *job, int plan, struct error *err)
{
	return queue->engine->is_of(queue, job, plan, err);
}

int
queue_take(struct queue *queue, const struct queue_want *want, struct queue_batch *batch, struct error *err)
{
	return queue->engine->take(queue, want, batch, err);
}

void
queue_batch_release(struct queue_batch *batch)
{
	free(batch->list);
	arena_release(&batch->arena);
	*batch = (struct queue_batch){0};
}

int
queue_task_record(struct queue *queue, const struct queue_task *task, struct buffer *out, struct error *err)
{
	const size_t null = strlen("null");
	char *nodes = NULL, *log = NULL;
	size_t rest = 0;

	if (queue->engine->files && task->log_at && task->nodes_at) {
		if (queue->engine->files(queue, task, &nodes, &log, err) < 0)
			return -1;
		/* Members are sorted: log stands before nodes. */
		buffer_append(out, task->record, task->log_at);
		json_quote(log, out);
		buffer_append(out, task->record + task->log_at + null, task->nodes_at - task->log_at - null);
		json_quote(nodes, out);
		rest = task->nodes_at + null;
		free(nodes);
		free(log);
	}
	buffer_append(out, task->record + rest, task->record_length - rest);
	return 0;
}

int
queue_give_back(struct queue *queue, const struct queue_task *tasks, size_t count, struct error *err)
{
	return queue->engine->give_back(queue, tasks, count, err);
}

int
queue_wanted(struct queue *queue, const char *job, const char *task, int64_t attempt, struct error *err)
{
	return queue->engine->wanted(queue, job, task, attempt, err);
}

int
queue_finish(struct queue *queue, const struct result *results, size_t count, struct queue_answer *answers,
    struct error *err)
{
	return queue->engine->finish(queue, results, count, answers, err);
}

int
queue_turn(struct queue *queue, const struct result *results, size_t count, struct queue_answer *answers,
    const struct queue_want *want, struct queue_batch *batch, struct error *err)
{
	return queue->engine->turn(queue, results, count, answers, want, batch, err);
}

struct queue_worker *
queue_join(struct queue *queue, const char *label, struct error *err)
{
	return queue->engine->join(queue, label, err);
}

const char *
queue_worker_id(const struct queue_worker *worker)
{
	return worker->id;
}

int
queue_serve(struct queue_worker *worker, const struct queue_want *want, struct error *err)
{
	return worker->queue->engine->serve(worker, want, err);
}

int
queue_renew(struct queue_worker *worker, struct error *err)
{
	return worker->queue->engine->renew(worker, err);
}

void
queue_abandon(struct queue_worker *worker)
{
	worker->queue->engine->abandon(worker);
}

int
queue_leave(struct queue_worker *worker, struct error *err)
{
	return worker->queue->engine->leave(worker, err);
}

int
queue_reap(struct queue *queue, struct error *err)
{
	return queue->engine->reap(queue, err);
}

static const char *const statuses[] = {"waiting", "running", "paused", "cancelling", "complete", "failed", "cancelled"};

const char *
queue_status_name(enum queue_status status)
{
	return statuses[status];
}

bool
queue_is_finished(enum queue_status status)
{
	return status >= QUEUE_COMPLETE;
}

int
queue_control(struct queue *queue, enum queue_control what, const char *job, const char *task, struct error *err)
{
	return queue->engine->control(queue, what, job, task, err);
}

int
queue_skip(struct queue *queue, const char *job, const char *task, const char *reason, struct error *err)
{
	return queue->engine->skip(queue, job, task, reason, err);
}

int
queue_limits(struct queue *queue, struct queue_limit **list, size_t *count, struct error *err)
{
	return queue->engine->limits(queue, list, count, err);
}

int
queue_set_limits(struct queue *queue, const struct queue_limit *list, size_t count, struct error *err)
{
	return queue->engine->set_limits(queue, list, count, err);
}

int
queue_watch(struct queue *queue, struct error *err)
{
	return queue->engine->watch(queue, err);
}

void
queue_watch_clear(struct queue *queue, int fd)
{
	queue->engine->watch_clear(queue, fd);
}

int64_t
queue_changed_ms(struct queue *queue)
{
	return queue->engine->changed_ms(queue);
}

int
queue_check(struct queue *queue, const char *job, struct queue_check *check, struct error *err)
{
	return queue->engine->check(queue, job, check, err);
}

int
queue_gc(struct queue *queue, const struct queue_gc *options, struct arguments *gone, struct error *err)
{
	return queue->engine->gc(queue, options, gone, err);
}

int
queue_history(struct queue *queue, struct history *history, struct error *err)
{
	return queue->engine->history(queue, history, err);
}

int
queue_stuck(struct queue *queue, struct queue_stuck **list, size_t *count, struct error *err)
{
	return queue->engine->stuck(queue, list, count, err);
}

static int
queue_refuse_copy(const struct queue *queue, struct error *err)
{
	return error_set(err, EX_UNAVAILABLE, "a queue of the engine \"%s\" cannot be copied; back it up with its own tools",
	    queue->engine->name);
}

int
queue_ids(struct queue *queue, struct arguments *ids, struct error *err)
{
	return queue->engine->ids ? queue->engine->ids(queue, ids, err) : queue_refuse_copy(queue, err);
}

int
queue_copy(struct queue *queue, const struct arguments *jobs, queue_copy_file *file, void *context, struct error *err)
{
	return queue->engine->copy ? queue->engine->copy(queue, jobs, file, context, err) : queue_refuse_copy(queue, err);
}

int
queue_restore_begin(struct queue *queue, struct error *err)
{
	return queue->engine->restore_begin ? queue->engine->restore_begin(queue, err) : queue_refuse_copy(queue, err);
}

int
queue_restore_end(struct queue *queue, struct error *err)
{
	return queue->engine->restore_end ? queue->engine->restore_end(queue, err) : queue_refuse_copy(queue, err);
}
