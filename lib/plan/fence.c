/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/fence.h"

#include <stdlib.h>

#include "base/memory.h"
#include "model/layout.h"
#include "model/name.h"
#include "plan/builder.h"
#include "plan/dependency.h"

/* Returns the step that is done when all dead nodes that had a service are deleted; none if there is no such node. */
static uint32_t
fence_of(struct builder *builder, const char *service)
{
	const struct layout *layout = builder->layout;
	uint32_t found = GRAPH_NONE, milestone = GRAPH_NONE;

	for (size_t i = 0; i < layout->node_count; i++) {
		if (builder->deletes[i] == GRAPH_NONE || !builder->scope->dead[i] || !name_set_has(&layout->nodes[i].was, service))
			continue;
		if (found != GRAPH_NONE && milestone == GRAPH_NONE) {
			milestone = builder_milestone(builder, "gone", service);
			builder_edge(builder, found, milestone);
		}
		found = builder->deletes[i];
		builder_edge(builder, found, milestone);
	}
	return milestone != GRAPH_NONE ? milestone : found;
}

void
fence_add(struct builder *builder, uint32_t tasks)
{
	const struct names *services = &builder->dependencies->services;
	uint32_t *fences = memory_resize(NULL, services->count, sizeof *fences);

	for (size_t i = 0; i < services->count; i++)
		fences[i] = service_has_data(&builder->layout->cluster.definitions[i]) ? fence_of(builder, services->list[i]) : GRAPH_NONE;
	for (uint32_t task = 0; task < tasks; task++)
		if (builder->places[task].service != GRAPH_NONE && builder->places[task].reads)
			builder_edge(builder, fences[builder->places[task].service], task);
	free(fences);
}
