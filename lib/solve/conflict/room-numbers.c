/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/conflict/room-numbers.h"

#include <string.h>

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

/* Finds the types of the list of each constraint. */
static void
room_find_listed(struct room *room)
{
	const struct request *r = room->demands->request;
	struct names types = {0};

	for (size_t h = 0; h < r->hardwaretype_count; h++)
		names_intern(&types, r->hardwaretypes[h].name);
	room->listed = arena_alloc(&room->arena, r->template.constraint_count, sizeof *room->listed);
	for (size_t i = 0; i < r->template.constraint_count; i++) {
		const struct string_list *list = &r->template.constraints[i].hardwaretypes;

		room->listed[i] = arena_alloc(&room->arena, room->type_words, sizeof **room->listed);
		for (size_t j = 0; j < list->count; j++) {
			int h = names_find(&types, list->list[j]);

			if (h != NAMES_NONE)
				bits_add(room->listed[i], (size_t)h);
		}
	}
	names_release(&types);
}

/* Counts what is taken and held of a resource in whole numbers. */
static void
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
		wide *takes = number == NAMES_NONE ? NULL : &room->services[number].consumes[resource];

		if (takes && (!whole_of(amounts_value(&r->services[i].consumes, name, 0), places, takes) || *takes > ROOM_MOST))
			room->services[number].large = true;
	}
	for (size_t h = 0; h < r->hardwaretype_count; h++) {
		const struct hardware_offer *offer = hardwaretype_offer(&r->hardwaretypes[h], r->provider.name);
		wide *holds = &room->types[h].capacity[resource];

		if (!offer || !offer->capacity.count || !whole_of(amounts_value(&offer->capacity, name, 0), places, holds) ||
		    *holds > ROOM_MOST)
			*holds = ROOM_ALL;
	}
}

static int
room_find_service(const void *names, const char *name)
{
	return names_find(names, name);
}

void
room_init(struct room *room, const struct demands *demands)
{
	const struct request *r = demands->request;

	*room = (struct room){.demands = demands, .type_words = bits_words(r->hardwaretype_count)};
	for (size_t i = 0; i < demand_service_count(r); i++)
		names_intern(&room->names, demand_service(r, i));
	for (size_t i = 0; i < r->service_count; i++)
		for (size_t j = 0; j < r->services[i].consumes.count && names_find(&room->names, r->services[i].name) != NAMES_NONE; j++)
			names_intern(&room->resources, r->services[i].consumes.list[j].resource);
	room->usable = arena_alloc(&room->arena, room->type_words, sizeof *room->usable);
	room->nothing = arena_alloc(&room->arena, room->resources.count, sizeof *room->nothing);
	room->anything = arena_alloc(&room->arena, room->resources.count, sizeof *room->anything);
	for (size_t i = 0; i < room->resources.count; i++)
		room->anything[i] = ROOM_ALL;
	room->types = arena_alloc(&room->arena, r->hardwaretype_count, sizeof *room->types);
	for (size_t h = 0; h < r->hardwaretype_count; h++)
		room->types[h].capacity = arena_alloc(&room->arena, room->resources.count, sizeof(wide));
	room->services = arena_alloc(&room->arena, room->names.count, sizeof *room->services);
	for (size_t i = 0; i < room->names.count; i++) {
		room->services[i].types = arena_alloc(&room->arena, room->type_words, sizeof(uint64_t));
		room->services[i].consumes = arena_alloc(&room->arena, room->resources.count, sizeof(wide));
	}
	for (size_t i = 0; i < room->resources.count; i++)
		room_count(room, i);
	room_find_listed(room);
	room->named = arena_alloc(&room->arena, room->names.count, sizeof *room->named);
	build_find_named(&r->template, room_find_service, &room->names, room->named);
}

/* Takes the types that may be had, and how many machines of each. */
static void
room_read_types(struct room *room)
{
	const struct request *r = room->demands->request;

	for (size_t h = 0; h < r->hardwaretype_count; h++) {
		const struct hardware_offer *offer = hardwaretype_offer(&r->hardwaretypes[h], r->provider.name);
		struct room_type *type = &room->types[h];

		type->holds = demand_holds(room->demands, DEMAND_CAPACITY, h) ? type->capacity : room->anything;
		type->available = SOLVE_MACHINES;
		bits_drop(room->usable, h);
		if (!offer || !offer->flavor || !build_wanted(room->demands, true, r->hardwaretypes[h].name))
			continue;
		bits_add(room->usable, h);
		if (offer->available >= 0 && offer->available < SOLVE_MACHINES && demand_holds(room->demands, DEMAND_AVAILABLE, h))
			type->available = offer->available;
	}
}

/* Takes what a demand that holds says of a service. Returns false if it is too large for exact sums. */
static bool
room_read_demand(struct room *room, const struct demand *demand)
{
	int number = demand_holds(room->demands, demand->kind, demand->index) ? room_service_of(room, demand) : NAMES_NONE;
	struct room_service *service = number == NAMES_NONE ? NULL : &room->services[number];
	int64_t least;

	if (!service)
		return true;
	if (demand->kind == DEMAND_HARDWARETYPES)
		bits_keep(service->types, room->listed[demand->index], room->type_words);
	if (demand->kind == DEMAND_CONSUMES) {
		service->takes = service->consumes;
		return !service->large;
	}
	for (size_t i = 0; i < ROOM_LEASTS; i++) {
		if (demand->kind != room_leasts[i])
			continue;
		demand_least(room->demands->request, demand, &least);
		least = least < 0 ? 0 : least > SOLVE_MACHINES ? SOLVE_MACHINES + 1 : least;
		service->least[i] = service->least[i] > least ? service->least[i] : least;
		service->instances = service->instances > least ? service->instances : least;
	}
	return true;
}

bool
room_read(struct room *room)
{
	struct program machines = {.request = room->demands->request};
	bool good = true;

	room_read_types(room);
	build_bound_machines(&machines, room->demands);
	room->machines_min = machines.machines_min;
	room->machines_max = machines.unbounded ? NO_MAX : machines.machines_max;
	for (size_t i = 0; i < room->names.count; i++) {
		struct room_service *service = &room->services[i];

		memset(service->least, 0, sizeof service->least);
		memcpy(service->types, room->usable, room->type_words * sizeof *room->usable);
		service->everywhere = !room->named[i];
		service->instances = service->everywhere ? room->machines_min : 0;
		service->takes = room->nothing;
	}
	for (size_t i = 0; i < room->demands->count; i++)
		good = room_read_demand(room, &room->demands->list[i]) && good;
	return good;
}

size_t
room_size(const struct room *room)
{
	size_t types = room->demands->request->hardwaretype_count, each = 4 * (room->resources.count + 1);

	return 100 * room->demands->count + each * (room->names.count + 20 * types) + room->names.count * room->type_words;
}

void
room_release(struct room *room)
{
	names_release(&room->names);
	names_release(&room->resources);
	arena_release(&room->arena);
}
