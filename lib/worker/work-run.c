/* SPDX-License-Identifier: Apache-2.0
 *
 * A task is given to its plugin where that streams, else to a coopr-exec of its own. Which it is, the stream finds out.
 */
#include <string.h>

#include "model/take/task.h"
#include "worker/secrets.h"
#include "worker/work-state.h"

static void
work_remember_job(struct work *work, const char *job)
{
	if (work->options.until != WORK_SERVED && names_find(&work->jobs, job) == NAMES_NONE)
		names_intern(&work->jobs, memory_string(job));
}

int
work_start(struct work *work, const struct queue_task *task, struct error *err)
{
	struct slot *slot;

	buffer_clear(&work->record);
	if (queue_task_record(work->queue, task, &work->record, err) < 0)
		return -1;
	slot = slot_new(task, &work->record);
	work_remember_job(work, task->job);
	work->taken++;
	slot_list_add(&work->running, slot);
	/* coopr-exec puts secrets in their places: they are in no process that lives longer than the task. */
	if (secrets_mentioned(task->record, task->record_length))
		work_start_child(work, slot);
	else
		streams_give(&work->streams, task_plugin_kind(task->action), task->type, &slot->errand);
	return 0;
}

void
work_stop(struct work *work, struct slot *slot)
{
	if (slot->child.argv)
		supervise_stop(&work->supervisor, &slot->child);
	else
		streams_cancel(&work->streams, &slot->errand);
}

/* Returns whether the task was broken off, which is no failure: leaving the queue makes it ready again. */
static bool
work_is_broken_off(const struct work *work, const struct slot *slot)
{
	return work->signals > 1 && (slot->child.argv ? slot->child.stopped : slot->errand.end == ERRAND_FAILED);
}

static void
work_finish(struct work *work, struct slot *slot)
{
	slot_list_remove(&work->running, slot);
	if (work_is_broken_off(work, slot)) {
		slot_free(slot);
		return;
	}
	slot_conclude(slot);
	slot_list_add(&work->ended, slot);
}

void
work_heard(struct work *work, struct child *child, enum supervise_event event)
{
	if (!streams_heard(&work->streams, child, event) && event == SUPERVISE_ENDED)
		work_finish(work, child->owner);
}

void
work_collect(struct work *work)
{
	struct errand *errand;

	while ((errand = streams_over(&work->streams)))
		if (errand->end == ERRAND_NOT)
			work_start_child(work, errand->owner);
		else
			work_finish(work, errand->owner);
	work_start_held(work);
}
