/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/observe.h"

#include "base/clock.h"
#include "cluster/observation.h"
#include "json/json.h"
#include "model/name.h"
#include "probe/probe.h"

static enum observation_answer
observe_answer_of(const struct probe_finding *finding)
{
	switch (finding->answer) {
	case PROBE_YES:
		return OBSERVATION_HEALTHY;
	case PROBE_NO:
		return OBSERVATION_UNHEALTHY;
	case PROBE_SILENT:
		return finding->service ? OBSERVATION_UNHEALTHY : OBSERVATION_UNREACHABLE;
	default:
		return OBSERVATION_UNKNOWN;
	}
}

/* Adds the services that stand on the machine, as far as the answer of the machine tells of them. */
static void
observe_services(struct observations *seen, const struct node *node, const struct observation *machine)
{

	for (size_t i = 0; i < node->was.count; i++) {
		struct observation instance = *machine;

		instance.service = node->was.list[i];
		if (machine->answer == OBSERVATION_HEALTHY && name_set_has(&node->stopped, instance.service)) {
			instance.answer = OBSERVATION_UNHEALTHY;
			instance.message = OBSERVATION_STOPPED;
		}
		observations_set(seen, &instance);
	}
}

void
observe_finding(struct observations *seen, const struct probe_finding *finding, const char *by)
{
	const struct observation found = {.node = finding->node->id, .service = finding->service ? finding->service : "",
	    .answer = observe_answer_of(finding), .message = finding->message, .observed_ms = clock_wall_ms(), .by = by};

	observations_set(seen, &found);
	if (!finding->service)
		observe_services(seen, finding->node, &found);
}
