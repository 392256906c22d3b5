/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/examine.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/names.h"
#include "model/layout.h"
#include "probe/drift.h"
#include "probe/probe.h"
#include "probe/reach.h"
#include "probe/silence.h"
#include "reconcile/reconcile.h"
#include "status/sight.h"

struct examination {
	struct account *account;
	const struct reconcile_wish *wish;
	const struct reach *reach;
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
examine_warn(struct examination *e, const struct error *err)
{
	e->wish->manner.drive.notice(err->text);
	if (e->worst == 0)
		e->worst = err->code;
}

static void
examine_patient_free(struct patient *patient)
{
	layout_release(&patient->subject.layout);
	drift_release(&patient->found);
	free(patient->scopes);
	free(patient);
}

/* Whether a machine of the cluster vanished; they come in the order of their clusters. */
static bool
examine_has_vanished(struct examination *e, int64_t cluster)
{
	while (e->next_vanished < e->vanished.count && e->drift->list[e->next_vanished].cluster < cluster)
		e->next_vanished++;
	return e->next_vanished < e->vanished.count && e->drift->list[e->next_vanished].cluster == cluster;
}

static void
examine_choose_scopes(const struct examination *e, struct patient *patient)
{
	const struct layout *layout = &patient->subject.layout;

	patient->scopes = memory_zeroed(layout->node_count, sizeof *patient->scopes);
	for (size_t i = 0; i < layout->node_count; i++)
		patient->scopes[i] = names_find(&e->vanished, layout->nodes[i].id) != NAMES_NONE ? PROBE_MACHINE
		    : e->wish->probe ? PROBE_ALL : PROBE_NOTHING;
	patient->subject.scopes = patient->scopes;
}

static struct patient *
examine_admit(struct examination *e, const struct cluster_record *cluster)
{
	struct cluster_documents documents = {0};
	struct patient *patient = memory_zeroed(1, sizeof *patient);
	struct error err;
	int result = clusters_documents(e->account, cluster->id, &documents, &err);

	patient->cluster = cluster;
	patient->subject.owner = patient;
	if (result == 0)
		result = sight_read(documents.layout ? documents.layout : "", &patient->subject.layout, &err);
	cluster_documents_release(&documents);
	if (result == 0) {
		examine_choose_scopes(e, patient);
		patient->older = e->newest;
		e->newest = patient;
		return patient;
	}
	error_prefix(&err, "%s: cannot be asked", cluster->name);
	examine_warn(e, &err);
	examine_patient_free(patient);
	return NULL;
}

static struct probe_subject *
examine_next(void *context)
{
	struct examination *e = context;
	struct patient *patient = NULL;

	while (!patient && e->next < e->reach->clusters.count) {
		const struct cluster_record *cluster = &e->reach->clusters.list[e->next++];

		if (cluster->status != LIFE_PENDING && cluster->nodes > 0 && (examine_has_vanished(e, cluster->id) ||
		    e->wish->probe))
			patient = examine_admit(e, cluster);
	}
	return patient ? &patient->subject : NULL;
}

void
examine_judge(const struct probe_finding *finding, struct drift *drift)
{
	drift->what = finding->answer == PROBE_NO ? DRIFT_STOPPED
	    : finding->answer == PROBE_SILENT && !finding->service ? DRIFT_UNREACHABLE : DRIFT_UNKNOWN;
	drift->node = finding->node->id;
	drift->service = finding->service;
	drift->message = finding->message;
}

static void
examine_found(void *context, struct probe_subject *subject, const struct probe_finding *finding)
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
		examine_judge(finding, &drift);
		drift_add(&patient->found, &drift);
	}
}

/* What machines did not answer before is known of them since then. */
static void
examine_date_silence(struct examination *e, struct patient *patient)
{
	struct silence now = {0}, was;
	char id[CLUSTER_ID_SIZE];
	struct error err;

	silence_read(&was, cluster_id_text(patient->cluster->id, id));
	for (size_t i = 0; i < patient->found.count; i++) {
		struct drift *drift = &patient->found.list[i];

		if (drift->what != DRIFT_UNREACHABLE)
			continue;
		drift->since_ms = silence_since(&was, drift->node);
		if (drift->since_ms == 0)
			drift->since_ms = clock_wall_ms();
		silence_add(&now, drift->node, drift->since_ms);
	}
	if (silence_keep(&now, &was, id, &err) < 0)
		examine_warn(e, &err);
	silence_release(&now);
	silence_release(&was);
}

/* Whether the cluster is still what it was when it was asked. */
static bool
examine_is_unchanged(struct examination *e, const struct cluster_record *before)
{
	struct cluster_list list = {0};
	struct error err;
	bool same = clusters_find_id(e->account, before->id, &list, &err) == 0 && reach_is_unchanged(before, &list.list[0]);

	cluster_list_release(&list);
	return same;
}

static void
examine_discharge(struct examination *e, struct patient *patient)
{
	struct patient **link = &e->newest;

	while (*link != patient)
		link = &(*link)->older;
	*link = patient->older;
	examine_patient_free(patient);
}

static void
examine_over(void *context, struct probe_subject *subject)
{
	struct examination *e = context;
	struct patient *patient = subject->owner;

	if (e->wish->probe && examine_is_unchanged(e, patient->cluster)) {
		examine_date_silence(e, patient);
		for (size_t i = 0; i < patient->found.count; i++)
			drift_add(e->drift, &patient->found.list[i]);
	}
	examine_discharge(e, patient);
}

static void
examine_add_failed(struct examination *e)
{
	for (size_t i = 0; i < e->reach->clusters.count; i++) {
		const struct cluster_record *cluster = &e->reach->clusters.list[i];

		if (cluster->status == LIFE_INCOMPLETE || cluster->status == LIFE_INCONSISTENT)
			drift_add(e->drift, &(struct drift){.what = DRIFT_FAILED, .cluster = cluster->id,
			    .operation = cluster->operation, .tenant = cluster->tenant, .name = cluster->name,
			    .message = cluster->message ? cluster->message : life_status_name(cluster->status)});
	}
}

int
examine(struct account *account, const struct reconcile_wish *wish, const struct reach *reach, struct drift_list *drift,
    struct error *err)
{
	struct examination e = {.account = account, .wish = wish, .reach = reach, .drift = drift};
	const struct probe_wish ask = {(size_t)wish->manner.drive.workers, wish->timeout_s, examine_next, examine_found,
	    examine_over, &e};
	int result = 0;

	for (size_t i = 0; i < drift->count && drift->list[i].what == DRIFT_VANISHED; i++)
		names_intern(&e.vanished, drift->list[i].node);
	if (wish->probe || (wish->repair && e.vanished.count))
		result = probe(&ask, err);
	while (e.newest)
		examine_discharge(&e, e.newest);
	examine_add_failed(&e);
	names_release(&e.vanished);
	return result < 0 ? -1 : e.worst;
}
