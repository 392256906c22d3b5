/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/preview-deeds.h"

#include <stdlib.h>

#include "model/plan-document.h"

static void
preview_take_step(struct deeds *deeds, const struct step *step)
{
	int node = !step->is_milestone && step->node ? names_find(&deeds->ids, step->node) : NAMES_NONE, place;

	if (node == NAMES_NONE)
		return;
	if (step->action == ACTION_DELETE)
		deeds->deleted[node] = true;
	if (!step->service)
		return;
	place = names_intern(&deeds->places, arena_printf(&deeds->arena, "%d %s", node, step->service));
	deeds->actions[place] |= 1U << step->action;
}

void
deeds_take(struct deeds *deeds, const struct plan_document *plan)
{
	*deeds = (struct deeds){.plan = plan, .deleted = memory_zeroed(plan->layout.node_count, sizeof *deeds->deleted),
	    .actions = memory_zeroed(plan->count, sizeof *deeds->actions)};
	for (size_t i = 0; i < plan->layout.node_count; i++)
		names_intern(&deeds->ids, plan->layout.nodes[i].id);
	for (size_t i = 0; i < plan->count; i++)
		preview_take_step(deeds, &plan->steps[i]);
	for (size_t i = 0; i < plan->layout.node_count; i++) {
		deeds->deleted[i] = deeds->deleted[i] || plan->layout.nodes[i].leaves;
		deeds->left += !deeds->deleted[i];
	}
}

unsigned
deeds_to(const struct deeds *deeds, size_t node, const char *service)
{
	char *place = memory_printf("%zu %s", node, service);
	int found = names_find(&deeds->places, place);

	free(place);
	return found == NAMES_NONE ? 0 : deeds->actions[found];
}

void
deeds_release(struct deeds *deeds)
{
	free(deeds->deleted);
	free(deeds->actions);
	names_release(&deeds->ids);
	names_release(&deeds->places);
	arena_release(&deeds->arena);
}
