/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/finish-operation.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/names.h"
#include "cluster/observation.h"
#include "cluster/operation-files.h"
#include "history/lives.h"
#include "hook/hook.h"
#include "json/json.h"
#include "json/scan.h"
#include "model/layout.h"
#include "model/name.h"
#include "operation/context.h"
#include "operation/failure-summary.h"
#include "operation/job.h"
#include "operation/known-hosts.h"
#include "queue/read.h"

/* Copies the job's events and its layout to the folder, reads both, and writes the files of the cluster. */
static int
finish_operation_copy(const struct operation_context *context, const struct operation_job *job, struct buffer *layout,
    struct buffer *events, struct error *err)
{
	if (operation_job_copy(job, "--events", "events.ndjson", err) < 0 ||
	    operation_job_copy(job, "--layout", "made.ndjson", err) < 0 ||
	    file_read(context->job_dir.fd, "made.ndjson", JSON_BYTES, layout, err) < 0 ||
	    file_read(context->job_dir.fd, "events.ndjson", SIZE_MAX, events, err) < 0)
		return -1;
	return workdir_write(&context->workdir, "cluster.ndjson", layout->data, layout->length, err) < 0 ? -1
	     : known_hosts_keep(&context->workdir, "cluster.ndjson", err);
}

/* Makes the messages to hooks. */
static void
finish_operation_messages(const struct operation_context *context, const struct operation *operation,
    const struct operation_outcome *outcome, struct hook_messages *messages)
{
	const struct cluster_record *cluster = context->cluster;
	const struct hook_event event = {
		.event = outcome->status == OPERATION_COMPLETE ? HOOK_SUCCESS : HOOK_FAILURE,
		.operation = operation->action, .cluster_id = context->workdir.id, .cluster = cluster->name,
		.tenant = cluster->tenant, .owner = cluster->owner, .user = operation->user, .why = operation->why,
		.job = operation->job, .message = outcome->message, .layout = outcome->layout ? outcome->layout : "",
		.layout_length = outcome->layout ? strlen(outcome->layout) : 0,
	};

	hook_messages(&event, messages);
}

/* Returns whether the job was cancelled before any of its tasks was begun, so that all is as it was before. */
static bool
finish_operation_is_untouched(const struct operation_job *job, const struct queue_job *state)
{
	struct error ignored; /* then it may have been touched */
	struct queue *queue = queue_open(job->runner.spool, QUEUE_READ, &ignored);
	struct queue_task_status *list = NULL;
	struct arena arena = {0};
	size_t count = 0;
	bool untouched = queue && state->status == QUEUE_CANCELLED &&
	    queue_tasks(queue, state->id, &(struct queue_filter){0}, &arena, &list, &count, &ignored) == 0;

	for (size_t i = 0; i < count; i++)
		untouched = untouched && list[i].attempt == 0;
	arena_release(&arena);
	queue_close(queue);
	return untouched;
}

/* Adds an instance before its tasks are looked at. One that was stopped on purpose, or that is not set up yet, is not ready. */
static void
finish_operation_observe_add_service(struct observations *seen, const struct node *node, const char *service, int64_t now_ms)
{
	struct observation instance = {.node = node->id, .service = service, .answer = OBSERVATION_UNKNOWN, .by = ""};
	bool is_stopped = name_set_has(&node->stopped, service);

	if (is_stopped || !name_list_has(&node->was, service))
		instance = (struct observation){.node = node->id, .service = service, .answer = OBSERVATION_UNHEALTHY, .observed_ms = now_ms,
		    .message = is_stopped ? OBSERVATION_STOPPED : "it is not set up yet", .by = "job"};
	observations_set(seen, &instance);
}

/* Adds the machines that are there, and their instances. */
static void
finish_operation_observe_add_layout(struct observations *seen, const struct layout *layout, int64_t now_ms)
{
	for (size_t i = 0; i < layout->node_count; i++) {
		const struct node *node = &layout->nodes[i];

		if (!node->is_new)
			observations_set(seen, &(struct observation){.node = node->id, .service = "", .answer = OBSERVATION_UNKNOWN, .by = ""});
		for (size_t s = 0; s < node->services.count && !node->is_new; s++)
			finish_operation_observe_add_service(seen, node, node->services.list[s], now_ms);
		for (size_t s = 0; s < node->was.count; s++)
			if (!name_list_has(&node->services, node->was.list[s]))
				finish_operation_observe_add_service(seen, node, node->was.list[s], now_ms);
	}
}

/* Sets what was seen of an instance, or of the machine, if it is one of the layout. */
static void
finish_operation_observe_set(struct observations *seen, const struct queue_task_status *task, const char *service,
    enum observation_answer answer, const char *message)
{
	if (observations_find(seen, task->node, service))
		observations_set(seen, &(struct observation){.node = task->node, .service = service, .answer = answer, .message = message,
		    .observed_ms = task->at_ms, .by = "job"});
}

/* Returns whether a done task of the service says that it is healthy: a check does, and any task that sets it up where it is never
 * checked. */
static bool
finish_operation_observe_is_healthy(const struct service *service, enum action planned)
{
	if (planned == ACTION_CHECK)
		return true;
	return service && (ACTION_BIT(planned) & (ACTIONS_SET_UP | ACTION_BIT(ACTION_RESTART) | ACTION_BIT(ACTION_RELOAD))) &&
	    !(service->actions[ACTION_STATUS].present && service->actions[ACTION_START].present);
}

static void
finish_operation_observe_take_done(struct observations *seen, const struct layout *layout, const struct names *nodes,
    const struct queue_task_status *task)
{
	const struct service *service = cluster_definition(&layout->cluster, task->service);
	int node = names_find(nodes, task->node);
	bool is_stopped = node != NAMES_NONE && name_set_has(&layout->nodes[node].stopped, task->service);

	if (task->planned == ACTION_CREATE || task->planned == ACTION_DELETE)
		return;
	finish_operation_observe_set(seen, task, "", OBSERVATION_HEALTHY, NULL);
	if (task->planned == ACTION_STOP)
		finish_operation_observe_set(seen, task, task->service, OBSERVATION_UNHEALTHY, OBSERVATION_STOPPED);
	else if (!is_stopped && finish_operation_observe_is_healthy(service, task->planned))
		finish_operation_observe_set(seen, task, task->service, OBSERVATION_HEALTHY, NULL);
}

/* A machine of which a task failed may have answered or not: only its plugin can tell, by the exit code. */
static void
finish_operation_observe_take_failed(struct observations *seen, const struct queue_task_status *task)
{
	const char *message = task->message ? task->message : task->reason;

	if (*task->service && task->planned != ACTION_DRAIN && task->planned != ACTION_BACKUP)
		finish_operation_observe_set(seen, task, task->service, OBSERVATION_UNHEALTHY, message);
	else if (!*task->service && task->planned != ACTION_DELETE)
		finish_operation_observe_set(seen, task, "", task->code == EX_TEMPFAIL ? OBSERVATION_UNREACHABLE : OBSERVATION_UNHEALTHY, message);
}

/* Adds an observation of each machine of the layout (coopr-queue show --layout), and of each instance that stands or shall stand
 * on it: where a task was done on a machine, that answered; where a check was, the service is healthy. Those of which the job says
 * nothing have no time. And when machines came and went. */
static int
finish_operation_observe(const struct operation_job *job, const char *text, struct observations *seen, struct lives *lives, struct error *err)
{
	const struct queue_filter last_attempts = {.details = true, .brief = true};
	struct queue *queue = queue_open(job->runner.spool, QUEUE_READ, err);
	struct queue_task_status *tasks = NULL;
	struct names nodes = {0}; /* numbered as in the layout */
	struct layout layout = {0};
	struct arena arena = {0};
	size_t count = 0;
	int result = queue ? layout_parse_text(text, &layout, err) : -1;

	if (result == 0)
		result = queue_tasks(queue, job->id, &last_attempts, &arena, &tasks, &count, err);
	if (result == 0)
		result = lives_of_job(queue, job->id, lives, err);
	if (result == 0)
		finish_operation_observe_add_layout(seen, &layout, clock_wall_ms());
	for (size_t i = 0; i < layout.node_count && result == 0; i++)
		names_intern(&nodes, layout.nodes[i].id);
	for (size_t i = 0; i < count && result == 0; i++)
		if (tasks[i].status == STEP_DONE && !tasks[i].undoing)
			finish_operation_observe_take_done(seen, &layout, &nodes, &tasks[i]);
		else if (tasks[i].status == STEP_FAILED)
			finish_operation_observe_take_failed(seen, &tasks[i]);
	names_release(&nodes);
	layout_release(&layout);
	arena_release(&arena);
	queue_close(queue);
	return result;
}

/* Ends the operation, whose job has finished: the store gets the layout that is there, the outcome, and the messages to
 * hooks. */
static int
finish_operation_end(struct operation_context *context, const struct operation *operation, const struct operation_job *job,
    const struct queue_job *state, struct error *err)
{
	struct buffer layout = {0}, events = {0};
	struct observations seen = {0};
	struct lives lives = {0};
	struct hook_messages messages;
	struct operation_file kept = {.name = "events.ndjson"};
	char *message = state->status == QUEUE_COMPLETE ? NULL : failure_summary(job);
	struct operation_outcome outcome = {.status = state->status == QUEUE_COMPLETE ? OPERATION_COMPLETE
		: state->status == QUEUE_FAILED ? OPERATION_FAILED : OPERATION_CANCELLED, .message = message, .ended_ms = state->finished_ms};
	int result = finish_operation_is_untouched(job, state) ? 0 : finish_operation_copy(context, job, &layout, &events, err);

	outcome.layout = layout.data;
	kept.text = events.data;
	kept.length = events.length;
	outcome.files = &kept;
	outcome.file_count = events.length > 0;
	if (result == 0 && layout.data)
		result = finish_operation_observe(job, layout.data, &seen, &lives, err);
	outcome.lives = lives.list;
	outcome.life_count = lives.count;
	outcome.seen = layout.data ? &seen : NULL;
	if (result == 0) {
		finish_operation_messages(context, operation, &outcome, &messages);
		outcome.messages = messages.list;
		outcome.message_count = messages.count;
		result = operation_end(&context->account, operation->cluster, operation->number, &outcome, err) < 0 ? -1 : 0;
		hook_messages_release(&messages);
	}
	observations_release(&seen);
	lives_release(&lives);
	buffer_release(&layout);
	buffer_release(&events);
	free(message);
	return result;
}

/* Records that the operation's job goes to our spool, which does not have it. Fails with EX_CANTCREAT where it is in the one
 * that is recorded: a job that is in two is carried out twice. */
static int
finish_operation_choose_spool(struct operation_context *context, const struct operation *operation, struct error *err)
{
	struct store *store = context->account.store;
	struct operation_job there = {context->options->runner, &context->job_dir, operation->job};
	char *ours = operation_job_spool(&there.runner);
	const struct operation_file file = {"spool", ours, strlen(ours)};
	struct buffer recorded = {0};
	struct queue_job state;
	int result = operation_file_get(store, operation->cluster, operation->number, file.name, &recorded, err);

	if (result > 0 && recorded.length && strcmp(recorded.data, ours) != 0) {
		there.runner.spool = recorded.data;
		result = operation_job_look(&there, &state, err);
		if (result > 0)
			result = error_set(err, EX_CANTCREAT, "%s: its job %s is in the spool %s; name that with --spool or COOPR_SPOOL",
			    context->workdir.name, operation->job, recorded.data);
		else if (result == 0 || err->code == EX_CANTCREAT) /* by now, it has another job of that name */
			result = store_begin(store, err) < 0 ? -1 : store_finish(store,
			    operation_files_add(store, operation->cluster, operation->number, &file, 1, err), err);
	}
	buffer_release(&recorded);
	free(ours);
	return result < 0 ? -1 : 0;
}

/* Finishes the operation, the last of the context's cluster, in whose folder the context is; puts its plan if that is not in
 * the queue yet. Returns 1 while its job is running, 0 once it has ended, or -1. */
static int
finish_operation(struct operation_context *context, const struct operation *operation, struct error *err)
{
	static const struct operation_outcome lost = {.status = OPERATION_FAILED,
		.message = "its job is not in the queue, and its plan is lost"};
	const struct operation_job job = {context->options->runner, &context->job_dir, operation->job};
	struct queue_job state;
	int known = operation_job_look(&job, &state, err);

	if (known < 0)
		return -1;
	if (known && queue_is_finished(state.status))
		return finish_operation_end(context, operation, &job, &state, err);
	if (!known && !workdir_has(&context->job_dir, "plan.ndjson"))
		return operation_end(&context->account, operation->cluster, operation->number, &lost, err) < 0 ? -1 : 0;
	if (!known && (finish_operation_choose_spool(context, operation, err) < 0 || operation_job_put(&job, err) < 0))
		return -1;
	return operation_running(&context->account, operation->cluster, operation->number, err) < 0 ? -1 : 1;
}

int
finish_cluster(struct operation_context *context, struct error *err)
{
	struct operation_list list = {0};
	int result = operation_last(&context->account, context->id, &list, err);

	if (result > 0 && list.list[0].status < OPERATION_COMPLETE) {
		result = 0;
		if (context->job_dir.fd < 0 || strcmp(file_base_name(context->job_dir.path), list.list[0].job) != 0) {
			workdir_close(&context->job_dir);
			result = workdir_restore(&context->workdir, context->account.store, &list.list[0], &context->job_dir, err);
		}
		if (result == 0)
			result = finish_operation(context, &list.list[0], err);
	} else if (result > 0) {
		result = 0;
	}
	operation_list_release(&list);
	return result;
}
