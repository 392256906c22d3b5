/* SPDX-License-Identifier: Apache-2.0 */
#include "status/status.h"

#include "base/error.h"
#include "cluster/observation.h"
#include "probe/drift.h"
#include "probe/observe.h"
#include "probe/probe.h"
#include "store/store.h"

struct asking {
	struct cluster_status *status;
	struct drift_list *drift;
	struct observations seen;
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
	struct asking *asking = context;
	const struct cluster_record *cluster = asking->status->cluster;
	struct drift drift = {.cluster = cluster->id, .operation = cluster->operation, .tenant = cluster->tenant,
	    .name = cluster->name};

	(void)subject;
	observe_finding(&asking->seen, finding, "probe");
	if (finding->answer == PROBE_YES)
		return;
	drift_of_finding(finding, &drift);
	drift_add(asking->drift, &drift);
}

/* Records what was seen, if the user may write to the store, and shows the cluster as it is recorded then. */
static void
status_probe_record(struct cluster_status *status, const struct observations *seen)
{
	struct error ignored; /* what was found is shown all the same */
	struct store *store;

	if (store_open(&store, status->options->store, STORE_WRITE, NULL, &ignored) == 0 &&
	    observations_record(store, status->cluster->id, status->cluster->revision, seen, &ignored) == 0)
		status_again(status, &ignored);
	store_release(store);
}

int
status_probe(struct cluster_status *status, size_t at_once, struct drift_list *drift, struct error *err)
{
	struct asking asking = {.status = status, .drift = drift, .subject = {.layout = status->layout}};
	const struct probe_options parameters = {at_once, PROBE_TIMEOUT_S, status_probe_next, status_probe_found, NULL, &asking};
	int result = status->layout.node_count > 0 ? probe(&parameters, err) : 0;

	if (result == 0)
		status_probe_record(status, &asking.seen);
	observations_release(&asking.seen);
	drift_sort(drift);
	return result;
}
