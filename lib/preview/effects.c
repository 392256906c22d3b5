/* SPDX-License-Identifier: Apache-2.0 */
#include "preview/effects.h"

#include <stdlib.h>
#include <string.h>

#include "model/name.h"

void
effects_init(struct effects *effects, const struct plan_document *plan)
{
	*effects = (struct effects){.plan = plan, .deleted = memory_zeroed(plan->layout.node_count, sizeof *effects->deleted),
	    .actions = memory_zeroed(plan->count, sizeof *effects->actions)};
	for (size_t i = 0; i < plan->layout.node_count; i++)
		names_intern(&effects->ids, plan->layout.nodes[i].id);
	for (size_t i = 0; i < plan->count; i++) {
		const struct step *step = &plan->steps[i];
		int node = !step->is_milestone && step->node ? names_find(&effects->ids, step->node) : NAMES_NONE, place;

		if (node == NAMES_NONE)
			continue;
		if (step->action == ACTION_DELETE)
			effects->deleted[node] = true;
		if (step->service) {
			place = names_intern(&effects->places, arena_printf(&effects->arena, "%d %s", node, step->service));
			effects->actions[place] |= ACTION_BIT(step->action);
		}
	}
	for (size_t i = 0; i < plan->layout.node_count; i++) {
		effects->deleted[i] = effects->deleted[i] || plan->layout.nodes[i].leaves;
		effects->left += !effects->deleted[i];
	}
	effects->deletions = plan->layout.node_count - effects->left;
}

void
effects_release(struct effects *effects)
{
	free(effects->deleted);
	free(effects->actions);
	names_release(&effects->ids);
	names_release(&effects->places);
	arena_release(&effects->arena);
}

unsigned
effects_on(const struct effects *effects, size_t node, const char *service)
{
	char *place = memory_printf("%zu %s", node, service);
	int found = names_find(&effects->places, place);

	free(place);
	return found == NAMES_NONE ? 0 : effects->actions[found];
}

const struct string_list *
effects_before(const struct effects *effects, size_t number)
{
	static const struct string_list none;
	const struct node *node = &effects->plan->layout.nodes[number];

	if (node->is_new)
		return &none;
	return effects->deleted[number] && !node->was.count ? &node->services : &node->was;
}

enum effects_impact
effects_impact(const struct effects *effects)
{
	if (effects->deletions)
		return EFFECTS_DELETE;
	for (size_t i = 0; i < effects->plan->layout.node_count; i++) {
		const struct string_list *before = effects_before(effects, i);

		for (size_t j = 0; j < before->count; j++)
			if (!name_set_has(&effects->plan->layout.nodes[i].services, before->list[j]) ||
			    (effects_on(effects, i, before->list[j]) & (ACTIONS_TAKE_DOWN | ACTION_BIT(ACTION_INSTALL))))
				return EFFECTS_DISRUPT;
	}
	return EFFECTS_HARMLESS;
}

bool
effects_interrupt(const struct effects *effects, jv today, const char *service, double *seconds, bool *is_measured)
{
	const unsigned both = ACTION_BIT(ACTION_STOP) | ACTION_BIT(ACTION_START);
	const struct layout *layout = &effects->plan->layout;
	size_t instances = 0, only = 0;

	for (size_t i = 0; i < layout->node_count; i++) {
		if (effects->deleted[i] || !name_set_has(&layout->nodes[i].services, service))
			continue;
		instances++;
		only = i;
	}
	if (instances != 1 || !cluster_is_stateful(&layout->cluster, today, service) ||
	    (effects_on(effects, only, service) & both) != both)
		return false;
	*seconds = 0;
	*is_measured = true;
	for (size_t i = 0; i < effects->plan->count; i++) {
		const struct step *step = &effects->plan->steps[i];

		if (step->is_milestone || !step->service || step->without || strcmp(step->service, service) != 0 ||
		    strcmp(step->node, layout->nodes[only].id) != 0 || step->action == ACTION_DRAIN)
			continue;
		*seconds += step->expect_s;
		*is_measured = *is_measured && step->runs > 0;
	}
	return true;
}
