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
#include "operation/recorded.h"
#include "operation/refusal.h"
#include "operation/saved-plan.h"
#include "operation/settle.h"
#include "status/pace.h"

static struct chain
operate_chain_of(const struct site *site)
{
	return (struct chain){site->manner->drive, &site->operation, site->job};
}

void
site_release(struct site *site)
{
	folder_close(&site->operation);
	folder_close(&site->folder);
	cluster_documents_release(&site->documents);
	cluster_list_release(&site->clusters);
	account_release(&site->account);
}

static int
operate_find_cluster(struct site *site, const char *name, struct error *err)
{
	cluster_list_release(&site->clusters);
	cluster_documents_release(&site->documents);
	site->cluster = NULL;
	if (clusters_find(&site->account, name, &site->clusters, err) < 0)
		return -1;
	site->cluster = &site->clusters.list[0];
	site->id = site->cluster->id;
	return clusters_documents(&site->account, site->id, &site->documents, err);
}

/* Locks the folder of the cluster that was found, settles, and looks again: under the lock nobody else changes it. */
static int
operate_settle_found(struct site *site, struct error *err)
{
	char id[CLUSTER_ID_SIZE];
	int under_way;

	cluster_id_text(site->id, id);
	if (site->cluster->status == LIFE_TERMINATED)
		return error_set(err, EX_NO, "%s (%s): there is no such cluster any more", site->cluster->name, id);
	if (folder_open(&site->folder, id, site->cluster->name, FOLDER_MAKE, err) < 0)
		return err->code == EX_TEMPFAIL ? refuse_locked(site, err) : -1;
	under_way = settle_cluster(site, err);
	return under_way < 0 || operate_find_cluster(site, id, err) < 0 ? -1 : under_way;
}

static void
operate_site_init(struct site *site, const struct manner *manner)
{
	*site = (struct site){.manner = manner, .folder = {.fd = -1}, .operation = {.fd = -1}};
}

int
site_open(struct site *site, const struct manner *manner, const char *cluster, struct error *err)
{
	operate_site_init(site, manner);
	if (recorded_open(&site->account, &manner->ask, STORE_WRITE, cluster, err) < 0 || operate_find_cluster(site, cluster,
	    err) < 0)
		return -1;
	return operate_settle_found(site, err);
}

/* The number of a cluster that is to be made; 0 for one that is only tried, -1. A plan that is saved speaks of the cluster. */
static int64_t
operate_number_new(struct site *site, const struct work_order *order, struct error *err)
{
	if (order->id || (site->manner->dry && !site->manner->save))
		return order->id;
	return clusters_allot(&site->account, err);
}

/* The site of a cluster that is to be made. */
static int
operate_open_new(struct site *site, const struct work_order *order, struct error *err)
{
	char id[CLUSTER_ID_SIZE];

	site->id = operate_number_new(site, order, err);
	if (site->id < 0)
		return -1;
	cluster_id_text(site->id, id);
	return site->manner->dry ? folder_try(&site->folder, id, order->cluster, err)
	                         : folder_open(&site->folder, id, order->cluster, FOLDER_MAKE, err);
}

static bool
operate_makes_cluster(const struct work_order *order)
{
	return life_find(order->action)->from >> LIFE_ABSENT & 1;
}

/* 1 where something is under way on the cluster, 0, -1. */
static int
operate_open_for(struct site *site, const struct work_order *order, const struct manner *manner, struct error *err)
{
	bool makes = operate_makes_cluster(order);

	operate_site_init(site, manner);
	if ((makes && cluster_name_check(order->cluster, err) < 0) ||
	    recorded_open(&site->account, &manner->ask, makes ? STORE_CREATE : STORE_WRITE, order->cluster, err) < 0)
		return -1;
	if (operate_find_cluster(site, order->cluster, err) == 0)
		return operate_settle_found(site, err);
	return makes && err->code == EX_NO ? operate_open_new(site, order, err) : -1;
}

/* Whether the operation was asked for in the same words. */
static bool
operate_is_same(const struct site *site, const char *command)
{
	struct error ignored; /* then it was not */
	char *before = folder_line(&site->operation, "command", &ignored);
	bool same = before && strcmp(before, command) == 0;

	free(before);
	return same;
}

/* Whether there is something of it to go on with. One that was cancelled before anything was done has changed nothing. */
static bool
operate_is_unfinished(const struct site *site, const struct operation *last)
{
	return last->status < OPERATION_COMPLETE || ((last->status == OPERATION_FAILED ||
	    last->status == OPERATION_CANCELLED) &&
	    site->cluster->status != LIFE_ACTIVE);
}

/* The last operation of the site's cluster, whose folder is entered: 1; 0 where there is nothing of it to go on with; -1. */
static int
operate_find_unfinished(struct site *site, struct operation_list *list, struct error *err)
{
	int result = operation_last(&site->account, site->id, list, err);

	if (result <= 0 || !operate_is_unfinished(site, &list->list[0]))
		return result < 0 ? -1 : 0;
	folder_close(&site->operation);
	return folder_enter(&site->folder, list->list[0].job, &site->operation, err) < 0 ? -1 : 1;
}

/* What was begun by the same command goes on, and what has failed of it is tried again: 1 where there is such, 0, -1. */
static int
operate_resume(struct site *site, const struct work_order *order, struct error *err)
{
	struct operation_list list = {0};
	int result = site->cluster && !site->manner->dry ? operate_find_unfinished(site, &list, err) : 0;

	if (result > 0)
		result = !operate_is_same(site, order->command) ? 0 : begin_again(site, &list.list[0], err) < 0 ? -1 : 1;
	operation_list_release(&list);
	return result;
}

/* Where another operation is under way: it is cancelled if ours is to have its way, else we refuse; what is only tried gives
 * nothing up. */
static int
operate_make_way(struct site *site, const struct work_order *order, struct error *err)
{
	struct operation_list list = {0};
	struct chain chain;
	int result = operation_last(&site->account, site->id, &list, err);

	if (result > 0 && (!order->preempts || site->manner->dry)) {
		result = refuse_busy(site, &list.list[0], err);
	} else if (result > 0) {
		chain = (struct chain){site->manner->drive, &site->operation, list.list[0].job};
		result = chain_stop(&chain, err);
	}
	operation_list_release(&list);
	return result < 0 || settle_cluster(site, err) < 0 ? -1 : operate_find_cluster(site, site->folder.id, err);
}

/* What came of it. Of a cluster that is gone nothing is kept. */
static int
operate_tell(struct site *site, struct done *done, struct error *err)
{
	char *events = folder_path(&site->operation, "events.ndjson");
	int result;

	done->plan = folder_path(&site->operation, "plan.ndjson");
	result = pace_measure(done->plan, events, &done->pace, err);
	free(events);
	if (result == 0 && operate_find_cluster(site, site->folder.id, err) < 0)
		result = -1;
	if (result == 0 && site->cluster->status == LIFE_TERMINATED)
		return folder_remove(&site->folder, err);
	if (result == 0)
		done->layout = folder_path(&site->folder, "cluster.ndjson");
	return result;
}

/* What hooks are to be told; those that cannot be told now are told later, by coopr reconcile. */
static void
operate_deliver(const struct site *site)
{
	struct hook_count count;
	struct error err;

	if (hook_deliver(0, &count, &err) < 0)
		site->manner->drive.notice(err.text);
}

static bool
operate_is_complete(struct site *site)
{
	struct operation_list list = {0};
	struct error ignored; /* then it is not known to be */
	bool complete = operation_find(&site->account, site->id, site->number, &list, &ignored) == 0 &&
	    list.list[0].status == OPERATION_COMPLETE;

	operation_list_release(&list);
	return complete;
}

static int
operate_follow(struct site *site, struct done *done, struct error *err)
{
	struct chain chain = operate_chain_of(site);
	struct error failure;
	int result;

	if (!done->job)
		done->job = memory_string(site->job);
	if (site->manner->detach)
		return 0;
	result = chain_follow(&chain, &failure);
	/* Also of a job that failed: the store shall say what is there. One that we were interrupted in may be over. */
	if (settle_cluster(site, err) < 0)
		return -1;
	operate_deliver(site);
	if (result == 0 || operate_is_complete(site))
		return operate_tell(site, done, err);
	*err = failure;
	return -1;
}

static int
operate_begin(struct site *site, const struct work_order *order, struct error *err)
{
	struct chain chain = operate_chain_of(site);

	return chain_check_new(&chain, err) < 0 || begin_ask(site, order, err) < 0 ? -1 : begin_record(site, order, err);
}

static int
operate_put_and_follow(struct site *site, struct done *done, struct error *err)
{
	struct chain chain = operate_chain_of(site);

	if (operate_find_cluster(site, site->folder.id, err) < 0)
		return -1;
	done->job = memory_string(site->job);
	return chain_put(&chain, err) < 0 || operation_running(&site->account, site->id, site->number, err) < 0
	    ? -1 : operate_follow(site, done, err);
}

/* From the wish to the plan, in the operation's folder. What somebody killed has left there is not of this operation. */
static int
operate_plan(struct site *site, const struct work_order *order, struct error *err)
{
	site->number = site->cluster ? site->cluster->operation + 1 : 1;
	operation_job(site->id, site->number, site->job);
	folder_close(&site->operation);
	return file_remove_tree(site->folder.fd, site->job, err) < 0 ||
	    folder_enter(&site->folder, site->job, &site->operation, err) < 0 || begin_folder(site, order, err) < 0
	    ? -1 : order->prepare(site, order->wish, err);
}

/* It has come to nothing: what the store does not know of has no folder either. */
static void
operate_forget(struct site *site)
{
	struct operation_list list = {0};
	struct error why;

	if (operation_find(&site->account, site->id, site->number, &list, &why) < 0 && why.code == EX_NO) {
		if (site->cluster)
			file_remove_tree(site->folder.fd, site->job, &why);
		else
			folder_remove(&site->folder, &why);
	}
	operation_list_release(&list);
}

/* A folder that was made for it is of nobody. */
static int
operate_refuse_admission(struct site *site)
{
	struct error ignored;

	if (!site->cluster && site->manner->dry)
		folder_remove(&site->folder, &ignored);
	else if (!site->cluster)
		rmdir(site->folder.path); /* where it is empty: else it is somebody's */
	return -1;
}

static int
operate_undertake(struct site *site, const struct work_order *order, struct done *done, struct error *err)
{
	const struct life_move *move = life_find(order->action);

	if (site->cluster && operate_makes_cluster(order))
		return refuse_present(site, err);
	if (life_check(move, site->cluster ? site->cluster->status : LIFE_ABSENT, order->cluster, err) < 0)
		return -1;
	if (operate_plan(site, order, err) < 0 || (!site->manner->dry && operate_begin(site, order, err) < 0)) {
		operate_forget(site);
		return -1;
	}
	if (!site->manner->dry)
		return operate_put_and_follow(site, done, err);
	done->plan = folder_path(&site->operation, "plan.ndjson");
	done->scrap = memory_string(site->cluster ? site->operation.path : site->folder.path);
	if (preview_basis_take(site, &done->basis, err) < 0)
		return -1;
	return site->manner->save ? saved_plan_write(site, order, err) : 0;
}

int
operate(const struct work_order *order, const struct manner *manner, struct done *done, struct error *err)
{
	struct site site;
	int result = operate_open_for(&site, order, manner, err), resumed = 0;

	*done = (struct done){.basis = PREVIEW_BASIS_NONE};
	if (result >= 0) {
		done->name = memory_string(site.folder.name);
		resumed = operate_resume(&site, order, err);
	}
	if (resumed > 0)
		result = operate_follow(&site, done, err);
	else if (result >= 0 && resumed == 0 && order->admit && order->admit(&site, order->wish, err) < 0)
		result = operate_refuse_admission(&site);
	else if (resumed < 0 || (result > 0 && operate_make_way(&site, order, err) < 0))
		result = -1;
	else if (result >= 0)
		result = operate_undertake(&site, order, done, err);
	site_release(&site);
	return result;
}

/* What failed once may have been followed by what did not: then the cluster is put right without going on with anything. */
static int
operate_put_right(struct site *site, const struct work_order *anew, struct done *done, struct error *err)
{
	if (site->cluster->status != LIFE_INCONSISTENT || !anew->action)
		return error_set(err, EX_NO, "%s: its last operation has not failed: there is nothing to go on with",
		    site->cluster->name);
	site->manner->drive.notice("its last operation is complete, so all services are configured and started anew");
	return operate_undertake(site, anew, done, err);
}

int
operate_retry(const struct work_order *anew, const struct manner *manner, struct done *done, struct error *err)
{
	struct operation_list list = {0};
	struct site site;
	int result = site_open(&site, manner, anew->cluster, err);

	*done = (struct done){.basis = PREVIEW_BASIS_NONE};
	if (result >= 0) {
		done->name = memory_string(site.folder.name);
		result = operate_find_unfinished(&site, &list, err);
	}
	if (result > 0)
		result = begin_again(&site, &list.list[0], err) < 0 ? -1 : operate_follow(&site, done, err);
	else if (result == 0)
		result = operate_put_right(&site, anew, done, err);
	operation_list_release(&list);
	site_release(&site);
	return result;
}

void
done_release(struct done *done)
{
	free(done->name);
	free(done->job);
	free(done->plan);
	free(done->layout);
	free(done->scrap);
	preview_basis_release(&done->basis);
	*done = (struct done){.basis = PREVIEW_BASIS_NONE};
}
