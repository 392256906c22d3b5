/* SPDX-License-Identifier: Apache-2.0 */
#include "reconcile/reconcile.h"

#include "base/error.h"
#include "hook/hook.h"
#include "operation/settle.h"
#include "probe/examine.h"
#include "probe/reach.h"
#include "reconcile/compare.h"
#include "reconcile/mend.h"
#include "reconcile/remind.h"
#include "reconcile/sweep.h"

static void
reconcile_tell(const struct reconcile_wish *wish, int *worst, const struct error *err)
{
	wish->manner.drive.notice(err->text);
	if (*worst == 0)
		*worst = err->code;
}

/* Keeps the worst of two codes; -1 is one whose reason is still to be told. */
static void
reconcile_add(const struct reconcile_wish *wish, int *worst, int code, const struct error *err)
{
	if (code < 0)
		reconcile_tell(wish, worst, err);
	else if (*worst == 0)
		*worst = code;
}

/* What is under way still goes on here where nobody else is to do it; that a job fails is what the store says then. */
static int
reconcile_settle_one(const struct reconcile_wish *wish, const struct operation *operation, struct error *err)
{
	char id[CLUSTER_ID_SIZE];
	struct error failure;
	struct chain chain;
	struct site site;
	int result = site_open(&site, &wish->manner, cluster_id_text(operation->cluster, id), err);

	if (result > 0 && !wish->manner.detach) {
		chain = (struct chain){wish->manner.drive, &site.operation, operation->job};
		if (chain_follow(&chain, &failure) < 0 && failure.code > 128) {
			*err = failure;
			result = -1;
		} else {
			result = settle_cluster(&site, err);
		}
	}
	site_release(&site);
	return result < 0 && err->code != EX_TEMPFAIL && err->code != EX_NO ? -1 : 0;
}

static int
reconcile_settle_all(const struct reconcile_wish *wish, struct account *account, const struct reach *reach,
    struct error *err)
{
	struct operation_list list = {0};
	struct error failure;
	int worst = 0;

	if (operations_open(account, &list, err) < 0)
		worst = -1;
	for (size_t i = 0; i < list.count && worst >= 0 && worst <= 128; i++)
		if (reach_has(reach, list.list[i].cluster) && reconcile_settle_one(wish, &list.list[i], &failure) < 0)
			reconcile_tell(wish, &worst, &failure);
	operation_list_release(&list);
	return worst;
}

/* What there is, compared with what is recorded: in whole, or not at all. */
static int
reconcile_look(const struct reconcile_wish *wish, struct account *account, struct reach *reach, struct drift_list *drift,
    struct error *err)
{
	int worst = 0, found;

	if (reach_list(reach, account, err) < 0)
		return -1;
	reconcile_add(wish, &worst, compare(account, &wish->manner, reach, drift, err), err);
	found = examine(account, wish, reach, drift, err);
	drift_sort(drift);
	if (found < 0)
		return -1;
	reconcile_add(wish, &worst, found, err);
	return worst;
}

static int
reconcile_mend_all(const struct reconcile_wish *wish, struct account *account, const struct reach *reach,
    struct drift_list *drift)
{
	int worst = wish->repair || wish->retry ? mend(account, wish, reach, drift) : 0;
	int unowned = wish->delete_unowned ? mend_unowned(account, wish, reach, drift) : 0;

	return worst ? worst : unowned;
}

static int
reconcile_begin(const struct reconcile_wish *wish, struct account *account, struct reach *reach, struct error *err)
{
	if (account_open(account, &wish->manner.ask, STORE_CREATE, err) < 0)
		return -1;
	if (account_need(account, ACCOUNT_SUPERADMIN, "reconciling the clusters of all tenants", err) < 0)
		return -1;
	return reach_init(reach, account, &wish->clusters, err);
}

int
reconcile(const struct reconcile_wish *wish, struct drift_list *drift, struct error *err)
{
	struct reach reach = {0};
	struct account account;
	struct hook_count told;
	int worst = 0, looked;

	if (reconcile_begin(wish, &account, &reach, err) < 0) {
		reach_release(&reach);
		account_release(&account);
		return -1;
	}
	reconcile_add(wish, &worst, reconcile_settle_all(wish, &account, &reach, err), err);
	reconcile_add(wish, &worst, mend_leases(&account, &wish->manner, &reach, err), err);
	reconcile_add(wish, &worst, remind(&account, &reach, wish->remind_ms, wish->manner.drive.notice, err), err);
	reconcile_add(wish, &worst, hook_deliver(0, &told, err), err);
	looked = reconcile_look(wish, &account, &reach, drift, err);
	reconcile_add(wish, &worst, looked, err);
	if (looked >= 0)
		reconcile_add(wish, &worst, reconcile_mend_all(wish, &account, &reach, drift), err);
	if (reach.all)
		reconcile_add(wish, &worst, sweep(&account, err), err);
	reach_release(&reach);
	account_release(&account);
	return worst;
}
