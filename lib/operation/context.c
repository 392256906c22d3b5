/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/context.h"

#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "json/scan.h"
#include "operation/busy-error.h"
#include "operation/find-cluster.h"
#include "operation/finish-operation.h"
#include "operation/job.h"

void
operation_warn(const struct operation_options *options, int *worst, const struct error *err)
{
	options->runner.notice(err->text);
	if (*worst == 0)
		*worst = err->code;
}

void
operation_context_init(struct operation_context *context, const struct operation_options *options)
{
	*context = (struct operation_context){.options = options, .workdir = {.fd = -1}, .job_dir = {.fd = -1}};
}

int
operation_context_find(struct operation_context *context, const char *cluster, struct error *err)
{
	cluster_list_release(&context->clusters);
	cluster_documents_release(&context->documents);
	context->cluster = NULL;
	if (clusters_find(&context->account, cluster, &context->clusters, err) < 0)
		return -1;
	context->cluster = &context->clusters.list[0];
	context->id = context->cluster->id;
	return clusters_documents(&context->account, context->id, &context->documents, err);
}

/* Fails where the cluster is gone. */
static int
operation_context_check(const struct operation_context *context, struct error *err)
{
	char id[CLUSTER_ID_SIZE];

	return context->cluster->status != LIFECYCLE_TERMINATED ? 0
	    : error_set(err, EX_NO, "%s (%s): the cluster is terminated", context->cluster->name, cluster_id_text(context->id, id));
}

int
operation_context_lock(struct operation_context *context, struct error *err)
{
	char id[CLUSTER_ID_SIZE];
	int running;

	if (operation_context_check(context, err) < 0)
		return -1;
	if (workdir_open(&context->workdir, cluster_id_text(context->id, id), context->cluster->name, WORKDIR_MAKE, err) < 0)
		return err->code == EX_TEMPFAIL ? busy_error_locked(context, err) : -1;
	running = finish_cluster(context, err);
	return running < 0 || operation_context_find(context, id, err) < 0 ? -1 : running;
}

/* Takes the layout that the operation's job has made so far in place of that before it, and says so. */
static int
operation_context_take_progress(struct operation_context *context, const struct operation *operation, struct error *err)
{
	const struct operation_job job = {context->options->runner, &context->workdir, operation->job};
	struct buffer layout = {0};
	struct queue_job state;
	char *notice;
	int known = operation_job_look(&job, &state, err);

	if (known <= 0)
		return known;
	if (operation_job_copy(&job, "--layout", "made.ndjson", err) < 0 ||
	    file_read(context->workdir.fd, "made.ndjson", JSON_BYTES, &layout, err) < 0) {
		buffer_release(&layout);
		return -1;
	}
	free(context->documents.layout);
	context->documents.layout = buffer_take(&layout);
	notice = memory_printf("%s: job %s (%s) is in progress; the plan starts from what there is now", context->cluster->name,
	    operation->job, operation->action);
	context->options->runner.notice(notice);
	free(notice);
	return 0;
}

/* Finishes what is over, which needs the lock for a moment; where another command has that, it does so itself. */
static int
operation_context_finish(struct operation_context *context, struct error *err)
{
	if (context->cluster->status != LIFECYCLE_PENDING)
		return 0;
	if (operation_context_lock(context, err) < 0 && err->code != EX_TEMPFAIL)
		return -1;
	workdir_close(&context->job_dir);
	workdir_close(&context->workdir);
	return 0;
}

int
operation_context_try(struct operation_context *context, struct error *err)
{
	struct operation_list list = {0};
	struct error ignored; /* then a folder of no use is left */
	char id[CLUSTER_ID_SIZE];
	int running;

	if (operation_context_check(context, err) < 0 || operation_context_finish(context, err) < 0)
		return -1;
	context->scratch = true;
	if (workdir_try(&context->workdir, cluster_id_text(context->id, id), context->cluster->name, err) < 0)
		return -1;
	running = operation_last(&context->account, context->id, &list, err);
	if (running > 0)
		running = list.list[0].status < OPERATION_COMPLETE;
	if (running > 0 && operation_context_take_progress(context, &list.list[0], err) < 0)
		running = -1;
	operation_list_release(&list);
	if (running < 0)
		workdir_remove(&context->workdir, &ignored);
	return running;
}

int
operation_context_open(struct operation_context *context, const struct operation_options *options, const char *cluster,
    struct error *err)
{
	operation_context_init(context, options);
	if (find_cluster_open(&context->account, &options->ask, STORE_WRITE, cluster, err) < 0 ||
	    operation_context_find(context, cluster, err) < 0)
		return -1;
	return operation_context_lock(context, err);
}

void
operation_context_release(struct operation_context *context)
{
	workdir_close(&context->job_dir);
	workdir_close(&context->workdir);
	cluster_documents_release(&context->documents);
	cluster_list_release(&context->clusters);
	account_release(&context->account);
}
