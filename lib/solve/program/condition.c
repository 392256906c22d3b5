/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/program/condition.h"

#include <stdlib.h>

#include "base/names.h"
#include "model/layout.h"
#include "solve/program/bits.h"
#include "solve/program/pattern.h"
#include "solve/program/program.h"

/* The present machines that the program keeps, and the group of each. */
struct kept {
	struct names ids;
	int *group;
};

static struct kept
condition_kept_of(const struct program *p)
{
	struct kept kept = {.group = memory_zeroed(p->request->node_count, sizeof *kept.group)};

	for (size_t g = 1; g < p->group_count; g++)
		for (int64_t i = 0; i < p->groups[g].count; i++)
			kept.group[names_intern(&kept.ids, p->groups[g].nodes[i]->id)] = (int)g;
	return kept;
}

/* Returns the group of the node; ANY if the program does not keep it. */
static int
condition_group_of(const struct kept *kept, const struct node *node)
{
	int number = node->is_new ? NAMES_NONE : names_find(&kept->ids, node->id);

	return number != NAMES_NONE ? kept->group[number] : node->is_new ? 0 : ANY;
}

static bool
condition_is_like(const struct program *p, const struct kept *kept, const struct region *region,
    const struct condition *condition, const struct node *node)
{
	if (node->leaves || (region->group != ANY && condition_group_of(kept, node) != region->group))
		return false;
	if (region->hardware != ANY && program_find_hardware(p, node->hardwaretype) != region->hardware)
		return false;
	for (size_t i = 0; i < condition->with.count; i++)
		if (!node_has(node, condition->with.list[i]))
			return false;
	return !condition->without || !node_has(node, condition->without);
}

static void
condition_add_units(const struct program *p, const char *const *services, size_t count, uint64_t *units)
{
	for (size_t i = 0; i < count; i++) {
		int service = program_find_service(p, services[i]);

		if (service >= 0)
			bits_add(units, (size_t)p->unit_of[service]);
	}
}

bool
condition_impose(const struct condition *condition, struct program *p)
{
	struct region *region = arena_alloc(&p->arena, 1, sizeof *region);
	struct kept kept = condition_kept_of(p);
	int hardware = program_find_hardware(p, condition->node->hardwaretype);
	int64_t count = 0;

	*region = region_all(p, &p->arena);
	if (!condition->less) {
		region->group = condition_group_of(&kept, condition->node);
		region->hardware = hardware == NAMES_NONE ? ANY : hardware;
	}
	condition_add_units(p, condition->with.list, condition->with.count, region->with);
	if (condition->without)
		condition_add_units(p, &condition->without, 1, region->without);
	for (size_t i = 0; i < condition->layout->node_count; i++)
		count += condition_is_like(p, &kept, region, condition, &condition->layout->nodes[i]);
	p->condition = region;
	p->condition_lo = condition->less ? NO_MIN : count + 1;
	p->condition_hi = condition->less ? count - 1 : NO_MAX;
	names_release(&kept.ids);
	free(kept.group);
	return !bits_meet(region->with, region->without, p->unit_words);
}
