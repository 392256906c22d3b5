/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/condition.h"

#include <string.h>

#include "solve/bits.h"
#include "solve/build.h"
#include "solve/pattern.h"
#include "solve/solve.h"

static bool
holds_node(const struct group *group, const char *id)
{
	for (int64_t i = 0; i < group->count; i++)
		if (strcmp(group->nodes[i]->id, id) == 0)
			return true;
	return false;
}

/* The machines that the node is one of; ANY where the program does not know it. */
static int
group_of(const struct program *p, const struct node *node)
{
	if (node->is_new)
		return 0;
	for (size_t g = 1; g < p->group_count; g++)
		if (holds_node(&p->groups[g], node->id))
			return (int)g;
	return ANY;
}

/* The hardware type of the node; ANY where another type is always as good, so that this one is not looked at. */
static int
hardware_of(const struct program *p, const struct node *node)
{
	int hardware = build_hardware(p, node->hardwaretype);

	return hardware < 0 || (node->is_new && !p->hardware[hardware].usable) ? ANY : hardware;
}

bool
condition_impose(const struct condition *condition, struct program *p)
{
	struct region *region = arena_alloc(&p->arena, 1, sizeof *region);

	region->group = group_of(p, condition->node);
	region->hardware = hardware_of(p, condition->node);
	region->zone = ANY;
	region->with = arena_alloc(&p->arena, p->unit_words, sizeof *region->with);
	region->without = arena_alloc(&p->arena, p->unit_words, sizeof *region->without);
	for (size_t i = 0; i < condition->with.count; i++) {
		int service = build_service(p, condition->with.list[i]);

		if (service >= 0)
			bits_add(region->with, (size_t)p->unit_of[service]);
	}
	if (condition->without && build_service(p, condition->without) >= 0)
		bits_add(region->without, (size_t)p->unit_of[build_service(p, condition->without)]);
	p->condition = region;
	p->condition_least = condition->least;
	return !bits_meet(region->with, region->without, p->unit_words);
}
