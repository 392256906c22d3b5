/* SPDX-License-Identifier: Apache-2.0
 *
 * Machines: how many, and of which types new ones may be.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/answer/demand.h"
#include "model/name.h"
#include "solve/program/bits.h"
#include "solve/program/build-parts.h"
#include "solve/program/build.h"

bool
build_wanted(const struct demands *demands, bool hardware, const char *name)
{
	const struct request *r = demands->request;
	const char *own = hardware ? r->cluster.hardwaretype : r->cluster.imagetype;
	const char *usual = hardware ? r->template.default_hardwaretype : r->template.default_imagetype;
	const struct string_list *list =
	    hardware ? &r->template.compatible_hardwaretypes : &r->template.compatible_imagetypes;
	const char *only = own ? own : usual;

	if (only && demand_holds(demands, hardware ? DEMAND_HARDWARETYPE : DEMAND_IMAGETYPE, 0) && strcmp(only, name) != 0)
		return false;
	return !list->count || name_list_has(list, name) ||
	    !demand_holds(demands, hardware ? DEMAND_COMPATIBLE_HARDWARETYPES : DEMAND_COMPATIBLE_IMAGETYPES, 0);
}

/* Returns whether any machine of type b can as well be of type a, and the objectives would rather have that. */
static bool
build_replaces(const struct program *p, size_t a, size_t b, uint64_t *const *allowed)
{
	const struct hardware *x = &p->hardware[a], *y = &p->hardware[b];

	if (!x->usable || x->available != NO_MAX || !bits_within(allowed[b], allowed[a], p->unit_words))
		return false;
	for (size_t i = 0; i < p->resource_count; i++)
		if (x->capacity[i] < y->capacity[i])
			return false;
	for (size_t i = 0; i < p->objective_count && p->objectives[i] != OBJECTIVE_DENSE; i++) {
		const int64_t *weight = p->weights[p->objectives[i]].hardware;

		if (weight && weight[a] != weight[b])
			return weight[a] < weight[b];
	}
	return a < b;
}

/* Drops the types that another one replaces everywhere: they are not looked at for new machines. */
static void
build_drop_replaced(struct program *p, const struct demands *demands)
{
	uint64_t **allowed = memory_zeroed(p->hardware_count, sizeof *allowed);

	for (size_t h = 0; h < p->hardware_count; h++) {
		allowed[h] = memory_zeroed(p->unit_words, sizeof **allowed);
		for (size_t u = 0; u < p->unit_count; u++)
			if (bits_has(p->units[u].hardware, h))
				bits_add(allowed[h], u);
	}
	for (size_t b = 0; b < p->hardware_count; b++) {
		if (demands->hardware_kept && strcmp(demands->hardware_kept, p->hardware[b].name) == 0)
			continue;
		for (size_t a = 0; a < p->hardware_count && p->hardware[b].usable; a++)
			if (a != b && build_replaces(p, a, b, allowed))
				p->hardware[b].usable = false;
	}
	for (size_t h = 0; h < p->hardware_count; h++)
		free(allowed[h]);
	free(allowed);
}

void
build_bound_machines(struct program *p, const struct demands *demands)
{
	const struct request *r = p->request;
	int64_t min = 1, max = INT64_MAX;

	if (r->template.size_min > 1 && demand_holds(demands, DEMAND_SIZE_MIN, 0))
		min = r->template.size_min;
	if (r->template.size_max < INT64_MAX && demand_holds(demands, DEMAND_SIZE_MAX, 0))
		max = r->template.size_max;
	if (r->cluster.machines_given) {
		bool one = r->cluster.machines_min == r->cluster.machines_max;
		bool low = demand_holds(demands, DEMAND_MACHINES_MIN, 0);
		bool high = one ? low : r->cluster.machines_max < INT64_MAX && demand_holds(demands, DEMAND_MACHINES_MAX, 0);

		if (low && r->cluster.machines_min > min)
			min = r->cluster.machines_min;
		if (high && r->cluster.machines_max < max)
			max = r->cluster.machines_max;
	}
	p->unbounded = max > SOLVE_MACHINES;
	p->machines_min = min;
	p->machines_max = p->unbounded ? SOLVE_MACHINES : max;
}

int
build_machines(struct program *p, const struct demands *demands, struct error *err)
{
	const struct request *r = p->request;

	build_bound_machines(p, demands);
	if (p->machines_min > SOLVE_MACHINES)
		return error_set(err, EX_DATAERR,
		    "request: more than %d machines are asked for, which is the most that one layout holds", SOLVE_MACHINES);
	for (size_t h = 0; h < p->hardware_count; h++) {
		struct hardware *hardware = &p->hardware[h];

		hardware->usable = hardware->usable && build_wanted(demands, true, hardware->name);
		if (hardware->offer && hardware->offer->available >= 0 &&
		    demand_holds(demands, DEMAND_AVAILABLE, (size_t)(hardware->type - r->hardwaretypes)))
			hardware->available = hardware->offer->available;
	}
	for (size_t i = 0; i < p->image_count; i++)
		p->images[i].usable = p->images[i].usable && build_wanted(demands, false, p->images[i].name);
	build_drop_replaced(p, demands);
	return 0;
}

void
build_new(struct program *p)
{
	struct group *group = &p->groups[0];

	group->zone = ZONE_OPEN;
	for (size_t u = 0; u < p->unit_count; u++)
		if (!p->units[u].stays_away)
			bits_add(p->units[u].everywhere ? group->stays : group->open, u);
	for (size_t i = 0; i < p->hardware_count; i++)
		if (p->hardware[i].usable)
			bits_add(group->hardware, i);
	for (size_t i = 0; i < p->image_count; i++)
		if (p->images[i].usable)
			bits_add(group->images, i);
}

/* Takes all zones there are. If present machines need not stay, others may be in their zones: so that what can be had
 * with them can be had without that demand, too. */
void
build_zones(struct program *p, const struct demands *demands)
{
	const struct request *r = p->request;
	const struct string_list *own = &r->provider.zones;
	struct names names = {0};

	for (size_t i = 0; i < own->count; i++)
		names_intern(&names, own->list[i]);
	p->zones_open = names.count;
	for (size_t i = 0; i < r->node_count; i++)
		if (r->nodes[i].zone)
			names_intern(&names, r->nodes[i].zone);
	p->zone_count = names.count;
	if (r->node_count && !demand_holds(demands, DEMAND_NODES, 0))
		p->zones_open = names.count;
	p->zones = arena_alloc(&p->arena, names.count, sizeof *p->zones);
	for (size_t i = 0; i < names.count; i++)
		p->zones[i] = names.list[i];
	p->zones_unlimited = p->spread && !demand_holds(demands, DEMAND_ZONES, 0);
	names_release(&names);
}
