/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/conflict/room-numbers.h"

#include <stdlib.h>

#include "model/answer/demand.h"
#include "model/name.h"
#include "model/request.h"
#include "solve/program/bits.h"
#include "solve/program/build.h"

static const enum demand_kind room_leasts[ROOM_LEASTS] = {DEMAND_PLACED, DEMAND_MIN, DEMAND_COUNT_RULE};

int
room_service_of(const struct room *room, const struct demand *demand)
{
	const struct request *r = room->demands->request;
	int64_t least;
	const char *service = demand->kind == DEMAND_HARDWARETYPES ? r->template.constraints[demand->index].service
	                    : demand->kind == DEMAND_CONSUMES ? r->services[demand->index].name : demand_least(r, demand, &least);

	return service ? names_find(&room->names, service) : NAMES_NONE;
}

/* Restricts a service to the types of its list. */
static void
room_restrict(struct room *room, struct room_service *service, const struct string_list *names)
{
	const struct request *r = room->demands->request;

	for (size_t h = 0; h < r->hardwaretype_count; h++)
		if (!name_list_has(names, r->hardwaretypes[h].name))
			bits_drop(service->types, h);
}

/* Takes what a demand that holds says of a service. */
static void
room_take_demand(struct room *room, const struct demand *demand)
{
	const struct request *r = room->demands->request;
	int number = room_service_of(room, demand);
	struct room_service *service = number == NAMES_NONE ? NULL : &room->services[number];
	int64_t least;

	if (!service || !demand_holds(room->demands, demand->kind, demand->index))
		return;
	if (demand->kind == DEMAND_HARDWARETYPES)
		room_restrict(room, service, &r->template.constraints[demand->index].hardwaretypes);
	for (size_t i = 0; i < ROOM_LEASTS; i++) {
		if (demand->kind != room_leasts[i])
			continue;
		demand_least(r, demand, &least);
		least = least < 0 ? 0 : least > SOLVE_MACHINES ? SOLVE_MACHINES + 1 : least;
		service->least[i] = service->least[i] > least ? service->least[i] : least;
		service->instances = service->instances > least ? service->instances : least;
	}
}

/* Counts what is taken and held of a resource in whole numbers. Returns false if one is too large for it. */
static bool
room_count(struct room *room, size_t resource)
{
	const struct request *r = room->demands->request;
	const char *name = room->resources.list[resource];
	int places = 0;

	for (size_t i = 0; i < r->service_count; i++)
		places = whole_more_places(places, amounts_value(&r->services[i].consumes, name, 0), WHOLE_DIGITS);
	for (size_t h = 0; h < r->hardwaretype_count; h++) {
		const struct hardware_offer *offer = hardwaretype_offer(&r->hardwaretypes[h], r->provider.name);

		if (offer)
			places = whole_more_places(places, amounts_value(&offer->capacity, name, 0), WHOLE_DIGITS);
	}
	for (size_t i = 0; i < r->service_count; i++) {
		int number = names_find(&room->names, r->services[i].name);
		wide *takes = number == NAMES_NONE ? NULL : &room->services[number].takes[resource];

		if (takes && demand_holds(room->demands, DEMAND_CONSUMES, i) &&
		    (!whole_of(amounts_value(&r->services[i].consumes, name, 0), places, takes) || *takes > ROOM_MOST))
			return false;
	}
	for (size_t h = 0; h < r->hardwaretype_count; h++) {
		const struct hardware_offer *offer = hardwaretype_offer(&r->hardwaretypes[h], r->provider.name);
		wide *holds = &room->types[h].holds[resource];

		*holds = ROOM_ALL;
		if (offer && offer->capacity.count && demand_holds(room->demands, DEMAND_CAPACITY, h) &&
		    (!whole_of(amounts_value(&offer->capacity, name, 0), places, holds) || *holds > ROOM_MOST))
			*holds = ROOM_ALL;
	}
	return true;
}

static void
room_take_types(struct room *room)
{
	const struct request *r = room->demands->request;

	room->type_words = bits_words(r->hardwaretype_count);
	room->usable = arena_alloc(&room->arena, room->type_words, sizeof *room->usable);
	room->types = arena_alloc(&room->arena, r->hardwaretype_count, sizeof *room->types);
	for (size_t h = 0; h < r->hardwaretype_count; h++) {
		const struct hardware_offer *offer = hardwaretype_offer(&r->hardwaretypes[h], r->provider.name);

		room->types[h].holds = arena_alloc(&room->arena, room->resources.count, sizeof(wide));
		room->types[h].available = SOLVE_MACHINES;
		if (!offer || !offer->flavor || !build_wanted(room->demands, true, r->hardwaretypes[h].name))
			continue;
		bits_add(room->usable, h);
		if (offer->available >= 0 && offer->available < SOLVE_MACHINES && demand_holds(room->demands, DEMAND_AVAILABLE, h))
			room->types[h].available = offer->available;
	}
}

static int
room_find_service(const void *names, const char *name)
{
	return names_find(names, name);
}

bool
room_init(struct room *room, const struct demands *demands)
{
	const struct request *r = demands->request;
	struct program machines = {.request = r};
	bool good = true, *named;

	*room = (struct room){.demands = demands};
	for (size_t i = 0; i < demand_service_count(r); i++)
		names_intern(&room->names, demand_service(r, i));
	for (size_t i = 0; i < r->service_count; i++)
		for (size_t j = 0; j < r->services[i].consumes.count && names_find(&room->names, r->services[i].name) != NAMES_NONE; j++)
			names_intern(&room->resources, r->services[i].consumes.list[j].resource);
	room_take_types(room);
	room->services = arena_alloc(&room->arena, room->names.count, sizeof *room->services);
	for (size_t i = 0; i < room->names.count; i++) {
		room->services[i].types = bits_duplicate(room->usable, room->type_words, &room->arena);
		room->services[i].takes = arena_alloc(&room->arena, room->resources.count, sizeof(wide));
	}
	for (size_t i = 0; i < demands->count; i++)
		room_take_demand(room, &demands->list[i]);
	for (size_t i = 0; i < room->resources.count && good; i++)
		good = room_count(room, i);
	build_bound_machines(&machines, demands);
	room->machines_min = machines.machines_min;
	room->machines_max = machines.unbounded ? NO_MAX : machines.machines_max;
	named = memory_zeroed(room->names.count, sizeof *named);
	build_find_named(&r->template, room_find_service, &room->names, named);
	for (size_t i = 0; i < room->names.count; i++) {
		struct room_service *service = &room->services[i];

		service->everywhere = !named[i];
		if (service->everywhere && service->instances < room->machines_min)
			service->instances = room->machines_min;
	}
	free(named);
	return good;
}

void
room_release(struct room *room)
{
	names_release(&room->names);
	names_release(&room->resources);
	arena_release(&room->arena);
}
