/* SPDX-License-Identifier: Apache-2.0
 *
 * A task is given to its plugin if that streams, which the stream finds out, else to a coopr-exec of its own. A process is
 * started when there is room for one: as long as the system is out of something, descriptors or processes, a task that was
 * taken is held until another one has ended. It has not failed, and no more are taken meanwhile.
 */
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/plural.h"
#include "model/take/task.h"
#include "worker/machine-claims.h"
#include "worker/secret-stream.h"
#include "worker/secrets.h"
#include "worker/work-state.h"

enum {
	DESCRIPTORS = 256,  /* for all that is not a task */
	EACH = 3,           /* descriptors that a task takes */
	CEILING_MS = 60000, /* so long no more are taken at a time than there was room for */
};

/* Returns how many tasks are done at once. */
static size_t
work_slots(const struct work *work)
{
	return work->options.slots ? work->options.slots : work->config.slots;
}

size_t
work_free_slots(const struct work *work)
{
	size_t slots = work_slots(work);

	if (work->signals > 0 || work->held.count > 0)
		return 0;
	if (slots > work->ceiling && work->ceiling_until > clock_monotonic_ms())
		slots = work->ceiling;
	if (work->options.until == WORK_ONE)
		slots = work->taken ? 0 : 1;
	return work->running.count < slots ? slots - work->running.count : 0;
}

bool
work_is_wanted(struct work *work, const struct running_task *running)
{
	struct error unknown;

	return queue_wanted(work->queue, running->task.job, running->task.task, running->task.attempt, &unknown) != 0;
}

void
work_allow_descriptors(struct work *work)
{
	size_t wanted = EACH * work_slots(work) + DESCRIPTORS, kept;
	struct rlimit limit;

	work->room = SIZE_MAX;
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= wanted)
		return;
	limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
	setrlimit(RLIMIT_NOFILE, &limit);
	if (limit.rlim_cur >= wanted)
		return;
	kept = limit.rlim_cur / 2 < DESCRIPTORS ? limit.rlim_cur / 2 : DESCRIPTORS;
	work->room = (limit.rlim_cur - kept) / EACH;
	if (work->room == 0)
		work->room = 1;
}

static int
work_launch(struct work *work, struct running_task *running, struct error *err)
{
	if (work->supervisor.count >= work->room)
		return error_set(err, EX_OSERR, "only so many files can be open at a time, see ulimit -n");
	running_task_make_child(running, work->argv, work->config.environment);
	return supervise_start(&work->supervisor, &running->child, err);
}

/* Takes as many tasks as run now for the ceiling: the end of a process makes room. If none runs, the worker is of no use, and
 * leaves the tasks to another one. */
static void
work_lower_ceiling(struct work *work, const struct error *why)
{
	size_t room = work->supervisor.count;

	if (room == 0) {
		work->unfit = *why;
		return;
	}
	if (work->ceiling != room) {
		work->trouble = *why;
		error_prefix(&work->trouble, "%zu %s all there is room for at a time", room, plural(room, "process is", "processes are"));
	}
	work->ceiling = room;
	work->ceiling_until = clock_monotonic_ms() + CEILING_MS;
}

/* Ends the task as one that could not be started; the queue tries it again later, by its rules. */
static void
work_refuse(struct work *work, struct running_task *running, const char *why)
{
	running_task_refuse(running, why);
	running_task_list_add(&work->ended, running);
}

/* Has a running task done by a process of its own: now, or if there is no room, once there is. */
static void
work_start_child(struct work *work, struct running_task *running)
{
	struct error err = {.code = EX_OSERR};

	if (work->signals > 1) {
		running_task_list_remove(&work->running, running);
		running_task_free(running);
	} else if (work->held.count > 0 || work_launch(work, running, &err) < 0) {
		running_task_list_remove(&work->running, running);
		if (err.code != EX_OSERR) {
			work_refuse(work, running, err.text);
			return;
		}
		if (work->held.count == 0)
			work_lower_ceiling(work, &err);
		running_task_list_add(&work->held, running);
	}
}

/* Starts those held for which there is room. */
static void
work_start_held(struct work *work)
{
	struct running_task *running;
	struct error err;

	while ((running = work->held.first)) {
		bool wanted = work_is_wanted(work, running), started = wanted && work_launch(work, running, &err) == 0;

		if (wanted && !started && err.code == EX_OSERR) {
			work_lower_ceiling(work, &err);
			return;
		}
		running_task_list_remove(&work->held, running);
		if (started)
			running_task_list_add(&work->running, running);
		else
			work_refuse(work, running, wanted ? err.text : "not begun: its job does not want it any more");
	}
}

/* Puts the key of the cluster into the record. */
static int
work_add_key(struct running_task *running, struct error *err)
{
	struct buffer record = {0};
	int result;

	buffer_append(&record, running->task.record, running->task.record_length);
	result = login_files_add_key_text(&record, err);
	if (result == 0)
		running_task_set_record(running, &record);
	buffer_release(&record);
	return result;
}

/* Gives a task with secrets to its plugin, which has described itself. They are in our memory only meanwhile. */
static int
work_give_secretly(struct work *work, struct running_task *running, const char *kind, struct error *err)
{
	struct buffer handed = {0};
	int result = secret_stream_fill(running->task.record, running->task.record_length, &handed, err);

	if (result == 0) {
		running->streamed.handed = handed.data;
		running->streamed.handed_length = handed.length;
		streams_give(&work->streams, kind, running->task.type, &running->streamed);
		running->streamed.handed = NULL;
	}
	secret_stream_wipe(&handed);
	return result;
}

/* Gives the task to its plugin if that streams. One with secrets, and a creation, wait until the plugin has said that it takes them, and whether
 * it wants the key of the cluster. */
static void
work_give(struct work *work, struct running_task *running)
{
	const char *kind = task_plugin_kind(running->task.action), *type = running->task.type, *scope = running->streamed.scope;
	int wants_key = running->task.action == ACTION_CREATE ? streams_say(&work->streams, kind, type, scope, "cluster_key") : 0;
	int takes = scope ? streams_say(&work->streams, kind, type, scope, "stream_secrets") : 1;
	struct error ignored; /* coopr-exec says it as a result */

	running->streamed.asks = takes < 0 || wants_key < 0;
	if (takes == 0 || (wants_key > 0 && work_add_key(running, &ignored) < 0) ||
	    (scope && takes > 0 && work_give_secretly(work, running, kind, &ignored) < 0))
		work_start_child(work, running);
	else if (!scope || takes < 0)
		streams_give(&work->streams, kind, type, &running->streamed);
}

/* Finds which tasks with secrets this one shares a process with. Returns false where it needs one of its own: only providers have such processes,
 * for coopr-exec reads the configuration of a service's action in its place. */
static bool
work_find_scope(struct running_task *running)
{
	if (!secrets_mentioned(running->task.record, running->task.record_length))
		return true;
	if (!action_is_providers(running->task.action))
		return false;
	running->streamed.scope = running->scope = secret_stream_scope(running->task.record, running->task.record_length);
	if (running->scope)
		secrets_dump_no_core();
	return running->scope != NULL;
}

/* Tells whether the task is about volumes of its node, which only the store knows. */
static bool
work_is_of_volumes(const struct queue_task *task)
{
	static const char member[] = "\"volumes\"";

	return ACTIONS_VOLUMES & ACTION_BIT(task->action) ||
	    (task->action == ACTION_DELETE && memmem(task->record, task->record_length, member, sizeof member - 1));
}

int
work_start(struct work *work, const struct queue_task *task, struct error *err)
{
	struct running_task *running;
	struct login_file *login;
	struct error why = {.code = 0};
	bool is_told = true;

	buffer_clear(&work->record);
	if (queue_task_record(work->queue, task, &work->record, err) < 0)
		return -1;
	if (login_files_fill_text(&work->logins, &work->record, &login, &why) == 0)
		machine_claims_check_record(work->record.data, work->record.length, &why);
	if (action_is_providers(task->action))
		is_told = identity_tell_text(&work->identity, &work->record);
	running = running_task_new(task, &work->record);
	running->login = login;
	if (work->options.until != WORK_SERVED && names_find(&work->jobs, task->job) == NAMES_NONE)
		names_intern(&work->jobs, memory_string(task->job));
	work->taken++;
	running_task_list_add(&work->running, running);
	/* coopr-exec puts the secrets of services in their places: they are in no process that lives longer than the task. It moves archives too, and
	 * says as a result why there is nothing to log in with, the machine may not be entered any more, or its provider not be asked. It has the
	 * volumes of the node from the store. */
	if (why.code || !is_told || action_moves_archive(task->action) || work_is_of_volumes(&running->task) || !work_find_scope(running))
		work_start_child(work, running);
	else
		work_give(work, running);
	return 0;
}

void
work_stop(struct work *work, struct running_task *running)
{
	if (running->child.argv)
		supervise_stop(&work->supervisor, &running->child);
	else
		streams_cancel(&work->streams, &running->streamed);
}

void
work_stop_all(struct work *work)
{
	running_task_list_free(&work->held);
	for (struct running_task *running = work->running.first; running; running = running->next)
		if (running->child.argv)
			work_stop(work, running);
	streams_stop(&work->streams);
}

static void
work_finish(struct work *work, struct running_task *running)
{
	bool stopped = running->child.argv ? running->child.stopped : running->streamed.end == STREAM_TASK_FAILED;

	running_task_list_remove(&work->running, running);
	/* A task that was stopped has not failed: leaving the queue makes it ready again. */
	if (work->signals > 1 && stopped) {
		running_task_free(running);
		return;
	}
	running_task_conclude(running);
	running_task_list_add(&work->ended, running);
}

void
work_child_event(struct work *work, struct child *child, enum supervise_event event)
{
	if (job_end_take(&work->job_end, &work->supervisor, child, event))
		return;
	if (!streams_child_event(&work->streams, child, event) && event == SUPERVISE_ENDED)
		work_finish(work, child->owner);
}

void
work_collect(struct work *work)
{
	struct stream_task *task;

	while ((task = streams_over(&work->streams)))
		if (task->end == STREAM_TASK_DESCRIBED && work->signals <= 1)
			work_give(work, task->owner);
		else if (task->end == STREAM_TASK_UNSUPPORTED || task->end == STREAM_TASK_DESCRIBED)
			work_start_child(work, task->owner);
		else
			work_finish(work, task->owner);
	work_start_held(work);
}
