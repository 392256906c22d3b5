/* SPDX-License-Identifier: Apache-2.0 */
#include "reconcile/mend.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "operation/operate.h"
#include "operation/prepare.h"
#include "probe/drift.h"
#include "probe/reach.h"
#include "reconcile/reconcile.h"
#include "reconcile/restraint.h"

static void
mend_tell(const struct manner *manner, int *worst, const struct error *err)
{
	manner->drive.notice(err->text);
	if (*worst == 0)
		*worst = err->code;
}

struct mending {
	const struct reconcile_wish *wish;
	struct restraint restraint;
	struct drift_list *drift;
	int worst;
};

enum remedy { REMEDY_NONE, REMEDY_RETRY, REMEDY_REPLACE, REMEDY_START, REMEDY_COUNT };

struct group { /* what has drifted in one cluster and is mended in the same way */
	const struct cluster_record *cluster;
	char id[CLUSTER_ID_SIZE];
	int64_t operation; /* the cluster's last, when this was found */
	struct string_list nodes, services; /* each once */
};

struct unchanged_wish { /* for mend_prepare_if_unchanged */
	int64_t operation;
	int (*prepare)(struct site *site, const void *wish, struct error *err);
	const void *wish;
};

/* Under the cluster's lock: another may have mended it since it was looked at. */
static int
mend_prepare_if_unchanged(struct site *site, const void *context, struct error *err)
{
	const struct unchanged_wish *wish = context;

	if (site->cluster->operation != wish->operation)
		return error_set(err, EX_TEMPFAIL,
		    "%s: something was done to it since it was looked at: it is left to the next run",
		    site->cluster->name);
	return wish->prepare(site, wish->wish, err);
}

/* Does it to a cluster of that tenant. The job, which the caller frees; NULL where it failed (in worst), where the cluster is
 * busy (told, where why is a mending), or goes on with what was begun. */
static char *
mend_undertake(const struct manner *manner, const char *tenant, struct work_order *order, int *worst)
{
	struct manner ours = *manner;
	struct done done;
	struct error err;
	char *job = NULL;

	ours.ask.tenant = tenant;
	if (operate(order, &ours, &done, &err) == 0)
		job = done.job ? memory_string(done.job) : NULL;
	else if (err.code != EX_TEMPFAIL)
		mend_tell(manner, worst, &err);
	else if (order->prepare == mend_prepare_if_unchanged)
		manner->drive.notice(err.text);
	done_release(&done);
	return job;
}

static void
mend_add_once(struct string_list *list, const char *text)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->list[i], text) == 0)
			return;
	list->list = memory_resize(list->list, list->count + 1, sizeof *list->list);
	list->list[list->count++] = text;
}

/* "coopr replace --dead 00000042 00000042-1000" */
static char *
mend_command_of(const char *verb, const struct group *group)
{
	struct buffer line = {0};

	buffer_printf(&line, "coopr %s %s", verb, group->id);
	for (size_t i = 0; i < group->nodes.count; i++)
		buffer_printf(&line, " %s", group->nodes.list[i]);
	for (size_t i = 0; i < group->services.count; i++)
		buffer_printf(&line, " %s", group->services.list[i]);
	return buffer_take(&line);
}

/* Has the mark that tells our mending from what others do. */
static char *
mend_so(struct mending *mending, const struct group *group, const char *action, const struct unchanged_wish *wish,
    const char *why)
{
	struct manner manner = mending->wish->manner;
	struct work_order order = {.action = action, .cluster = group->id, .prepare = mend_prepare_if_unchanged,
	    .wish = wish};
	const char *given = manner.ask.why;
	char *marked = memory_printf(given ? RESTRAINT_MARK "%s: %s" : RESTRAINT_MARK "%s", why, given);
	char *command = mend_command_of(strcmp(action, "replace") == 0 ? "replace --dead" : action, group), *job;

	manner.ask.why = marked;
	order.command = command;
	job = mend_undertake(&manner, group->cluster->tenant, &order, &mending->worst);
	free(command);
	free(marked);
	return job;
}

static char *
mend_replace(struct mending *mending, const struct group *group)
{
	const struct amend_wish wish = {.amendment = {.config = jv_invalid(), .replace = group->nodes}, .dead = group->nodes};
	const struct unchanged_wish unchanged = {group->operation, prepare_amend, &wish};

	return mend_so(mending, group, "replace", &unchanged, "its machine has vanished, or does not answer");
}

static char *
mend_start(struct mending *mending, const struct group *group)
{
	const struct action_wish wish = {.action = "start", .nodes = group->nodes, .services = group->services};
	const struct unchanged_wish unchanged = {group->operation, prepare_action, &wish};

	return mend_so(mending, group, "start", &unchanged, "it has stopped");
}

static char *
mend_retry(struct mending *mending, const struct group *group)
{
	const struct work_order last = {.cluster = group->id};
	struct manner manner = mending->wish->manner;
	struct done done;
	struct error err;
	char *job = NULL;

	manner.ask.tenant = group->cluster->tenant;
	if (operate_retry(&last, &manner, &done, &err) == 0)
		job = done.job ? memory_string(done.job) : NULL;
	else if (err.code != EX_TEMPFAIL)
		mend_tell(&manner, &mending->worst, &err);
	else
		manner.drive.notice(err.text);
	done_release(&done);
	return job;
}

static enum remedy
mend_remedy_of(const struct reconcile_wish *wish, const struct drift *drift)
{
	switch (drift->what) {
	case DRIFT_FAILED:
		return wish->retry ? REMEDY_RETRY : REMEDY_NONE;
	case DRIFT_VANISHED:
		return wish->repair && !drift->answers ? REMEDY_REPLACE : REMEDY_NONE;
	case DRIFT_UNREACHABLE:
		return wish->repair && wish->replace_after_ms >= 0 && clock_wall_ms() - drift->since_ms >= wish->replace_after_ms
		    ? REMEDY_REPLACE : REMEDY_NONE;
	case DRIFT_STOPPED:
		return wish->repair ? REMEDY_START : REMEDY_NONE;
	default:
		return REMEDY_NONE;
	}
}

/* How many machines of the same provider are to be replaced, in all clusters. */
static size_t
mend_going_at_provider(const struct mending *mending, const struct cluster_record *cluster)
{
	size_t count = 0;

	for (size_t i = 0; i < mending->drift->count; i++) {
		const struct drift *drift = &mending->drift->list[i];
		const struct cluster_record *of = drift->cluster ? reach_find(mending->restraint.reach, drift->cluster) : NULL;

		count += mend_remedy_of(mending->wish, drift) == REMEDY_REPLACE && of && of->provider && cluster->provider &&
		    strcmp(of->provider, cluster->provider) == 0 && strcmp(of->tenant, cluster->tenant) == 0;
	}
	return count;
}

static char *
mend_apply(struct mending *mending, const struct group *group, enum remedy remedy)
{
	const struct restraint *restraint = &mending->restraint;
	struct error err;

	if ((remedy == REMEDY_REPLACE && restraint_on_share(restraint, group->cluster, group->nodes.count,
	    mend_going_at_provider(mending, group->cluster), &err) < 0) || restraint_on_haste(restraint, group->cluster,
	    &err) < 0) {
		if (err.code == EX_TEMPFAIL)
			mending->wish->manner.drive.notice(err.text);
		else
			mend_tell(&mending->wish->manner, &mending->worst, &err);
		return NULL;
	}
	return remedy == REMEDY_RETRY ? mend_retry(mending, group) : remedy == REMEDY_REPLACE ? mend_replace(mending, group)
	                                                                                 : mend_start(mending, group);
}

/* Those of the drift from first to end that this remedy mends; whether it did. */
static bool
mend_with(struct mending *mending, size_t first, size_t end, enum remedy remedy)
{
	struct drift *list = mending->drift->list;
	struct group group = {.cluster = reach_find(mending->restraint.reach, list[first].cluster)};
	size_t count = 0;
	char *job = NULL;

	for (size_t i = first; i < end && group.cluster; i++) {
		if (mend_remedy_of(mending->wish, &list[i]) != remedy)
			continue;
		count++;
		group.operation = list[i].operation;
		if (list[i].node)
			mend_add_once(&group.nodes, list[i].node);
		if (list[i].service)
			mend_add_once(&group.services, list[i].service);
	}
	if (count) {
		cluster_id_text(group.cluster->id, group.id);
		job = mend_apply(mending, &group, remedy);
	}
	for (size_t i = first; i < end && job; i++)
		if (mend_remedy_of(mending->wish, &list[i]) == remedy)
			list[i].mended = arena_string(&mending->drift->arena, job);
	free(group.nodes.list);
	free(group.services.list);
	free(job);
	return job != NULL;
}

int
mend(struct account *account, const struct reconcile_wish *wish, const struct reach *reach, struct drift_list *drift)
{
	struct mending mending = {wish, {account, reach, wish->max_gone}, drift, 0};
	size_t end;

	for (size_t i = 0; i < drift->count; i = end) {
		bool done = false;

		for (end = i; end < drift->count && drift->list[end].cluster == drift->list[i].cluster; end++)
			;
		for (int remedy = REMEDY_NONE + 1; remedy < REMEDY_COUNT && drift->list[i].cluster && !done; remedy++)
			done = mend_with(&mending, i, end, (enum remedy)remedy);
	}
	return mending.worst;
}

/* Whether somebody deletes it already; what else is under way has to give way. */
static bool
mend_is_going(struct account *account, const struct cluster_record *cluster)
{
	struct operation_list list = {0};
	struct error ignored; /* then the attempt to delete it will tell */
	bool going = cluster->status == LIFE_PENDING && operation_last(account, cluster->id, &list, &ignored) > 0 &&
	    list.list[0].status < OPERATION_COMPLETE && strcmp(list.list[0].action, "delete") == 0;

	operation_list_release(&list);
	return going;
}

static void
mend_delete_cluster(const struct manner *manner, const struct cluster_record *cluster, int *worst)
{
	const struct action_wish wish = {.action = "delete"};
	struct work_order order = {.action = "delete", .prepare = prepare_action, .wish = &wish, .preempts = true};
	struct manner ours = *manner;
	char id[CLUSTER_ID_SIZE], *command, *job;

	order.cluster = cluster_id_text(cluster->id, id);
	command = memory_printf("coopr delete --yes %s", id);
	order.command = command;
	if (!ours.ask.why)
		ours.ask.why = "its lease has ended";
	job = mend_undertake(&ours, cluster->tenant, &order, worst);
	free(command);
	if (job) {
		char *text = memory_printf("%s: its lease has ended: job %s deletes it", cluster->name, job);

		manner->drive.notice(text);
		free(text);
	}
	free(job);
}

int
mend_leases(struct account *account, const struct manner *manner, const struct reach *reach, struct error *err)
{
	const struct cluster_filter ended = {.everywhere = true, .by_number = true, .expired_ms = clock_wall_ms()};
	struct cluster_list list = {0};
	int worst = 0;

	if (clusters_list(account, &ended, &list, err) < 0)
		worst = -1;
	for (size_t i = 0; i < list.count && worst >= 0; i++)
		if (reach_has(reach, list.list[i].id) && !mend_is_going(account, &list.list[i]))
			mend_delete_cluster(manner, &list.list[i], &worst);
	cluster_list_release(&list);
	return worst;
}
