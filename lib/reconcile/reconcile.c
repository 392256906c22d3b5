/* SPDX-License-Identifier: Apache-2.0 */
#include "reconcile/reconcile.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "hook/hook.h"
#include "operation/finish-operation.h"
#include "operation/job.h"
#include "reconcile/faults.h"
#include "reconcile/gc.h"
#include "reconcile/health-check.h"
#include "reconcile/inventory-diff.h"
#include "reconcile/kept-data.h"
#include "reconcile/last-run.h"
#include "reconcile/lease-reminder.h"
#include "reconcile/repair.h"
#include "reconcile/restoration.h"
#include "reconcile/retention.h"
#include "reconcile/schedule.h"
#include "reconcile/scope.h"
#include "reconcile/volumes-diff.h"

/* Keeps the worst of two codes; -1 is one whose reason is still to be told. */
static void
reconcile_add(const struct reconcile_options *parameters, int *worst, int code, const struct error *err)
{
	if (code < 0)
		operation_warn(&parameters->options, worst, err);
	else if (*worst == 0)
		*worst = code;
}

/* Returns whether the job is to be done here. */
static bool
reconcile_has_to_work(const struct reconcile_options *parameters, const struct operation_job *job)
{
	return parameters->work == RECONCILE_WORK_ALL ||
	    (parameters->work == RECONCILE_WORK_ABANDONED && operation_job_is_abandoned(job));
}

/* Finishes an operation; if nothing else is asked for, only one of which our spool knows that it is over. With work, one that still runs is
 * run to its end here, unless a worker does that; the store records whether its job fails. */
static int
reconcile_finish_one(const struct reconcile_options *parameters, const struct operation *operation, bool work, struct error *err)
{
	char id[CLUSTER_ID_SIZE];
	struct error failure;
	struct operation_context context;
	struct operation_job job = {parameters->options.runner, &context.job_dir, operation->job};
	int result;

	if (parameters->finish_only && !operation_job_is_over(&job))
		return 0;
	result = operation_context_open(&context, &parameters->options, cluster_id_text(operation->cluster, id), err);
	if (result > 0 && work && reconcile_has_to_work(parameters, &job)) {
		if (operation_job_follow(&job, &failure) < 0 && failure.code > 128) {
			*err = failure;
			result = -1;
		} else {
			result = finish_cluster(&context, err);
		}
	}
	operation_context_release(&context);
	return result < 0 && err->code != EX_TEMPFAIL && err->code != EX_NO ? -1 : 0;
}

/* Finishes all operations that are over; with work, does those that wait. */
static int
reconcile_finish_all(const struct reconcile_options *parameters, struct account *account, const struct reconcile_scope *scope,
    bool work, struct error *err)
{
	struct operation_list list = {0};
	struct error failure;
	int worst = 0;

	if (operations_open(account, &list, err) < 0)
		worst = -1;
	for (size_t i = 0; i < list.count && worst >= 0 && worst <= 128; i++)
		if (reconcile_scope_has(scope, list.list[i].cluster) &&
		    reconcile_finish_one(parameters, &list.list[i], work, &failure) < 0)
			operation_warn(&parameters->options, &worst, &failure);
	operation_list_release(&list);
	return worst;
}

/* Compares the machines with the store: all of them, or none. */
static int
reconcile_look(const struct reconcile_options *parameters, struct account *account, struct reconcile_scope *scope,
    struct drift_list *drift, struct error *err)
{
	int worst = 0, found;

	if (reconcile_scope_list(scope, account, err) < 0)
		return -1;
	reconcile_add(parameters, &worst, inventory_diff(account, &parameters->options, scope, drift, err), err);
	found = health_check(account, parameters, scope, drift, err);
	if (scope->all)
		reconcile_add(parameters, &worst, volumes_diff(account, &parameters->options, drift, err), err);
	drift_sort(drift);
	if (found < 0)
		return -1;
	reconcile_add(parameters, &worst, found, err);
	reconcile_add(parameters, &worst, kept_data_mark(account, parameters, scope, drift), err);
	return worst;
}

/* Lists the clusters in which what waited for a repair that is done can be repaired now. */
static void
reconcile_list_freed(const struct reconcile_options *parameters, const struct drift_list *drift, struct reconcile_scope *scope)
{
	size_t end;

	scope->ids = memory_zeroed(drift->count, sizeof *scope->ids);
	for (size_t i = 0; i < drift->count; i = end) {
		for (end = i; end < drift->count && drift->list[end].cluster == drift->list[i].cluster; end++)
			;
		if (drift->list[i].cluster && repair_goes_on(parameters, drift, i, end))
			scope->ids[scope->count++] = drift->list[i].cluster;
	}
}

/* Tells whether the machine was replaced in this run, and the run has not tried to restore data of its cluster yet. */
static bool
reconcile_is_to_restore(const struct drift_list *drift, const struct drift *replaced)
{
	bool tried = false;

	for (size_t i = 0; i < drift->count && !tried; i++)
		tried = drift->list[i].cluster == replaced->cluster && drift->list[i].what == DRIFT_UNRESTORED;
	return replaced->restores && replaced->stage == DRIFT_REPAIRED && !tried;
}

/* Restores the data of machines that were replaced in this run: the services that need it fail until then. */
static int
reconcile_restore(const struct reconcile_options *parameters, struct account *account, struct drift_list *drift, struct error *err)
{
	struct reconcile_scope scope = {.ids = memory_zeroed(drift->count, sizeof *scope.ids)};
	int worst = 0;

	for (size_t i = 0; i < drift->count; i++)
		if (reconcile_is_to_restore(drift, &drift->list[i]))
			scope.ids[scope.count++] = drift->list[i].cluster;
	if (scope.count && (worst = reconcile_scope_list(&scope, account, err)) == 0 &&
	    (worst = restoration_begin(account, parameters, &scope, drift, err)) >= 0) {
		reconcile_add(parameters, &worst, reconcile_finish_all(parameters, account, &scope, true, err), err);
		repair_outcomes(account, drift);
	}
	reconcile_scope_release(&scope);
	return worst;
}

/* Repairs what waited for repairs that are done, layer by layer, and looks at each layer again before: it may be well by itself. It
 * ends because each layer needs a repair that is done, and the limits hold back what is repaired again and again. */
static int
reconcile_go_on(const struct reconcile_options *parameters, struct account *account, struct drift_list *drift, struct error *err)
{
	struct reconcile_scope freed = {0};
	struct drift_list found = {0};
	int worst = 0;

	reconcile_list_freed(parameters, drift, &freed);
	if (freed.count && (worst = reconcile_look(parameters, account, &freed, &found, err)) >= 0) {
		reconcile_add(parameters, &worst, repair(account, parameters, &freed, &found), err);
		reconcile_add(parameters, &worst, reconcile_finish_all(parameters, account, &freed, true, err), err);
		repair_outcomes(account, &found);
		reconcile_add(parameters, &worst, reconcile_go_on(parameters, account, &found, err), err);
		for (size_t i = 0; i < freed.count; i++)
			drift_look_again(drift, freed.ids[i], &found);
		drift_sort(drift);
	}
	reconcile_scope_release(&freed);
	drift_release(&found);
	return worst;
}

/* Returns whether there is no store, and so nothing to reconcile: one that is made by a timer would be in the way of a restore. */
static bool
reconcile_is_idle(const struct reconcile_options *parameters)
{
	char *path = location_store(parameters->options.ask.store);
	bool idle = parameters->clusters.count == 0 && !strstr(path, "://") && file_is_absent(AT_FDCWD, path);

	free(path);
	return idle;
}

static int
reconcile_all(const struct reconcile_options *parameters, struct account *account, struct reconcile_scope *scope,
    struct drift_list *drift, struct error *err)
{
	struct hook_count told;
	int worst = 0, looked, open;

	reconcile_add(parameters, &worst, reconcile_finish_all(parameters, account, scope, false, err), err);
	reconcile_add(parameters, &worst, lease_reminder_send(account, scope, parameters->remind_ms,
	    parameters->options.runner.notice, err), err);
	reconcile_add(parameters, &worst, hook_deliver(account->store, 0, &told, err), err);
	looked = reconcile_look(parameters, account, scope, drift, err);
	reconcile_add(parameters, &worst, looked, err);
	/* By now it is on record which machines are gone: nobody waits for them to be backed up or stopped. */
	reconcile_add(parameters, &worst, repair_leases(account, &parameters->options, scope, err), err);
	if (looked >= 0 && (parameters->repair || parameters->retry))
		reconcile_add(parameters, &worst, repair(account, parameters, scope, drift), err);
	if (looked >= 0 && parameters->delete_orphaned)
		reconcile_add(parameters, &worst, repair_orphaned(account, parameters, scope, drift), err);
	if (looked >= 0)
		reconcile_add(parameters, &worst, restoration_begin(account, parameters, scope, drift, err), err);
	if (looked >= 0)
		reconcile_add(parameters, &worst, schedule_backups(account, parameters, scope, drift, err), err);
	if (parameters->work != RECONCILE_WORK_NONE)
		reconcile_add(parameters, &worst, reconcile_finish_all(parameters, account, scope, true, err), err);
	repair_outcomes(account, drift);
	if (parameters->work != RECONCILE_WORK_NONE)
		reconcile_add(parameters, &worst, reconcile_restore(parameters, account, drift, err), err);
	if (parameters->work != RECONCILE_WORK_NONE)
		reconcile_add(parameters, &worst, reconcile_go_on(parameters, account, drift, err), err);
	reconcile_add(parameters, &worst, hook_deliver(account->store, 0, &told, err), err);
	open = faults_tell(account, parameters, scope, drift, looked == 0, err);
	reconcile_add(parameters, &worst, open < 0 ? -1 : 0, err);
	reconcile_add(parameters, &worst, retention_apply(account, parameters, scope, err), err);
	if (scope->all) {
		reconcile_add(parameters, &worst, reconcile_gc(account, err), err);
		reconcile_add(parameters, &worst, last_run_record(account->store, err), err);
	}
	return worst == 0 && open > 0 ? EX_NO : worst;
}

int
reconcile(const struct reconcile_options *parameters, struct drift_list *drift, struct error *err)
{
	struct reconcile_scope scope = {0};
	struct account account;
	int result = -1;

	if (reconcile_is_idle(parameters))
		return 0;
	if (account_open(&account, &parameters->options.ask, STORE_WRITE, err) == 0 &&
	    account_need(&account, ACCOUNT_SUPERADMIN, "reconciling the clusters of all tenants", err) == 0 &&
	    reconcile_scope_init(&scope, &account, &parameters->clusters, err) == 0)
		result = parameters->finish_only ? reconcile_finish_all(parameters, &account, &scope, false, err)
		                                 : reconcile_all(parameters, &account, &scope, drift, err);
	reconcile_scope_release(&scope);
	account_release(&account);
	return result;
}
