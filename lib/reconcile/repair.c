/* SPDX-License-Identifier: Apache-2.0 */
#include "reconcile/repair.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "cluster/protection.h"
#include "model/name.h"
#include "operation/operate.h"
#include "prepare/prepare.h"
#include "prepare/unfinished-creation.h"
#include "probe/drift.h"
#include "reconcile/reconcile.h"
#include "reconcile/repair-limits.h"
#include "reconcile/repair-undertake.h"
#include "reconcile/scope.h"

struct repairs {
	const struct reconcile_options *parameters;
	struct repair_limits limits;
	struct drift_list *drift;
	int worst;
};

enum remedy { REMEDY_NONE, REMEDY_RETRY, REMEDY_REPLACE, REMEDY_START };

struct group { /* drift of one cluster that has the same remedy */
	const struct cluster_record *cluster;
	char id[CLUSTER_ID_SIZE];
	int64_t operation; /* the cluster's last, when this was found */
	struct string_list nodes, services; /* each once */
	bool restores; /* data that is lost with a machine is restored then */
};

struct unchanged_parameters { /* for repair_prepare_if_unchanged */
	int64_t operation;
	int (*prepare)(struct operation_context *context, const void *parameters, struct error *err);
	const void *parameters;
};

/* Prepares the operation if, under the lock, the cluster is still what it was: another process may have repaired it. */
static int
repair_prepare_if_unchanged(struct operation_context *context, const void *data, struct error *err)
{
	const struct unchanged_parameters *parameters = data;

	if (context->cluster->operation != parameters->operation)
		return error_set(err, EX_TEMPFAIL,
		    "%s: the cluster has changed since it was checked; the next run checks it again",
		    context->cluster->name);
	return parameters->prepare(context, parameters->parameters, err);
}

static void
repair_add_once(struct string_list *list, const char *text)
{
	if (name_list_has(list, text))
		return;
	list->list = memory_resize(list->list, list->count + 1, sizeof *list->list);
	list->list[list->count++] = text;
}

/* Begins the replacement of the group's nodes, or the start of its services, and returns the job as repair_undertake does.
 * The message has the mark that tells our repairs from operations of others. */
static char *
repair_begin(struct repairs *repairs, const struct group *group, enum remedy remedy, struct error *err)
{
	const struct amend_parameters replace = {.amendment = {.config = jv_invalid(), .replace = group->nodes}, .dead = group->nodes};
	const struct action_parameters start = {.action = "start", .nodes = group->nodes, .services = group->services};
	const bool replaces = remedy == REMEDY_REPLACE;
	const struct unchanged_parameters unchanged = {group->operation, replaces ? prepare_amend : prepare_action,
	    replaces ? (const void *)&replace : &start};
	struct operation_request request = {.action = replaces ? "replace" : "start", .cluster = group->id,
	    .prepare = repair_prepare_if_unchanged, .parameters = &unchanged};
	struct operation_options options = repairs->parameters->options;
	const char *why = group->restores ? PROTECTION_REPLACED : replaces ? REPAIR_LIMITS_MARK "its machine has vanished, or does not answer"
	    : REPAIR_LIMITS_MARK "it has stopped", *given = options.ask.why;
	char *marked = memory_printf(given ? "%s: %s" : "%s", why, given), *job;
	struct buffer command = {0};

	buffer_printf(&command, "coopr %s %s", replaces ? "replace --dead" : "start", group->id);
	for (size_t i = 0; i < group->nodes.count; i++)
		buffer_printf(&command, " %s", group->nodes.list[i]);
	for (size_t i = 0; i < group->services.count; i++)
		buffer_printf(&command, " %s", group->services.list[i]);
	options.ask.why = marked;
	options.discard_data = group->restores;
	request.command = command.data;
	job = repair_undertake(&options, group->cluster->tenant, &request, &repairs->worst, err);
	buffer_release(&command);
	free(marked);
	return job;
}

static enum remedy
repair_remedy_of(const struct reconcile_options *parameters, const struct drift *drift)
{
	if (drift->keeps)
		return REMEDY_NONE;
	switch (drift->what) {
	case DRIFT_FAILED:
		return parameters->retry ? REMEDY_RETRY : REMEDY_NONE;
	case DRIFT_VANISHED:
		return parameters->repair && !drift->answers ? REMEDY_REPLACE : REMEDY_NONE;
	case DRIFT_UNREACHABLE:
		if (parameters->repair && drift->revives)
			return REMEDY_REPLACE; /* it will never answer again */
		return parameters->repair && parameters->replace_after_ms >= 0 &&
		    clock_wall_ms() - drift->since_ms >= parameters->replace_after_ms ? REMEDY_REPLACE : REMEDY_NONE;
	case DRIFT_STOPPED:
		return parameters->repair && !drift->waits_for && !drift->starts_not ? REMEDY_START : REMEDY_NONE;
	default:
		return REMEDY_NONE;
	}
}

/* Counts the machines of the same provider that are to be replaced, in all clusters. */
static size_t
repair_going_at_provider(const struct repairs *repairs, const struct cluster_record *cluster)
{
	size_t count = 0;

	for (size_t i = 0; i < repairs->drift->count; i++) {
		const struct drift *drift = &repairs->drift->list[i];
		const struct cluster_record *of = drift->cluster ? reconcile_scope_find(repairs->limits.scope, drift->cluster) : NULL;

		count += repair_remedy_of(repairs->parameters, drift) == REMEDY_REPLACE && of && of->provider && cluster->provider &&
		    strcmp(of->provider, cluster->provider) == 0 && strcmp(of->tenant, cluster->tenant) == 0;
	}
	return count;
}

/* Fails where no machine comes for one of the incomplete cluster without a person's word: it is being deleted, or its creation was
 * cancelled. */
static int
repair_check_creation(struct account *account, const struct group *group, struct error *err)
{
	struct operation_list list = {0};
	const char *name = group->cluster->name;
	int result = operation_last(account, group->cluster->id, &list, err);

	if (result > 0)
		result = unfinished_creation_check(name, &list.list[0], err);
	if (result == 0 && list.count && list.list[0].status == OPERATION_CANCELLED)
		result = error_set(err, EX_TEMPFAIL, "%s: its creation was cancelled (job %s); coopr replace --dead %s %s continues it with a new machine, "
		    "coopr delete %s removes the cluster", name, list.list[0].job, name, group->nodes.list[0], name);
	operation_list_release(&list);
	return result;
}

/* Begins the remedy and returns the job; NULL with a reason where that is not possible now. */
static char *
repair_apply(struct repairs *repairs, const struct group *group, enum remedy remedy, struct error *err)
{
	const struct repair_limits *limits = &repairs->limits;
	const struct operation_options *options = &repairs->parameters->options;
	const struct operation_request retry = {.cluster = group->id};

	if (remedy == REMEDY_REPLACE && group->cluster->status == LIFECYCLE_INCOMPLETE && repair_check_creation(limits->account, group, err) < 0)
		return NULL;
	if (remedy == REMEDY_REPLACE && (repair_limits_on_identity(limits, group->cluster, err) < 0 || repair_limits_on_share(limits,
	    group->cluster, group->nodes.count, repair_going_at_provider(repairs, group->cluster), err) < 0))
		return NULL;
	return remedy == REMEDY_RETRY ? repair_undertake(options, group->cluster->tenant, &retry, &repairs->worst, err)
	                              : repair_begin(repairs, group, remedy, err);
}

/* Returns whether the drift has that remedy, and may be repaired so soon again; where it may not, notes why. */
static bool
repair_is_due(struct repairs *repairs, struct drift *drift, const struct cluster_record *cluster, enum remedy remedy)
{
	const struct operation_options *options = &repairs->parameters->options;
	struct error err;
	int result;

	if (repair_remedy_of(repairs->parameters, drift) != remedy)
		return false;
	result = remedy == REMEDY_RETRY ? repair_limits_on_retry(&repairs->limits, cluster, &err)
	    : repair_limits_on_haste(&repairs->limits, cluster, drift->node, remedy == REMEDY_START ? drift->service : "", &err);
	if (result < 0 && err.code != EX_TEMPFAIL)
		operation_warn(options, &repairs->worst, &err);
	if (result < 0)
		drift->note = arena_string(&repairs->drift->arena, err.text);
	return result == 0;
}

/* Notes what became of the drift that was to be repaired: its job, or why there is none. */
static void
repair_note(struct repairs *repairs, struct drift *drift, const struct group *group, const char *job, const struct error *why)
{
	struct arena *arena = &repairs->drift->arena;
	struct error err;

	if (!job) {
		drift->note = arena_string(arena, why->text);
		return;
	}
	drift->repair = arena_string(arena, job);
	drift->stage = DRIFT_IN_PROGRESS;
	if (drift->node && repair_limits_record(&repairs->limits, group->cluster, drift->node, drift->what == DRIFT_STOPPED ? drift->service
	    : "", job, &err) < 0)
		operation_warn(&repairs->parameters->options, &repairs->worst, &err);
}

/* Repairs that part of the drift from first to end which has this remedy; returns whether an operation was begun. */
static bool
repair_with(struct repairs *repairs, size_t first, size_t end, const struct cluster_record *cluster, enum remedy remedy)
{
	struct drift *list = repairs->drift->list;
	struct group group = {.cluster = cluster};
	bool *due = memory_zeroed(end - first, sizeof *due);
	struct error why;
	size_t count = 0;
	char *job = NULL;

	for (size_t i = first; i < end; i++) {
		if (!(due[i - first] = repair_is_due(repairs, &list[i], group.cluster, remedy)))
			continue;
		count++;
		group.operation = list[i].operation;
		group.restores = group.restores || list[i].restores;
		if (list[i].node)
			repair_add_once(&group.nodes, list[i].node);
		if (list[i].service)
			repair_add_once(&group.services, list[i].service);
	}
	if (count) {
		cluster_id_text(group.cluster->id, group.id);
		job = repair_apply(repairs, &group, remedy, &why);
	}
	for (size_t i = first; i < end && count; i++)
		if (due[i - first])
			repair_note(repairs, &list[i], &group, job, &why);
	free(group.nodes.list);
	free(group.services.list);
	free(due);
	free(job);
	return job != NULL;
}

void
repair_outcomes(struct account *account, struct drift_list *drift)
{
	static const enum drift_stage stages[] = {DRIFT_IN_PROGRESS, DRIFT_IN_PROGRESS, DRIFT_REPAIRED, DRIFT_REPAIR_FAILED,
		DRIFT_REPAIR_FAILED, DRIFT_REPAIR_FAILED};

	for (size_t i = 0; i < drift->count; i++) {
		struct drift *one = &drift->list[i];
		struct operation_list list = {0};
		struct error ignored; /* then it is not known to be over */

		if (one->stage == DRIFT_IN_PROGRESS && operation_find(account, one->cluster, repair_limits_number(one->repair), &list,
		    &ignored) == 0)
			one->stage = stages[list.list[0].status];
		operation_list_release(&list);
	}
}

bool
repair_goes_on(const struct reconcile_options *parameters, const struct drift_list *drift, size_t first, size_t end)
{
	bool repaired = false, waits = false;

	for (size_t i = first; i < end; i++) {
		struct drift freed = drift->list[i];

		freed.waits_for = NULL;
		repaired = repaired || freed.stage == DRIFT_REPAIRED;
		waits = waits || (freed.stage == DRIFT_LEFT && !freed.note && repair_remedy_of(parameters, &freed) != REMEDY_NONE);
	}
	return repaired && waits;
}

/* Repairs that part of the drift by the first remedy that works. A creation that lacks a machine fails again as long as it does: it is
 * replaced first. */
static void
repair_cluster(struct repairs *repairs, size_t first, size_t end, const struct cluster_record *cluster)
{
	static const enum remedy usual[] = {REMEDY_RETRY, REMEDY_REPLACE, REMEDY_START},
	    creation[] = {REMEDY_REPLACE, REMEDY_RETRY, REMEDY_START};
	const enum remedy *order = cluster->status == LIFECYCLE_INCOMPLETE ? creation : usual;
	bool done = false;

	for (size_t i = 0; i < sizeof usual / sizeof *usual && !done; i++)
		done = repair_with(repairs, first, end, cluster, order[i]);
}

int
repair(struct account *account, const struct reconcile_options *parameters, const struct reconcile_scope *scope,
    struct drift_list *drift)
{
	struct repairs repairs = {parameters, {account, scope, parameters->max_gone}, drift, 0};
	size_t end;

	for (size_t i = 0; i < drift->count; i = end) {
		const struct cluster_record *cluster = drift->list[i].cluster ? reconcile_scope_find(scope, drift->list[i].cluster) : NULL;

		for (end = i; end < drift->count && drift->list[end].cluster == drift->list[i].cluster; end++)
			;
		if (cluster)
			repair_cluster(&repairs, i, end, cluster);
	}
	return repairs.worst;
}
