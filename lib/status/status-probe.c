/* SPDX-License-Identifier: Apache-2.0 */
#include "status/status.h"

#include "probe/drift.h"
#include "probe/probe.h"

struct asking {
	struct cluster_status *status;
	struct drift_list *drift;
	struct probe_subject subject;
	bool given;
};

static struct probe_subject *
status_probe_next(void *context)
{
	struct asking *asking = context;

	if (asking->given)
		return NULL;
	asking->given = true;
	return &asking->subject;
}

static void
status_probe_found(void *context, struct probe_subject *subject, const struct probe_finding *finding)
{
	const struct asking *asking = context;
	const struct cluster_record *cluster = asking->status->cluster;
	struct drift drift = {.cluster = cluster->id, .operation = cluster->operation, .tenant = cluster->tenant,
	    .name = cluster->name};

	(void)subject;
	if (finding->answer == PROBE_YES)
		return;
	drift_of_finding(finding, &drift);
	drift_add(asking->drift, &drift);
}

int
status_probe(struct cluster_status *status, size_t at_once, struct drift_list *drift, struct error *err)
{
	struct asking asking = {.status = status, .drift = drift, .subject = {.layout = status->layout}};
	const struct probe_options parameters = {at_once, PROBE_TIMEOUT_S, status_probe_next, status_probe_found, NULL, &asking};
	int result = status->layout.node_count > 0 ? probe(&parameters, err) : 0;

	drift_sort(drift);
	return result;
}
