/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/operate.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "cluster/cluster-name.h"
#include "cluster/volumes.h"
#include "hook/hook.h"
#include "operation/admission.h"
#include "operation/begin.h"
#include "operation/busy-error.h"
#include "operation/find-cluster.h"
#include "operation/finish-operation.h"
#include "operation/job.h"
#include "operation/partial-machines.h"
#include "operation/saved-plan.h"
#include "store/audit.h"

static bool
operate_creates(const struct operation_request *request)
{
	return lifecycle_find(request->action)->from >> LIFECYCLE_ABSENT & 1;
}

/* Opens the context of the request's cluster, which may be to be created. One that is only tried needs no number, but a saved
 * plan speaks of it. Returns 1 where an operation is running on it, 0, or -1. */
static int
operate_open(struct operation_context *context, const struct operation_request *request,
    const struct operation_options *options, struct error *err)
{
	bool creates = operate_creates(request);
	char id[CLUSTER_ID_SIZE];
	int running;

	operation_context_init(context, options);
	if ((creates && (cluster_name_check(request->cluster, err) < 0 || cluster_name_check_people(request->owner, request->group, err) < 0)) ||
	    find_cluster_open(&context->account, &options->ask, creates ? STORE_CREATE : STORE_WRITE, request->cluster, err) < 0)
		return -1;
	if (operation_context_find(context, request->cluster, err) == 0) {
		running = options->dry && !options->save ? operation_context_try(context, err) : operation_context_lock(context, err);
		if (running < 0 || !creates || context->cluster->status != LIFECYCLE_TERMINATED)
			return running;
		operation_context_release(context); /* its deletion was over, and is now finished: the name is free */
		return operate_open(context, request, options, err);
	}
	if (!creates || err->code != EX_NO)
		return -1;
	context->id = request->id || (options->dry && !options->save) ? request->id : clusters_allot(&context->account, err);
	if (context->id < 0)
		return -1;
	cluster_id_text(context->id, id);
	context->scratch = options->dry;
	return options->dry ? workdir_try(&context->workdir, id, request->cluster, err)
	                    : workdir_open(&context->workdir, id, request->cluster, WORKDIR_MAKE, err);
}

/* Finds the cluster's last operation, if it is unfinished, and opens its folder: 1, 0 or -1. One that was cancelled before
 * anything was done has changed nothing, and is finished. */
static int
operate_find_unfinished(struct operation_context *context, struct operation_list *list, struct error *err)
{
	int result = operation_last(&context->account, context->id, list, err);
	enum operation_status status;

	if (result <= 0)
		return result;
	status = list->list[0].status;
	if (status >= OPERATION_COMPLETE && (context->cluster->status == LIFECYCLE_ACTIVE ||
	    (status != OPERATION_FAILED && status != OPERATION_CANCELLED)))
		return 0;
	workdir_close(&context->job_dir);
	return workdir_restore(&context->workdir, context->account.store, &list->list[0], &context->job_dir, err) < 0 ? -1 : 1;
}

/* Decides about the unfinished operation of the same command: it is begun again (1) if what the command names is the same, and no machine is gone that
 * it needs; else the command is planned anew (0), once the operation has ended. */
static int
operate_continue(struct operation_context *context, const struct operation_request *request, const struct operation *operation,
    struct error *err)
{
	const char *name = context->cluster->name;
	int same = begin_digest(context, request, err) < 0 ? -1 : begin_is_same(context, operation, err);
	char *text;

	if (same > 0 && begin_check_machines(context, operation, err) < 0) {
		if (err->code != EX_NO || operate_creates(request))
			return -1;
		context->options->runner.notice("machines are gone that the operation still has something to do on; it is planned anew");
		context->supersedes = true;
		return 0;
	}
	if (same != 0)
		return same < 0 || begin_again(context, operation, err) < 0 ? -1 : 1;
	if (operation->status < OPERATION_COMPLETE)
		return error_set(err, EX_TEMPFAIL, "%s: job %s (%s) is in progress, and the files or entities that the command "
		    "names have changed since it started; cancel it with coopr abort %s, then run the same command again", name,
		    operation->job, operation->action, name);
	text = memory_printf("the files or entities that the command names have changed since job %s %s; the operation is planned "
	    "anew", operation->job,
	    operation->status == OPERATION_FAILED ? "failed" : "was cancelled");
	context->options->runner.notice(text);
	free(text);
	context->supersedes = true;
	return 0;
}

/* Resumes the cluster's unfinished operation, if it was begun by the same command, and retries what failed of it: 1; 0 where
 * there is no such operation; -1. */
static int
operate_resume(struct operation_context *context, const struct operation_request *request, struct error *err)
{
	struct operation_list list = {0};
	struct error ignored; /* a command that cannot be read is another one */
	char *command;
	int result = context->cluster && !context->options->dry ? operate_find_unfinished(context, &list, err) : 0;

	if (result > 0) {
		command = workdir_line(&context->job_dir, "command", &ignored);
		result = request->takes_over || (command && strcmp(command, request->command) == 0)
		       ? operate_continue(context, request, &list.list[0], err) : 0;
		free(command);
	}
	operation_list_release(&list);
	return result;
}

/* Tells that the cluster is still inconsistent, and why. */
static void
operate_tell_inconsistent(struct operation_context *context)
{
	struct operation_list list = {0};
	struct error ignored; /* then there is less to say */
	const struct operation *failed = NULL;
	const char *name = context->cluster->name;
	char *partial = partial_machines_told(context);
	struct buffer text = {0};

	if (operations_list(&context->account, context->id, 0, 0, &list, &ignored) == 0)
		for (size_t i = 0; i < list.count && !failed; i++)
			if (list.list[i].status == OPERATION_FAILED)
				failed = &list.list[i];
	buffer_printf(&text, "%s: the cluster is still inconsistent", name);
	if (failed)
		buffer_printf(&text, ", since %s failed before (job %s)", failed->action, failed->job);
	if (partial)
		buffer_printf(&text, "; %s", partial);
	else
		buffer_printf(&text, "; coopr retry %s configures and restarts all services", name);
	if (failed && strcmp(failed->action, "config") == 0)
		buffer_text(&text, "; what the failed change was to set is not in the configuration: make it again");
	context->options->runner.notice(text.data);
	buffer_release(&text);
	free(partial);
	operation_list_release(&list);
}

/* Tells of volumes that were promised to the cluster and that no node has taken: what was to be restored is not there. */
static int
operate_tell_promised(struct operation_context *context, struct error *err)
{
	struct volume_list list = {0};
	int result = volumes_promised(&context->account, context->id, &list, err);
	char *text;

	for (size_t i = 0; i < list.count; i++) {
		text = memory_printf("%s: no node has taken the volume %s, which is promised to it: the next new node with the service %s does, if "
		    "that asks for a volume %s and the provider is %s", context->cluster->name, list.list[i].id, list.list[i].service,
		    list.list[i].name, list.list[i].provider);
		context->options->runner.notice(text);
		free(text);
	}
	volume_list_release(&list);
	return result;
}

/* Measures the job and finds the present layout. A terminated cluster keeps no folder. */
static int
operate_report(struct operation_context *context, struct operation_result *result, struct error *err)
{
	char *events = workdir_path(&context->job_dir, "events.ndjson");
	int measured;

	result->plan = workdir_path(&context->job_dir, "plan.ndjson");
	measured = efficiency_measure(result->plan, events, &result->efficiency, err);
	free(events);
	if (measured < 0 || operation_context_find(context, context->workdir.id, err) < 0)
		return -1;
	if (context->cluster->status == LIFECYCLE_TERMINATED)
		return workdir_remove(&context->workdir, err);
	if (context->cluster->status == LIFECYCLE_INCONSISTENT)
		operate_tell_inconsistent(context);
	if (operate_tell_promised(context, err) < 0)
		return -1;
	result->layout = workdir_path(&context->workdir, "cluster.ndjson");
	return 0;
}

/* Returns whether the store says that the context's operation is complete. */
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

/* Completes the remedies of a failure: what changed a cluster can be taken back, and of one that counts as never made nothing is
 * there that could be retried. */
static void
operate_tell_remedies(struct operation_context *context, struct error *failure)
{
	const struct error told = *failure;
	struct error ignored; /* then the failure stays as it is told */

	if (failure->code != EX_NO || operation_context_find(context, context->workdir.id, &ignored) < 0)
		return;
	if (context->cluster->status == LIFECYCLE_TERMINATED)
		error_set(failure, EX_NO, "%s: job %s failed (all output: coopr log %s); no machine was made, nothing is held, and there is "
		    "no such cluster; after fixing the cause, run the same command again", context->workdir.name, context->job,
		    context->workdir.id);
	else if (lifecycle_find("rollback")->offered & 1u << context->cluster->status)
		error_set(failure, EX_NO, "%s; coopr rollback %s goes back to what was before", told.text, context->workdir.name);
}

/* Runs the operation's job to its end, and finishes the operation, also where the job failed: the store records what is
 * there. An interrupted job may be over, too. Hooks that cannot be called now are called later, by coopr reconcile. */
static int
operate_follow(struct operation_context *context, struct operation_result *result, struct error *err)
{
	const struct operation_job job = {context->options->runner, &context->job_dir, context->job};
	struct hook_count count;
	struct error failure, late;
	int followed;

	if (!result->job)
		result->job = memory_string(context->job);
	if (context->options->detach)
		return 0;
	followed = operation_job_follow(&job, &failure);
	if (finish_cluster(context, err) < 0)
		return -1;
	if (hook_deliver(context->account.store, 0, &count, &late) < 0)
		context->options->runner.notice(late.text);
	if (followed == 0 || operate_is_complete(context))
		return operate_report(context, result, err);
	operate_tell_remedies(context, &failure);
	*err = failure;
	return -1;
}

/* Puts the job of the operation, which has begun in the store, and follows it. Where it cannot be put, the operation has begun
 * nevertheless: whoever finishes the cluster next puts it. */
static int
operate_begin(struct operation_context *context, struct operation_result *result, struct error *err)
{
	const struct operation_job job = {context->options->runner, &context->job_dir, context->job};
	struct error cause;

	result->job = memory_string(context->job);
	if (operation_context_find(context, context->workdir.id, &cause) == 0 && operation_job_put(&job, &cause) == 0 &&
	    operation_running(&context->account, context->id, context->number, &cause) >= 0)
		return operate_follow(context, result, err);
	return error_set(err, cause.code, "%s; job %s has begun, and the same command resumes it", cause.text, context->job);
}

/* Plans the request in the operation's folder. What a killed command has left there is not of this operation. */
static int
operate_prepare(struct operation_context *context, const struct operation_request *request, struct error *err)
{
	context->number = context->cluster ? context->cluster->operation + 1 : 1;
	operation_job(context->id, context->number, context->job);
	workdir_close(&context->job_dir);
	if (file_remove_tree(context->workdir.fd, context->job, err) < 0 ||
	    workdir_enter(&context->workdir, context->job, &context->job_dir, err) < 0 ||
	    begin_folder(context, request, err) < 0)
		return -1;
	return request->prepare(context, request->parameters, err) < 0 || admission_check(context, request->action, err) < 0 ? -1 : 0;
}

/* Tells the hooks of an operation that cannot begin, since no layout satisfies the request. */
static void
operate_tell_unsolvable(const struct operation_context *context, const struct operation_request *request, const struct error *cause)
{
	struct store *store = context->account.store;
	char time[CLOCK_RFC3339_SIZE], *occasion = memory_printf("%s.%s", context->workdir.id, clock_rfc3339(clock_wall_ms(), time));
	const struct hook_event event = {
		.event = HOOK_FAILURE, .operation = request->action, .cluster_id = context->workdir.id, .cluster = context->workdir.name,
		.tenant = context->account.tenant, .owner = context->cluster ? context->cluster->owner : context->account.user,
		.user = context->account.user, .why = context->options->ask.why, .message = cause->text, .layout = "",
		.occasion = occasion,
	};
	struct hook_count count;
	struct error failure; /* of the hooks: the cause is what is reported */

	if (hook_tell(store, &event, &failure) < 0 || hook_deliver(store, 0, &count, &failure) < 0)
		context->options->runner.notice(failure.text);
	free(occasion);
}

/* Returns whether the preparation ended with a request for which there is no layout. */
static bool
operate_is_unsolvable(const struct operation_context *context, const struct error *err)
{
	return err->code == EX_NO && !context->options->dry && workdir_has(&context->job_dir, "request.json") &&
	    !workdir_has(&context->job_dir, "layout.ndjson");
}

/* Plans the request, and, unless it is a dry run, begins the operation in the store. */
static int
operate_plan(struct operation_context *context, const struct operation_request *request, struct error *err)
{
	const struct operation_job job = {context->options->runner, &context->job_dir, context->job};

	/* A dry run is tried while an operation goes on, too; a saved plan is admitted when it is carried out. */
	bool later = context->options->save || (context->cluster && context->cluster->status == LIFECYCLE_PENDING);

	if (operate_prepare(context, request, err) < 0) {
		if (operate_is_unsolvable(context, err))
			operate_tell_unsolvable(context, request, err);
		return -1;
	}
	if (!later && begin_admit(context, request, err) < 0)
		return -1;
	if (context->options->dry)
		return 0;
	return operation_job_check_new(&job, err) < 0 || begin_consent(context, request, err) < 0 ||
	    begin_ask(context, request, err) < 0 || begin_digest(context, request, err) < 0 ? -1 : begin_record(context, request, err);
}

/* Removes the folder of an operation that the store does not know of. Without the lock, one of that name is another command's. */
static void
operate_remove_scrap(struct operation_context *context)
{
	struct operation_list list = {0};
	struct error why;

	if (context->is_unlocked)
		return;
	if (operation_find(&context->account, context->id, context->number, &list, &why) < 0 && why.code == EX_NO) {
		if (context->cluster && !context->scratch)
			file_remove_tree(context->workdir.fd, context->job, &why);
		else
			workdir_remove(&context->workdir, &why);
	}
	operation_list_release(&list);
}

/* Asks for consent by the plan for the cluster as it is recorded, before anything is cancelled for it. Of a cluster that is still
 * being created nothing is recorded. */
static int
operate_ask_before(struct operation_context *context, const struct operation_request *request, struct error *err)
{
	const char *layout = context->documents.layout;

	if ((!context->options->ask_consent && context->options->discard_data) || !layout || !*layout)
		return 0;
	if (operate_prepare(context, request, err) == 0 && begin_consent(context, request, err) == 0)
		return 0;
	operate_remove_scrap(context);
	return -1;
}

/* Cancels the running operation if the request preempts it; else refuses. */
static int
operate_preempt(struct operation_context *context, const struct operation_request *request, struct error *err)
{
	struct operation_list list = {0};
	int result = operation_last(&context->account, context->id, &list, err);

	if (result > 0 && (!request->preempts || context->options->save))
		result = busy_error(context, &list.list[0], err);
	else if (result > 0 && operate_ask_before(context, request, err) < 0)
		result = -1;
	else if (result > 0)
		result = operation_job_stop(&(struct operation_job){context->options->runner, &context->job_dir,
		    list.list[0].job}, err);
	operation_list_release(&list);
	return result < 0 || finish_cluster(context, err) < 0 ? -1 : operation_context_find(context, context->workdir.id, err);
}

/* Removes the folder that was made for a cluster which is not admitted; where it is not empty, it is another's. */
static int
operate_refuse_admission(struct operation_context *context)
{
	struct error ignored;

	if (context->scratch)
		workdir_remove(&context->workdir, &ignored);
	else if (!context->cluster)
		rmdir(context->workdir.path);
	return -1;
}

/* Returns whether the request deletes a cluster of which nothing is left since its last operation has ended. */
static bool
operate_is_deleted(const struct operation_context *context, const struct operation_request *request)
{
	return context->cluster && context->cluster->status == LIFECYCLE_TERMINATED && !context->options->dry &&
	    lifecycle_find(request->action)->success == LIFECYCLE_TERMINATED;
}

/* Records and tells that the cluster is deleted without a job: its last operation has left no machine. */
static int
operate_end_deleted(struct operation_context *context, struct error *err)
{
	const struct audit_event event = {.action = "delete", .kind = "cluster", .name = context->cluster->name, .cluster = context->id};
	struct store *store = context->account.store;
	struct operation_list list = {0};
	int result = store_begin(store, err) < 0 ? -1 : store_finish(store, audit_add(store, &event, err), err);
	char *text;

	if (result == 0)
		result = operation_last(&context->account, context->id, &list, err);
	if (result > 0) {
		text = memory_printf("%s: job %s (%s) %s; the cluster is deleted", context->cluster->name, list.list[0].job, list.list[0].action,
		    list.list[0].status == OPERATION_CANCELLED ? "is cancelled, and has made no machine" : "has ended, and has left no machine");
		context->options->runner.notice(text);
		free(text);
	}
	operation_list_release(&list);
	return result < 0 ? -1 : workdir_remove(&context->workdir, err);
}

/* Carries out the request on a cluster on which nothing is running, or tries it on one whose operation goes on. */
static int
operate_undertake(struct operation_context *context, const struct operation_request *request, struct operation_result *result,
    struct error *err)
{
	enum lifecycle_status status = context->cluster ? context->cluster->status : LIFECYCLE_ABSENT;

	if (operate_is_deleted(context, request))
		return operate_end_deleted(context, err);
	if (context->cluster && operate_creates(request) && !context->supersedes) {
		busy_error_exists(context, err);
		return operate_refuse_admission(context);
	}
	if (!(context->scratch && status == LIFECYCLE_PENDING) &&
	    lifecycle_check(lifecycle_find(context->supersedes ? "retry" : request->action), status, request->cluster, err) < 0)
		return operate_refuse_admission(context);
	if (operate_plan(context, request, err) < 0) {
		operate_remove_scrap(context);
		return -1;
	}
	if (!context->options->dry)
		return operate_begin(context, result, err);
	result->plan = workdir_path(&context->job_dir, "plan.ndjson");
	result->scrap = memory_string(context->scratch ? context->workdir.path : context->job_dir.path);
	if (begin_basis(context, &result->basis, err) < 0)
		return -1;
	return context->options->save ? saved_plan_write(context, request, &result->basis, err) : 0;
}

/* Carries out the request now, or not at all. */
static int
operate_once(const struct operation_request *request, const struct operation_options *options, struct operation_result *result,
    struct error *err)
{
	struct operation_context context;
	int running = operate_open(&context, request, options, err), resumed = 0, done;

	*result = (struct operation_result){.basis = PREVIEW_BASIS_NONE};
	if (running >= 0) {
		result->name = memory_string(context.workdir.name);
		resumed = operate_resume(&context, request, err);
	}
	if (running < 0 || resumed < 0)
		done = -1;
	else if (resumed > 0)
		done = operate_follow(&context, result, err);
	else if (request->admit && request->admit(&context, request->parameters, err) < 0)
		done = operate_refuse_admission(&context);
	else
		done = running > 0 && !context.scratch && operate_preempt(&context, request, err) < 0
		     ? -1 : operate_undertake(&context, request, result, err);
	result->hides = context.account.role < ACCOUNT_ADMIN;
	operation_context_release(&context);
	return done;
}

/* Returns whether to try again, after a moment where the cluster is busy; where it has changed while it was planned or somebody was
 * asked, it is planned again. Each such turn is another operation's success, so that they end. */
static bool
operate_tries_again(struct operation_result *result, const struct operation_options *options, struct busy_wait *wait,
    struct error *err)
{
	bool again = !result->job && (err->outdated || busy_error_wait(wait, options, err));
	char *text;

	if (again && err->outdated) {
		text = memory_printf("%s; it is planned again", err->text);
		options->runner.notice(text);
		free(text);
	}
	if (again)
		operation_result_release(result);
	return again;
}

int
operate(const struct operation_request *request, const struct operation_options *options, struct operation_result *result,
    struct error *err)
{
	struct busy_wait wait = {0};
	int done = operate_once(request, options, result, err);

	while (done < 0 && operate_tries_again(result, options, &wait, err))
		done = operate_once(request, options, result, err);
	return done;
}

/* Configures and restarts all services: an operation that failed may have been followed by others that did not. */
static int
operate_restart_all(struct operation_context *context, const struct operation_request *anew, struct operation_result *result,
    struct error *err)
{
	if (partial_machines_refuse(context, NULL, err) < 0)
		return -1;
	context->options->runner.notice("the last operation is complete, but an earlier one failed; all services are configured and restarted");
	return operate_undertake(context, anew, result, err);
}

static int
operate_retry_once(const struct operation_request *anew, const struct operation_options *options,
    struct operation_result *result, struct error *err)
{
	struct operation_list list = {0};
	struct operation_context context;
	int done = operation_context_open(&context, options, anew->cluster, err);

	*result = (struct operation_result){.basis = PREVIEW_BASIS_NONE};
	if (done >= 0) {
		result->name = memory_string(context.workdir.name);
		done = operate_find_unfinished(&context, &list, err);
	}
	if (done > 0) {
		done = begin_check_machines(&context, &list.list[0], err) < 0 || begin_again(&context, &list.list[0], err) < 0 ? -1
		    : operate_follow(&context, result, err);
	} else if (done == 0 && context.cluster->status == LIFECYCLE_INCONSISTENT && anew->action) {
		done = operate_restart_all(&context, anew, result, err);
	} else if (done == 0) {
		done = error_set(err, EX_NO, "%s: its last operation has not failed; there is nothing to retry",
		    context.cluster->name);
	}
	result->hides = context.account.role < ACCOUNT_ADMIN;
	operation_list_release(&list);
	operation_context_release(&context);
	return done;
}

int
operate_retry(const struct operation_request *anew, const struct operation_options *options,
    struct operation_result *result, struct error *err)
{
	struct busy_wait wait = {0};
	int done = operate_retry_once(anew, options, result, err);

	while (done < 0 && operate_tries_again(result, options, &wait, err))
		done = operate_retry_once(anew, options, result, err);
	return done;
}

int
operate_is_same(const struct operation_request *request, const struct operation_options *options,
    const struct operation *operation, struct error *err)
{
	struct operation_context context;
	struct error ignored; /* then a folder of no use is left */
	int result;

	operation_context_init(&context, options);
	result = find_cluster_open(&context.account, &options->ask, STORE_WRITE, request->cluster, err);
	if (result == 0)
		result = operation_context_find(&context, request->cluster, err);
	if (result == 0)
		result = operation_context_try(&context, err);
	if (result >= 0) {
		result = begin_digest(&context, request, err) < 0 ? -1 : begin_is_same(&context, operation, err);
		workdir_remove(&context.workdir, &ignored);
	}
	operation_context_release(&context);
	return result;
}

void
operation_result_release(struct operation_result *result)
{
	struct error ignored; /* the plan of a dry run is of no use, and harmless */

	if (result->scrap)
		file_remove_tree(AT_FDCWD, result->scrap, &ignored);
	free(result->name);
	free(result->job);
	free(result->plan);
	free(result->layout);
	free(result->scrap);
	preview_basis_release(&result->basis);
	*result = (struct operation_result){.basis = PREVIEW_BASIS_NONE};
}
