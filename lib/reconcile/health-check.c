/* SPDX-License-Identifier: Apache-2.0 */
#include "reconcile/health-check.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/names.h"
#include "cluster/unreachable.h"
#include "model/layout.h"
#include "probe/drift.h"
#include "probe/probe.h"
#include "reconcile/reconcile.h"
#include "reconcile/scope.h"
#include "status/status.h"

struct examination {
	struct account *account;
	const struct reconcile_options *parameters;
	const struct reconcile_scope *scope;
	struct drift_list *drift;
	struct names vanished; /* the nodes of the first entries of drift */
	size_t next;           /* of the clusters */
	size_t next_vanished;
	struct patient *newest; /* of those that are being asked */
	int worst;
};

struct patient { /* a cluster that is being asked */
	struct probe_subject subject;
	const struct cluster_record *cluster;
	enum probe_scope *scopes;
	struct drift_list found;
	struct patient *older;
};

static void
health_check_warn(struct examination *e, const struct error *err)
{
	e->parameters->options.runner.notice(err->text);
	if (e->worst == 0)
		e->worst = err->code;
}

static void
health_check_patient_free(struct patient *patient)
{
	layout_release(&patient->subject.layout);
	drift_release(&patient->found);
	free(patient->scopes);
	free(patient);
}

/* Returns whether a machine of the cluster vanished. Clusters come in the order of their numbers. */
static bool
health_check_has_vanished(struct examination *e, int64_t cluster)
{
	while (e->next_vanished < e->vanished.count && e->drift->list[e->next_vanished].cluster < cluster)
		e->next_vanished++;
	return e->next_vanished < e->vanished.count && e->drift->list[e->next_vanished].cluster == cluster;
}

static void
health_check_choose_scopes(const struct examination *e, struct patient *patient)
{
	const struct layout *layout = &patient->subject.layout;

	patient->scopes = memory_zeroed(layout->node_count, sizeof *patient->scopes);
	for (size_t i = 0; i < layout->node_count; i++)
		patient->scopes[i] = names_find(&e->vanished, layout->nodes[i].id) != NAMES_NONE ? PROBE_MACHINE
		    : e->parameters->probe ? PROBE_ALL : PROBE_NOTHING;
	patient->subject.scopes = patient->scopes;
}

static struct patient *
health_check_admit(struct examination *e, const struct cluster_record *cluster)
{
	struct cluster_documents documents = {0};
	struct patient *patient = memory_zeroed(1, sizeof *patient);
	struct error err;
	int result = clusters_documents(e->account, cluster->id, &documents, &err);

	patient->cluster = cluster;
	patient->subject.owner = patient;
	if (result == 0)
		result = layout_parse_text(documents.layout ? documents.layout : "", &patient->subject.layout, &err);
	cluster_documents_release(&documents);
	if (result == 0) {
		health_check_choose_scopes(e, patient);
		patient->older = e->newest;
		e->newest = patient;
		return patient;
	}
	error_prefix(&err, "%s: cannot be asked", cluster->name);
	health_check_warn(e, &err);
	health_check_patient_free(patient);
	return NULL;
}

static struct probe_subject *
health_check_next(void *context)
{
	struct examination *e = context;
	struct patient *patient = NULL;

	while (!patient && e->next < e->scope->clusters.count) {
		const struct cluster_record *cluster = &e->scope->clusters.list[e->next++];

		if (cluster->status != LIFE_PENDING && cluster->nodes > 0 && (health_check_has_vanished(e, cluster->id) ||
		    e->parameters->probe))
			patient = health_check_admit(e, cluster);
	}
	return patient ? &patient->subject : NULL;
}

static void
health_check_found(void *context, struct probe_subject *subject, const struct probe_finding *finding)
{
	struct examination *e = context;
	struct patient *patient = subject->owner;
	const struct cluster_record *cluster = patient->cluster;
	struct drift drift = {.cluster = cluster->id, .operation = cluster->operation, .tenant = cluster->tenant,
	    .name = cluster->name};
	int vanished = names_find(&e->vanished, finding->node->id);

	if (vanished != NAMES_NONE && finding->answer == PROBE_YES) {
		e->drift->list[vanished].answers = true;
		e->drift->list[vanished].message = "its provider does not list it, but it answers";
	} else if (vanished == NAMES_NONE && finding->answer != PROBE_YES) {
		drift_of_finding(finding, &drift);
		drift_add(&patient->found, &drift);
	}
}

/* Dates machines that do not answer: since the first time that they did not, where none has asked them with success since. */
static void
health_check_date_silence(struct examination *e, struct patient *patient)
{
	struct unreachable now = {0}, was = {0};
	struct error err;

	if (unreachable_read(e->account->store, patient->cluster->id, &was, &err) < 0)
		health_check_warn(e, &err);
	for (size_t i = 0; i < patient->found.count; i++) {
		struct drift *drift = &patient->found.list[i];

		if (drift->what != DRIFT_UNREACHABLE)
			continue;
		drift->since_ms = unreachable_since(&was, drift->node);
		if (drift->since_ms == 0)
			drift->since_ms = clock_wall_ms();
		unreachable_add(&now, drift->node, drift->since_ms);
	}
	if (unreachable_record(e->account->store, patient->cluster->id, &was, &now, &err) < 0)
		health_check_warn(e, &err);
	unreachable_release(&now);
	unreachable_release(&was);
}

/* Returns whether the cluster is still what it was when it was asked. */
static bool
health_check_is_unchanged(struct examination *e, const struct cluster_record *before)
{
	struct cluster_list list = {0};
	struct error err;
	bool same = clusters_find_id(e->account, before->id, &list, &err) == 0 && reconcile_scope_is_unchanged(before, &list.list[0]);

	cluster_list_release(&list);
	return same;
}

static void
health_check_discharge(struct examination *e, struct patient *patient)
{
	struct patient **link = &e->newest;

	while (*link != patient)
		link = &(*link)->older;
	*link = patient->older;
	health_check_patient_free(patient);
}

static void
health_check_over(void *context, struct probe_subject *subject)
{
	struct examination *e = context;
	struct patient *patient = subject->owner;

	if (e->parameters->probe && health_check_is_unchanged(e, patient->cluster)) {
		health_check_date_silence(e, patient);
		for (size_t i = 0; i < patient->found.count; i++)
			drift_add(e->drift, &patient->found.list[i]);
	}
	health_check_discharge(e, patient);
}

static void
health_check_add_failed(struct examination *e)
{
	for (size_t i = 0; i < e->scope->clusters.count; i++) {
		const struct cluster_record *cluster = &e->scope->clusters.list[i];

		if (cluster->status == LIFE_INCOMPLETE || cluster->status == LIFE_INCONSISTENT)
			drift_add(e->drift, &(struct drift){.what = DRIFT_FAILED, .cluster = cluster->id,
			    .operation = cluster->operation, .tenant = cluster->tenant, .name = cluster->name,
			    .message = cluster->message ? cluster->message : life_status_name(cluster->status)});
	}
}

int
health_check(struct account *account, const struct reconcile_options *parameters, const struct reconcile_scope *scope,
    struct drift_list *drift,
    struct error *err)
{
	struct examination e = {.account = account, .parameters = parameters, .scope = scope, .drift = drift};
	const struct probe_options ask = {(size_t)parameters->options.runner.workers, parameters->timeout_s, health_check_next,
	    health_check_found,
	    health_check_over, &e};
	int result = 0;

	for (size_t i = 0; i < drift->count && drift->list[i].what == DRIFT_VANISHED; i++)
		names_intern(&e.vanished, drift->list[i].node);
	if (parameters->probe || (parameters->repair && e.vanished.count))
		result = probe(&ask, err);
	while (e.newest)
		health_check_discharge(&e, e.newest);
	health_check_add_failed(&e);
	names_release(&e.vanished);
	return result < 0 ? -1 : e.worst;
}
