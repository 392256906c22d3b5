/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/context.h"

#include "base/error.h"
#include "operation/busy-error.h"
#include "operation/find-cluster.h"
#include "operation/finish-operation.h"

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

int
operation_context_lock(struct operation_context *context, struct error *err)
{
	char id[CLUSTER_ID_SIZE];
	int running;

	cluster_id_text(context->id, id);
	if (context->cluster->status == LIFECYCLE_TERMINATED)
		return error_set(err, EX_NO, "%s (%s): the cluster is terminated", context->cluster->name, id);
	if (workdir_open(&context->workdir, id, context->cluster->name, WORKDIR_MAKE, err) < 0)
		return err->code == EX_TEMPFAIL ? busy_error_locked(context, err) : -1;
	running = finish_cluster(context, err);
	return running < 0 || operation_context_find(context, id, err) < 0 ? -1 : running;
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
