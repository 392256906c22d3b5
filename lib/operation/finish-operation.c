/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/finish-operation.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"
#include "history/show.h"
#include "hook/hook.h"
#include "json/scan.h"
#include "operation/failure-summary.h"
#include "operation/known-hosts.h"
#include "operation/operate.h"

static enum operation_status
finish_operation_status_of(const struct queue_job *job)
{
	return job->status == QUEUE_COMPLETE ? OPERATION_COMPLETE : job->status == QUEUE_FAILED ? OPERATION_FAILED
	                                                                                        : OPERATION_CANCELLED;
}

/* Keeps in the folders what is there now, and reads it. */
static int
finish_operation_keep(const struct operation_context *context, const struct chain *chain, struct buffer *layout, struct error *err)
{
	if (operation_job_keep(chain, "--events", "events.ndjson", err) < 0 || operation_job_keep(chain, "--layout", "made.ndjson",
	    err) < 0 ||
	    file_read(context->operation.fd, "made.ndjson", JSON_BYTES, layout, err) < 0)
		return -1;
	return file_replace(context->folder.fd, "cluster.ndjson", layout->data, layout->length, 0600, err) < 0 ? -1
	     : known_hosts_keep(&context->folder, "cluster.ndjson", err);
}

static int
finish_operation_tell_hooks(const struct operation_context *context, const struct operation *operation, const struct operation_outcome *outcome,
    struct error *err)
{
	const struct hook_event event = {
		.event = outcome->status == OPERATION_COMPLETE ? HOOK_SUCCESS : HOOK_FAILURE,
		.operation = operation->action, .cluster_id = context->folder.id, .cluster = context->cluster->name,
		.tenant = context->cluster->tenant, .owner = context->cluster->owner, .user = operation->user, .why = operation->why,
		.job = operation->job, .message = outcome->message, .layout = outcome->layout ? outcome->layout : "",
		.layout_length = outcome->layout ? strlen(outcome->layout) : 0,
	};

	return hook_tell(&event, err);
}

/* Whether no task of the job was ever begun: then all is as it was before. */
static bool
finish_operation_is_untouched(const struct chain *chain, const struct queue_job *job)
{
	char *spool = location_spool(chain->runner.spool);
	struct error ignored; /* then it may have been touched */
	struct queue *queue = queue_open(spool, QUEUE_READ, &ignored);
	struct show_task *list = NULL;
	struct arena arena = {0};
	size_t count = 0;
	bool untouched = queue && job->status == QUEUE_CANCELLED &&
	    show_tasks(queue, job->id, ~0u, false, &arena, &list, &count, &ignored) == 0;

	for (size_t i = 0; i < count; i++)
		untouched = untouched && list[i].attempt == 0;
	arena_release(&arena);
	queue_close(queue);
	free(spool);
	return untouched;
}

/* The job is over: what is there, and what became of the operation, go to the store. */
static int
finish_operation_finish(struct operation_context *context, const struct operation *operation, const struct chain *chain,
    const struct queue_job *job,
    struct error *err)
{
	struct buffer layout = {0};
	char *message = job->status == QUEUE_COMPLETE ? NULL : failure_summary(chain);
	struct operation_outcome outcome = {.status = finish_operation_status_of(job), .message = message};
	int result = finish_operation_is_untouched(chain, job) ? 0 : finish_operation_keep(context, chain, &layout, err);

	outcome.layout = layout.data;
	if (result == 0)
		result = finish_operation_tell_hooks(context, operation, &outcome, err);
	if (result == 0)
		result = operation_end(&context->account, operation->cluster, operation->number, &outcome, err) < 0 ? -1 : 0;
	buffer_release(&layout);
	free(message);
	return result;
}

/* Nobody knows what became of it, nor can it be done again. */
static int
finish_operation_give_up(struct operation_context *context, const struct operation *operation, struct error *err)
{
	const struct operation_outcome outcome = {.status = OPERATION_FAILED,
	    .message = "its job is neither in the queue nor in the cluster's folder"};

	return operation_end(&context->account, operation->cluster, operation->number, &outcome, err) < 0 ? -1 : 0;
}

int
finish_operation(struct operation_context *context, const struct operation *operation, struct error *err)
{
	const struct chain chain = {context->options->runner, &context->operation, operation->job};
	struct queue_job job;
	int known = operation_job_look(&chain, &job, err);

	if (known < 0)
		return -1;
	if (known && queue_is_finished(job.status))
		return finish_operation_finish(context, operation, &chain, &job, err);
	if (!known && !workdir_has(&context->operation, "plan.ndjson"))
		return finish_operation_give_up(context, operation, err);
	if (!known && operation_job_put(&chain, err) < 0)
		return -1;
	return operation_running(&context->account, operation->cluster, operation->number, err) < 0 ? -1 : 1;
}

int
finish_cluster(struct operation_context *context, struct error *err)
{
	struct operation_list list = {0};
	int result = operation_last(&context->account, context->id, &list, err);

	if (result > 0 && list.list[0].status < OPERATION_COMPLETE) {
		workdir_close(&context->operation);
		result = workdir_enter(&context->folder, list.list[0].job, &context->operation, err);
		if (result == 0)
			result = finish_operation(context, &list.list[0], err);
	} else if (result > 0) {
		result = 0;
	}
	operation_list_release(&list);
	return result;
}
