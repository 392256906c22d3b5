/* SPDX-License-Identifier: Apache-2.0 */
#include "status/sight.h"

#include "probe/drift.h"
#include "probe/examine.h"
#include "probe/probe.h"

struct asking {
	struct sight *sight;
	struct drift_list *drift;
	struct probe_subject subject;
	bool given;
};

static struct probe_subject *
sight_next(void *context)
{
	struct asking *asking = context;

	if (asking->given)
		return NULL;
	asking->given = true;
	return &asking->subject;
}

static void
sight_found(void *context, struct probe_subject *subject, const struct probe_finding *finding)
{
	const struct asking *asking = context;
	const struct cluster_record *cluster = asking->sight->cluster;
	struct drift drift = {.cluster = cluster->id, .operation = cluster->operation, .tenant = cluster->tenant,
	    .name = cluster->name};

	(void)subject;
	if (finding->answer == PROBE_YES)
		return;
	examine_judge(finding, &drift);
	drift_add(asking->drift, &drift);
}

int
sight_probe(struct sight *sight, size_t at_once, struct drift_list *drift, struct error *err)
{
	struct asking asking = {.sight = sight, .drift = drift, .subject = {.layout = sight->layout}};
	const struct probe_wish wish = {at_once, PROBE_TIMEOUT_S, sight_next, sight_found, NULL, &asking};
	int result = sight->layout.node_count > 0 ? probe(&wish, err) : 0;

	drift_sort(drift);
	return result;
}
