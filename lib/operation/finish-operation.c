/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/finish-operation.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"
#include "hook/hook.h"
#include "json/scan.h"
#include "operation/context.h"
#include "operation/failure-summary.h"
#include "operation/job.h"
#include "operation/known-hosts.h"
#include "queue/read.h"

/* Copies the job's events and its layout to the folder, reads the layout, and makes the files of the cluster anew. */
static int
finish_operation_copy(const struct operation_context *context, const struct operation_job *job, struct buffer *layout,
    struct error *err)
{
	if (operation_job_copy(job, "--events", "events.ndjson", err) < 0 ||
	    operation_job_copy(job, "--layout", "made.ndjson", err) < 0 ||
	    file_read(context->job_dir.fd, "made.ndjson", JSON_BYTES, layout, err) < 0)
		return -1;
	return file_replace(context->workdir.fd, "cluster.ndjson", layout->data, layout->length, 0600, err) < 0 ? -1
	     : known_hosts_keep(&context->workdir, "cluster.ndjson", err);
}

static int
finish_operation_tell_hooks(const struct operation_context *context, const struct operation *operation,
    const struct operation_outcome *outcome, struct error *err)
{
	const struct cluster_record *cluster = context->cluster;
	const struct hook_event event = {
		.event = outcome->status == OPERATION_COMPLETE ? HOOK_SUCCESS : HOOK_FAILURE,
		.operation = operation->action, .cluster_id = context->workdir.id, .cluster = cluster->name,
		.tenant = cluster->tenant, .owner = cluster->owner, .user = operation->user, .why = operation->why,
		.job = operation->job, .message = outcome->message, .layout = outcome->layout ? outcome->layout : "",
		.layout_length = outcome->layout ? strlen(outcome->layout) : 0,
	};

	return hook_tell(&event, err);
}

/* Returns whether the job was cancelled before any of its tasks was begun, so that all is as it was before. */
static bool
finish_operation_is_untouched(const struct operation_job *job, const struct queue_job *state)
{
	char *spool = location_spool(job->runner.spool);
	struct error ignored; /* then it may have been touched */
	struct queue *queue = queue_open(spool, QUEUE_READ, &ignored);
	struct queue_task_status *list = NULL;
	struct arena arena = {0};
	size_t count = 0;
	bool untouched = queue && state->status == QUEUE_CANCELLED &&
	    queue_tasks(queue, state->id, &(struct queue_filter){0}, &arena, &list, &count, &ignored) == 0;

	for (size_t i = 0; i < count; i++)
		untouched = untouched && list[i].attempt == 0;
	arena_release(&arena);
	queue_close(queue);
	free(spool);
	return untouched;
}

/* Ends the operation, whose job has finished: the store gets the layout that is there and the outcome. Hooks are told first: a message
 * that is told twice has the same id. */
static int
finish_operation_end(struct operation_context *context, const struct operation *operation, const struct operation_job *job,
    const struct queue_job *state, struct error *err)
{
	struct buffer layout = {0};
	char *message = state->status == QUEUE_COMPLETE ? NULL : failure_summary(job);
	struct operation_outcome outcome = {.status = state->status == QUEUE_COMPLETE ? OPERATION_COMPLETE
		: state->status == QUEUE_FAILED ? OPERATION_FAILED : OPERATION_CANCELLED, .message = message};
	int result = finish_operation_is_untouched(job, state) ? 0 : finish_operation_copy(context, job, &layout, err);

	outcome.layout = layout.data;
	if (result == 0)
		result = finish_operation_tell_hooks(context, operation, &outcome, err);
	if (result == 0)
		result = operation_end(&context->account, operation->cluster, operation->number, &outcome, err) < 0 ? -1 : 0;
	buffer_release(&layout);
	free(message);
	return result;
}

int
finish_operation(struct operation_context *context, const struct operation *operation, struct error *err)
{
	static const struct operation_outcome lost = {.status = OPERATION_FAILED,
		.message = "its job is neither in the queue nor in the cluster's folder"};
	const struct operation_job job = {context->options->runner, &context->job_dir, operation->job};
	struct queue_job state;
	int known = operation_job_look(&job, &state, err);

	if (known < 0)
		return -1;
	if (known && queue_is_finished(state.status))
		return finish_operation_end(context, operation, &job, &state, err);
	if (!known && !workdir_has(&context->job_dir, "plan.ndjson"))
		return operation_end(&context->account, operation->cluster, operation->number, &lost, err) < 0 ? -1 : 0;
	if (!known && operation_job_put(&job, err) < 0)
		return -1;
	return operation_running(&context->account, operation->cluster, operation->number, err) < 0 ? -1 : 1;
}

int
finish_cluster(struct operation_context *context, struct error *err)
{
	struct operation_list list = {0};
	int result = operation_last(&context->account, context->id, &list, err);

	if (result > 0 && list.list[0].status < OPERATION_COMPLETE) {
		workdir_close(&context->job_dir);
		result = workdir_enter(&context->workdir, list.list[0].job, &context->job_dir, err);
		if (result == 0)
			result = finish_operation(context, &list.list[0], err);
	} else if (result > 0) {
		result = 0;
	}
	operation_list_release(&list);
	return result;
}
