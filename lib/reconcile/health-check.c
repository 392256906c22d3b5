/* SPDX-License-Identifier: Apache-2.0 */
#include "reconcile/health-check.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/names.h"
#include "cluster/observation.h"
#include "model/layout.h"
#include "probe/drift.h"
#include "probe/observe.h"
#include "probe/probe.h"
#include "reconcile/reconcile.h"
#include "reconcile/scope.h"
#include "reconcile/waiting.h"
#include "status/status.h"

struct health_check {
	struct account *account;
	const struct reconcile_options *parameters;
	const struct reconcile_scope *scope;
	struct drift_list *drift;
	struct names vanished; /* the nodes of the first entries of drift */
	size_t next;           /* of the clusters */
	size_t next_vanished;
	struct probed_cluster *newest; /* of those that are being asked */
	int worst;
};

struct probed_cluster { /* a cluster that is being asked */
	struct probe_subject subject;
	const struct cluster_record *cluster;
	enum probe_scope *scopes;
	struct drift_list found;
	struct observations seen;
	struct probed_cluster *older;
};

static void
health_check_probed_free(struct probed_cluster *probed)
{
	layout_release(&probed->subject.layout);
	drift_release(&probed->found);
	observations_release(&probed->seen);
	free(probed->scopes);
	free(probed);
}

/* Returns whether a machine of the cluster vanished. Clusters come in the order of their numbers. */
static bool
health_check_has_vanished(struct health_check *check, int64_t cluster)
{
	while (check->next_vanished < check->vanished.count && check->drift->list[check->next_vanished].cluster < cluster)
		check->next_vanished++;
	return check->next_vanished < check->vanished.count && check->drift->list[check->next_vanished].cluster == cluster;
}

/* Begins to ask a cluster: of a machine that vanished only whether it answers, of the others all, if they are to be asked. */
static struct probed_cluster *
health_check_begin_cluster(struct health_check *check, const struct cluster_record *cluster)
{
	struct cluster_documents documents = {0};
	struct probed_cluster *probed = memory_zeroed(1, sizeof *probed);
	struct layout *layout = &probed->subject.layout;
	struct error err;
	int result = clusters_documents(check->account, cluster->id, &documents, &err);

	probed->cluster = cluster;
	probed->subject.owner = probed;
	if (result == 0)
		result = layout_parse_text(documents.layout ? documents.layout : "", layout, &err);
	cluster_documents_release(&documents);
	if (result < 0) {
		error_prefix(&err, "%s: cannot be asked", cluster->name);
		operation_warn(&check->parameters->options, &check->worst, &err);
		health_check_probed_free(probed);
		return NULL;
	}
	probed->scopes = memory_zeroed(layout->node_count, sizeof *probed->scopes);
	for (size_t i = 0; i < layout->node_count; i++)
		probed->scopes[i] = names_find(&check->vanished, layout->nodes[i].id) != NAMES_NONE ? PROBE_MACHINE
		    : check->parameters->probe ? PROBE_ALL : PROBE_NOTHING;
	probed->subject.scopes = probed->scopes;
	probed->older = check->newest;
	check->newest = probed;
	return probed;
}

static struct probe_subject *
health_check_next(void *context)
{
	struct health_check *check = context;
	struct probed_cluster *probed = NULL;

	while (!probed && check->next < check->scope->clusters.count) {
		const struct cluster_record *cluster = &check->scope->clusters.list[check->next++];

		if (cluster->nodes > 0 && (health_check_has_vanished(check, cluster->id) || check->parameters->probe))
			probed = health_check_begin_cluster(check, cluster);
	}
	return probed ? &probed->subject : NULL;
}

static void
health_check_found(void *context, struct probe_subject *subject, const struct probe_finding *finding)
{
	struct health_check *check = context;
	struct probed_cluster *probed = subject->owner;
	const struct cluster_record *cluster = probed->cluster;
	struct drift drift = {.cluster = cluster->id, .operation = cluster->operation, .tenant = cluster->tenant,
	    .name = cluster->name};
	int vanished = names_find(&check->vanished, finding->node->id);

	if (vanished == NAMES_NONE || finding->answer == PROBE_YES)
		observe_finding(&probed->seen, finding, "reconcile");
	if (vanished != NAMES_NONE && finding->answer == PROBE_YES) {
		check->drift->list[vanished].answers = true;
		check->drift->list[vanished].message = "its provider does not list it, but it answers";
	} else if (vanished == NAMES_NONE && finding->answer != PROBE_YES) {
		drift_of_finding(finding, &drift);
		drift_add(&probed->found, &drift);
	}
}

/* Records what was seen, and dates machines that do not answer: since the first time that they did not, where none has asked them
 * with success since. */
static void
health_check_record(struct health_check *check, struct probed_cluster *probed)
{
	struct store *store = check->account->store;
	struct observations recorded = {0};
	struct error err;

	if (observations_record(store, probed->cluster->id, probed->cluster->revision, &probed->seen, &err) < 0 ||
	    observations_read(store, probed->cluster->id, &recorded, &err) < 0)
		operation_warn(&check->parameters->options, &check->worst, &err);
	for (size_t i = 0; i < probed->found.count; i++) {
		struct drift *drift = &probed->found.list[i];
		const struct observation *machine = observations_find(&recorded, drift->node, "");

		if (drift->what == DRIFT_UNREACHABLE)
			drift->since_ms = machine && machine->answer == OBSERVATION_UNREACHABLE ? machine->since_ms : clock_wall_ms();
	}
	observations_release(&recorded);
}

/* Records that machines of a cluster are gone, drift first to end, and with them what was on them. */
static void
health_check_record_gone(struct health_check *check, size_t first, size_t end)
{
	const struct drift *list = check->drift->list;
	const struct cluster_record *cluster = reconcile_scope_find(check->scope, list[first].cluster);
	struct observations known = {0}, gone = {0};
	struct error err;
	int result = cluster ? observations_read(check->account->store, cluster->id, &known, &err) : 0;

	for (size_t i = first; i < end; i++) {
		struct observation machine = {.node = list[i].node, .service = "", .answer = OBSERVATION_GONE, .by = "reconcile",
		    .message = list[i].message ? list[i].message : "its provider does not list it", .observed_ms = clock_wall_ms()};

		if (list[i].answers)
			continue;
		observations_set(&gone, &machine);
		for (size_t k = 0; k < known.count; k++) {
			machine.service = known.list[k].service;
			if (strcmp(known.list[k].node, machine.node) == 0)
				observations_set(&gone, &machine);
		}
	}
	if (result == 0 && cluster)
		result = observations_record(check->account->store, cluster->id, cluster->revision, &gone, &err);
	if (result < 0)
		operation_warn(&check->parameters->options, &check->worst, &err);
	observations_release(&known);
	observations_release(&gone);
}

static void
health_check_record_all_gone(struct health_check *check)
{
	size_t end;

	for (size_t first = 0; first < check->vanished.count; first = end) {
		for (end = first; end < check->vanished.count && check->drift->list[end].cluster == check->drift->list[first].cluster; end++)
			;
		health_check_record_gone(check, first, end);
	}
}

/* Returns whether the cluster is still what it was when it was asked. */
static bool
health_check_is_unchanged(struct health_check *check, const struct cluster_record *before)
{
	struct cluster_list list = {0};
	struct error err;
	bool same = clusters_find_id(check->account, before->id, &list, &err) == 0 && reconcile_scope_is_unchanged(before, &list.list[0]);

	cluster_list_release(&list);
	return same;
}

static void
health_check_end_cluster(struct health_check *check, struct probed_cluster *probed)
{
	struct probed_cluster **link = &check->newest;

	while (*link != probed)
		link = &(*link)->older;
	*link = probed->older;
	health_check_probed_free(probed);
}

/* An observation of a cluster that is being changed is recorded, but is no fault: an operation is at work on it. */
static void
health_check_over(void *context, struct probe_subject *subject)
{
	struct health_check *check = context;
	struct probed_cluster *probed = subject->owner;

	if (check->parameters->probe && probed->cluster->status == LIFECYCLE_PENDING) {
		health_check_record(check, probed);
	} else if (check->parameters->probe && health_check_is_unchanged(check, probed->cluster)) {
		health_check_record(check, probed);
		waiting_mark(&probed->subject.layout, &probed->found);
		reconcile_scope_set_probed(check->scope, probed->cluster);
		for (size_t i = 0; i < probed->found.count; i++)
			drift_add(check->drift, &probed->found.list[i]);
	}
	health_check_end_cluster(check, probed);
}

static void
health_check_add_failed(struct health_check *check)
{
	for (size_t i = 0; i < check->scope->clusters.count; i++) {
		const struct cluster_record *cluster = &check->scope->clusters.list[i];

		if (cluster->status == LIFECYCLE_INCOMPLETE || cluster->status == LIFECYCLE_INCONSISTENT)
			drift_add(check->drift, &(struct drift){.what = DRIFT_FAILED, .cluster = cluster->id,
			    .operation = cluster->operation, .tenant = cluster->tenant, .name = cluster->name,
			    .message = cluster->message ? cluster->message : lifecycle_status_name(cluster->status)});
	}
}

int
health_check(struct account *account, const struct reconcile_options *parameters, const struct reconcile_scope *scope,
    struct drift_list *drift, struct error *err)
{
	struct health_check check = {.account = account, .parameters = parameters, .scope = scope, .drift = drift};
	const struct probe_options ask = {(size_t)parameters->options.runner.workers, parameters->timeout_s, health_check_next,
	    health_check_found, health_check_over, &check};
	int result = 0;

	for (size_t i = 0; i < drift->count && drift->list[i].what == DRIFT_VANISHED; i++)
		names_intern(&check.vanished, drift->list[i].node);
	if (parameters->probe || (parameters->repair && check.vanished.count))
		result = probe(&ask, err);
	while (check.newest)
		health_check_end_cluster(&check, check.newest);
	health_check_record_all_gone(&check);
	health_check_add_failed(&check);
	names_release(&check.vanished);
	return result < 0 ? -1 : check.worst;
}
