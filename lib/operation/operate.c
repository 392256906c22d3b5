/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/operate.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "cluster/cluster-name.h"
#include "hook/hook.h"
#include "operation/begin.h"
#include "operation/busy-error.h"
#include "operation/efficiency.h"
#include "operation/find-cluster.h"
#include "operation/finish-operation.h"
#include "operation/saved-plan.h"

static struct chain
operate_job_of(const struct operation_context *context)
{
	return (struct chain){context->options->runner, &context->operation, context->job};
}

void
operation_context_release(struct operation_context *context)
{
	workdir_close(&context->operation);
	workdir_close(&context->folder);
	cluster_documents_release(&context->documents);
	cluster_list_release(&context->clusters);
	account_release(&context->account);
}

static int
operate_find_cluster(struct operation_context *context, const char *name, struct error *err)
{
	cluster_list_release(&context->clusters);
	cluster_documents_release(&context->documents);
	context->cluster = NULL;
	if (clusters_find(&context->account, name, &context->clusters, err) < 0)
		return -1;
	context->cluster = &context->clusters.list[0];
	context->id = context->cluster->id;
	return clusters_documents(&context->account, context->id, &context->documents, err);
}

/* Locks the folder of the cluster that was found, settles, and looks again: under the lock nobody else changes it. */
static int
operate_finish_found(struct operation_context *context, struct error *err)
{
	char id[CLUSTER_ID_SIZE];
	int under_way;

	cluster_id_text(context->id, id);
	if (context->cluster->status == LIFE_TERMINATED)
		return error_set(err, EX_NO, "%s (%s): there is no such cluster any more", context->cluster->name, id);
	if (workdir_open(&context->folder, id, context->cluster->name, WORKDIR_MAKE, err) < 0)
		return err->code == EX_TEMPFAIL ? busy_error_locked(context, err) : -1;
	under_way = finish_cluster(context, err);
	return under_way < 0 || operate_find_cluster(context, id, err) < 0 ? -1 : under_way;
}

static void
operation_context_init(struct operation_context *context, const struct operation_options *options)
{
	*context = (struct operation_context){.options = options, .folder = {.fd = -1}, .operation = {.fd = -1}};
}

int
operation_context_open(struct operation_context *context, const struct operation_options *options, const char *cluster, struct error *err)
{
	operation_context_init(context, options);
	if (find_cluster_open(&context->account, &options->ask, STORE_WRITE, cluster, err) < 0 || operate_find_cluster(context, cluster,
	    err) < 0)
		return -1;
	return operate_finish_found(context, err);
}

/* The number of a cluster that is to be made; 0 for one that is only tried, -1. A plan that is saved speaks of the cluster. */
static int64_t
operate_number_new(struct operation_context *context, const struct operation_request *order, struct error *err)
{
	if (order->id || (context->options->dry && !context->options->save))
		return order->id;
	return clusters_allot(&context->account, err);
}

/* The site of a cluster that is to be made. */
static int
operate_open_new(struct operation_context *context, const struct operation_request *order, struct error *err)
{
	char id[CLUSTER_ID_SIZE];

	context->id = operate_number_new(context, order, err);
	if (context->id < 0)
		return -1;
	cluster_id_text(context->id, id);
	return context->options->dry ? workdir_try(&context->folder, id, order->cluster, err)
	                         : workdir_open(&context->folder, id, order->cluster, WORKDIR_MAKE, err);
}

static bool
operate_makes_cluster(const struct operation_request *order)
{
	return life_find(order->action)->from >> LIFE_ABSENT & 1;
}

/* 1 where something is under way on the cluster, 0, -1. */
static int
operate_open_for(struct operation_context *context, const struct operation_request *order, const struct operation_options *options, struct error *err)
{
	bool makes = operate_makes_cluster(order);

	operation_context_init(context, options);
	if ((makes && cluster_name_check(order->cluster, err) < 0) ||
	    find_cluster_open(&context->account, &options->ask, makes ? STORE_CREATE : STORE_WRITE, order->cluster, err) < 0)
		return -1;
	if (operate_find_cluster(context, order->cluster, err) == 0)
		return operate_finish_found(context, err);
	return makes && err->code == EX_NO ? operate_open_new(context, order, err) : -1;
}

/* Whether the operation was asked for in the same words. */
static bool
operate_is_same(const struct operation_context *context, const char *command)
{
	struct error ignored; /* then it was not */
	char *before = workdir_line(&context->operation, "command", &ignored);
	bool same = before && strcmp(before, command) == 0;

	free(before);
	return same;
}

/* Whether there is something of it to go on with. One that was cancelled before anything was done has changed nothing. */
static bool
operate_is_unfinished(const struct operation_context *context, const struct operation *last)
{
	return last->status < OPERATION_COMPLETE || ((last->status == OPERATION_FAILED ||
	    last->status == OPERATION_CANCELLED) &&
	    context->cluster->status != LIFE_ACTIVE);
}

/* The last operation of the site's cluster, whose folder is entered: 1; 0 where there is nothing of it to go on with; -1. */
static int
operate_find_unfinished(struct operation_context *context, struct operation_list *list, struct error *err)
{
	int result = operation_last(&context->account, context->id, list, err);

	if (result <= 0 || !operate_is_unfinished(context, &list->list[0]))
		return result < 0 ? -1 : 0;
	workdir_close(&context->operation);
	return workdir_enter(&context->folder, list->list[0].job, &context->operation, err) < 0 ? -1 : 1;
}

/* What was begun by the same command goes on, and what has failed of it is tried again: 1 where there is such, 0, -1. */
static int
operate_resume(struct operation_context *context, const struct operation_request *order, struct error *err)
{
	struct operation_list list = {0};
	int result = context->cluster && !context->options->dry ? operate_find_unfinished(context, &list, err) : 0;

	if (result > 0)
		result = !operate_is_same(context, order->command) ? 0 : begin_again(context, &list.list[0], err) < 0 ? -1 : 1;
	operation_list_release(&list);
	return result;
}

/* Where another operation is under way: it is cancelled if ours is to have its way, else we refuse; what is only tried gives
 * nothing up. */
static int
operate_make_way(struct operation_context *context, const struct operation_request *order, struct error *err)
{
	struct operation_list list = {0};
	struct chain chain;
	int result = operation_last(&context->account, context->id, &list, err);

	if (result > 0 && (!order->preempts || context->options->dry)) {
		result = busy_error(context, &list.list[0], err);
	} else if (result > 0) {
		chain = (struct chain){context->options->runner, &context->operation, list.list[0].job};
		result = operation_job_stop(&chain, err);
	}
	operation_list_release(&list);
	return result < 0 || finish_cluster(context, err) < 0 ? -1 : operate_find_cluster(context, context->folder.id, err);
}

/* What came of it. Of a cluster that is gone nothing is kept. */
static int
operate_tell(struct operation_context *context, struct operation_result *done, struct error *err)
{
	char *events = workdir_path(&context->operation, "events.ndjson");
	int result;

	done->plan = workdir_path(&context->operation, "plan.ndjson");
	result = efficiency_measure(done->plan, events, &done->efficiency, err);
	free(events);
	if (result == 0 && operate_find_cluster(context, context->folder.id, err) < 0)
		result = -1;
	if (result == 0 && context->cluster->status == LIFE_TERMINATED)
		return workdir_remove(&context->folder, err);
	if (result == 0)
		done->layout = workdir_path(&context->folder, "cluster.ndjson");
	return result;
}

/* What hooks are to be told; those that cannot be told now are told later, by coopr reconcile. */
static void
operate_deliver(const struct operation_context *context)
{
	struct hook_count count;
	struct error err;

	if (hook_deliver(0, &count, &err) < 0)
		context->options->runner.notice(err.text);
}

static bool
operate_is_complete(struct operation_context *context)
{
	struct operation_list list = {0};
	struct error ignored; /* then it is not known to be */
	bool complete = operation_find(&context->account, context->id, context->number, &list, &ignored) == 0 &&
	    list.list[0].status == OPERATION_COMPLETE;

	operation_list_release(&list);
	return complete;
}

static int
operate_follow(struct operation_context *context, struct operation_result *done, struct error *err)
{
	struct chain chain = operate_job_of(context);
	struct error failure;
	int result;

	if (!done->job)
		done->job = memory_string(context->job);
	if (context->options->detach)
		return 0;
	result = operation_job_follow(&chain, &failure);
	/* Also of a job that failed: the store shall say what is there. One that we were interrupted in may be over. */
	if (finish_cluster(context, err) < 0)
		return -1;
	operate_deliver(context);
	if (result == 0 || operate_is_complete(context))
		return operate_tell(context, done, err);
	*err = failure;
	return -1;
}

static int
operate_begin(struct operation_context *context, const struct operation_request *order, struct error *err)
{
	struct chain chain = operate_job_of(context);

	return operation_job_check_new(&chain, err) < 0 || begin_ask(context, order, err) < 0 ? -1 : begin_record(context, order, err);
}

static int
operate_put_and_follow(struct operation_context *context, struct operation_result *done, struct error *err)
{
	struct chain chain = operate_job_of(context);

	if (operate_find_cluster(context, context->folder.id, err) < 0)
		return -1;
	done->job = memory_string(context->job);
	return operation_job_put(&chain, err) < 0 || operation_running(&context->account, context->id, context->number, err) < 0
	    ? -1 : operate_follow(context, done, err);
}

/* From the wish to the plan, in the operation's folder. What somebody killed has left there is not of this operation. */
static int
operate_plan(struct operation_context *context, const struct operation_request *order, struct error *err)
{
	context->number = context->cluster ? context->cluster->operation + 1 : 1;
	operation_job(context->id, context->number, context->job);
	workdir_close(&context->operation);
	return file_remove_tree(context->folder.fd, context->job, err) < 0 ||
	    workdir_enter(&context->folder, context->job, &context->operation, err) < 0 || begin_folder(context, order, err) < 0
	    ? -1 : order->prepare(context, order->parameters, err);
}

/* It has come to nothing: what the store does not know of has no folder either. */
static void
operate_remove_scrap(struct operation_context *context)
{
	struct operation_list list = {0};
	struct error why;

	if (operation_find(&context->account, context->id, context->number, &list, &why) < 0 && why.code == EX_NO) {
		if (context->cluster)
			file_remove_tree(context->folder.fd, context->job, &why);
		else
			workdir_remove(&context->folder, &why);
	}
	operation_list_release(&list);
}

/* A folder that was made for it is of nobody. */
static int
operate_refuse_admission(struct operation_context *context)
{
	struct error ignored;

	if (!context->cluster && context->options->dry)
		workdir_remove(&context->folder, &ignored);
	else if (!context->cluster)
		rmdir(context->folder.path); /* where it is empty: else it is somebody's */
	return -1;
}

static int
operate_undertake(struct operation_context *context, const struct operation_request *order, struct operation_result *done, struct error *err)
{
	const struct life_move *move = life_find(order->action);

	if (context->cluster && operate_makes_cluster(order))
		return busy_error_exists(context, err);
	if (life_check(move, context->cluster ? context->cluster->status : LIFE_ABSENT, order->cluster, err) < 0)
		return -1;
	if (operate_plan(context, order, err) < 0 || (!context->options->dry && operate_begin(context, order, err) < 0)) {
		operate_remove_scrap(context);
		return -1;
	}
	if (!context->options->dry)
		return operate_put_and_follow(context, done, err);
	done->plan = workdir_path(&context->operation, "plan.ndjson");
	done->scrap = memory_string(context->cluster ? context->operation.path : context->folder.path);
	if (preview_basis_take(context, &done->basis, err) < 0)
		return -1;
	return context->options->save ? saved_plan_write(context, order, err) : 0;
}

int
operate(const struct operation_request *order, const struct operation_options *options, struct operation_result *done, struct error *err)
{
	struct operation_context context;
	int result = operate_open_for(&context, order, options, err), resumed = 0;

	*done = (struct operation_result){.basis = PREVIEW_BASIS_NONE};
	if (result >= 0) {
		done->name = memory_string(context.folder.name);
		resumed = operate_resume(&context, order, err);
	}
	if (resumed > 0)
		result = operate_follow(&context, done, err);
	else if (result >= 0 && resumed == 0 && order->admit && order->admit(&context, order->parameters, err) < 0)
		result = operate_refuse_admission(&context);
	else if (resumed < 0 || (result > 0 && operate_make_way(&context, order, err) < 0))
		result = -1;
	else if (result >= 0)
		result = operate_undertake(&context, order, done, err);
	operation_context_release(&context);
	return result;
}

/* What failed once may have been followed by what did not: then the cluster is put right without going on with anything. */
static int
operate_repair(struct operation_context *context, const struct operation_request *anew, struct operation_result *done, struct error *err)
{
	if (context->cluster->status != LIFE_INCONSISTENT || !anew->action)
		return error_set(err, EX_NO, "%s: its last operation has not failed: there is nothing to go on with",
		    context->cluster->name);
	context->options->runner.notice("its last operation is complete, so all services are configured and started anew");
	return operate_undertake(context, anew, done, err);
}

int
operate_retry(const struct operation_request *anew, const struct operation_options *options, struct operation_result *done, struct error *err)
{
	struct operation_list list = {0};
	struct operation_context context;
	int result = operation_context_open(&context, options, anew->cluster, err);

	*done = (struct operation_result){.basis = PREVIEW_BASIS_NONE};
	if (result >= 0) {
		done->name = memory_string(context.folder.name);
		result = operate_find_unfinished(&context, &list, err);
	}
	if (result > 0)
		result = begin_again(&context, &list.list[0], err) < 0 ? -1 : operate_follow(&context, done, err);
	else if (result == 0)
		result = operate_repair(&context, anew, done, err);
	operation_list_release(&list);
	operation_context_release(&context);
	return result;
}

void
operation_result_release(struct operation_result *done)
{
	free(done->name);
	free(done->job);
	free(done->plan);
	free(done->layout);
	free(done->scrap);
	preview_basis_release(&done->basis);
	*done = (struct operation_result){.basis = PREVIEW_BASIS_NONE};
}
