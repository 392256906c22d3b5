/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/conflict/room.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "model/answer/demand.h"
#include "model/name.h"
#include "model/request.h"
#include "solve/program/bits.h"
#include "solve/program/build.h"
#include "solve/program/program.h"

enum {
	ROOM_SETS = 16,  /* of types that services are restricted to, which are looked at */
	ROOM_LEASTS = 3, /* demands for instances of one service */
};

#define ROOM_ALL ((wide)-1)        /* any amount */
#define ROOM_MOST ((wide)1e27)     /* times SOLVE_SERVICES and SOLVE_MACHINES it fits into 128 bits */

static const enum demand_kind room_leasts[ROOM_LEASTS] = {DEMAND_PLACED, DEMAND_MIN, DEMAND_COUNT_RULE};

struct room_service { /* on the cluster, as far as demands hold */
	int64_t least[ROOM_LEASTS], instances; /* that are demanded, and the most of these */
	bool everywhere;                       /* it stands on each machine: the template does not name it */
	uint64_t *types;                       /* that can be had and that it may stand on */
	wide *takes;                           /* of each resource */
};

struct room_type {
	int64_t available; /* SOLVE_MACHINES at most */
	wide *holds;       /* of each resource; or ROOM_ALL */
};

struct room {
	const struct demands *demands;
	struct arena arena;
	struct names names, resources; /* of the services of the cluster; of what they take */
	struct room_service *services;
	struct room_type *types; /* as in the request */
	size_t type_words;
	uint64_t *usable;
	int64_t machines_min, machines_max; /* NO_MAX: any number */
};

struct room_sum { /* which is too much */
	bool *in;              /* services that it is of */
	int resource;          /* that they take; or ANY: each instance takes a machine */
	const uint64_t *types; /* of machines */
	bool one;              /* it is of one instance on one machine; else of all on as many as there may be */
	size_t exclusive;      /* the set that keeps the services apart, plus 1; or 0 */
	wide need, holds;
};

/* Returns the number of a demand's service; NAMES_NONE if it is about none. */
static int
room_service_of(const struct room *room, const struct demand *demand)
{
	const struct request *r = room->demands->request;
	const struct instance_bounds *bounds;

	switch (demand->kind) {
	case DEMAND_PLACED:
		return names_find(&room->names, demand_service(r, demand->index));
	case DEMAND_MIN: case DEMAND_HARDWARETYPES:
		return names_find(&room->names, r->template.constraints[demand->index].service);
	case DEMAND_CONSUMES:
		return names_find(&room->names, r->services[demand->index].name);
	case DEMAND_COUNT_RULE:
		bounds = request_instances_rule(r, demand->index);
		return bounds ? names_find(&room->names, bounds->service) : NAMES_NONE;
	default:
		return NAMES_NONE;
	}
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
		least = i == 0 ? 1 : i == 1 ? r->template.constraints[demand->index].min : request_instances_rule(r, demand->index)->min;
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

/* Takes the numbers of the demands that hold. Returns false if they are too large for exact sums. */
static bool
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

static void
room_release(struct room *room)
{
	names_release(&room->names);
	names_release(&room->resources);
	arena_release(&room->arena);
}

/* Returns what a service adds to a sum. */
static wide
room_part(const struct room *room, const struct room_sum *sum, size_t service)
{
	const struct room_service *s = &room->services[service];

	if (!sum->in[service] || s->instances == 0)
		return 0;
	return (sum->one ? 1 : s->instances) * (sum->resource == ANY ? 1 : s->takes[sum->resource]);
}

struct room_holder {
	wide holds;
	int64_t available;
};

static int
room_compare_holders(const void *a, const void *b)
{
	const struct room_holder *x = a, *y = b;

	return (x->holds < y->holds) - (x->holds > y->holds);
}

/* Finds how much of a sum's resource the machines hold, the largest that there may be; ROOM_ALL where nothing bounds it. */
static wide
room_holds(const struct room *room, const struct room_sum *sum)
{
	size_t all = room->demands->request->hardwaretype_count, count = 0;
	struct room_holder *list = memory_zeroed(all, sizeof *list);
	int64_t left = sum->one ? 1 : room->machines_max;
	wide holds = 0;

	BITS_EACH(h, sum->types, room->type_words) {
		wide own = sum->resource == ANY ? 1 : room->types[h].holds[sum->resource];

		if (own == ROOM_ALL && room->types[h].available > 0)
			holds = ROOM_ALL;
		if (left == NO_MAX && room->types[h].available == SOLVE_MACHINES && own > 0)
			holds = ROOM_ALL;
		list[count++] = (struct room_holder){own, room->types[h].available};
	}
	if (count)
		qsort(list, count, sizeof *list, room_compare_holders);
	for (size_t i = 0; i < count && left > 0 && holds != ROOM_ALL; i++) {
		int64_t own = list[i].available < left ? list[i].available : left;

		holds += own * list[i].holds;
		left -= left == NO_MAX ? 0 : own;
	}
	free(list);
	return holds;
}

/* Adds up. Returns whether it is too much. */
static bool
room_add_up(const struct room *room, struct room_sum *sum)
{
	sum->need = 0;
	for (size_t i = 0; i < room->names.count; i++)
		sum->need += room_part(room, sum, i);
	if (sum->need == 0)
		return false;
	sum->holds = room_holds(room, sum);
	return sum->holds != ROOM_ALL && sum->need > sum->holds;
}

/* Looks for a service of which one instance is too large for any machine that it may stand on. */
static bool
room_find_large(const struct room *room, struct room_sum *sum)
{
	wide *most = memory_zeroed(room->resources.count, sizeof *most); /* that is surely not too large on any type */
	bool found = false;

	sum->one = true;
	for (size_t i = 0; i < room->resources.count; i++) {
		most[i] = ROOM_MOST;
		BITS_EACH(h, room->usable, room->type_words)
			if (room->types[h].available == 0)
				most[i] = 0;
			else if (room->types[h].holds[i] != ROOM_ALL && room->types[h].holds[i] < most[i])
				most[i] = room->types[h].holds[i];
	}
	for (size_t i = 0; i < room->names.count && !found; i++) {
		sum->types = room->services[i].types;
		sum->in[i] = true;
		for (sum->resource = 0; sum->resource < (int)room->resources.count && !found; sum->resource++)
			found = room->services[i].takes[sum->resource] > most[sum->resource] && room_add_up(room, sum);
		sum->in[i] = found;
	}
	sum->resource -= found;
	sum->one = found;
	free(most);
	return found;
}

/* Looks for a resource of which the services that stand on each machine take more than the largest one holds. */
static bool
room_find_everywhere(const struct room *room, struct room_sum *sum)
{
	sum->one = true;
	sum->types = room->usable;
	for (size_t i = 0; i < room->names.count; i++)
		sum->in[i] = room->services[i].everywhere;
	for (sum->resource = 0; sum->resource < (int)room->resources.count; sum->resource++)
		if (room_add_up(room, sum))
			return true;
	sum->one = false;
	return false;
}

/* Looks for a set of services of which each instance needs a machine of its own, and that are too many. */
static bool
room_find_exclusive(const struct room *room, struct room_sum *sum)
{
	const struct service_sets *sets = &room->demands->request->template.mutuallyexclusive;
	bool found = false;

	sum->types = room->usable;
	sum->resource = ANY;
	for (size_t i = 0; i < sets->count && !found; i++) {
		if (!demand_holds(room->demands, DEMAND_MUTUALLYEXCLUSIVE, i))
			continue;
		memset(sum->in, 0, room->names.count * sizeof *sum->in);
		for (size_t j = 0; j < sets->list[i].count; j++) {
			int number = names_find(&room->names, sets->list[i].list[j]);

			if (number != NAMES_NONE)
				sum->in[number] = true;
		}
		found = room_add_up(room, sum);
		sum->exclusive = found ? i + 1 : 0;
	}
	return found;
}

/* Looks for a resource of which the services take more than the machines hold: those that may stand on some types only, on these. */
static bool
room_find_resource(const struct room *room, struct room_sum *sum)
{
	const uint64_t *sets[ROOM_SETS] = {room->usable};
	size_t count = 1;

	for (size_t i = 0; i < room->names.count && count < ROOM_SETS; i++) {
		size_t same = 0;

		while (same < count && !bits_equal(sets[same], room->services[i].types, room->type_words))
			same++;
		if (same == count)
			sets[count++] = room->services[i].types;
	}
	for (size_t k = 0; k < count; k++) {
		sum->types = sets[k];
		for (size_t i = 0; i < room->names.count; i++)
			sum->in[i] = bits_within(room->services[i].types, sets[k], room->type_words);
		for (sum->resource = 0; sum->resource < (int)room->resources.count; sum->resource++)
			if (room_add_up(room, sum))
				return true;
	}
	return false;
}

static bool
room_find(const struct room *room, struct room_sum *sum)
{
	return room_find_large(room, sum) || room_find_everywhere(room, sum) || room_find_exclusive(room, sum) || room_find_resource(room, sum);
}

/* Returns whether there are fewer machines to be had than are asked for. */
static bool
room_lacks_machines(const struct room *room)
{
	int64_t sum = 0;

	BITS_EACH(h, room->usable, room->type_words)
		sum += room->types[h].available;
	return !bits_empty(room->usable, room->type_words) && sum < room->machines_min;
}

bool
room_exceeds(const struct demands *demands)
{
	struct room room;
	struct room_sum sum = {0};
	bool exceeds = false;

	if (demands->request->node_count) /* present machines have types of their own */
		return false;
	if (room_init(&room, demands)) {
		sum.in = memory_zeroed(room.names.count, sizeof *sum.in);
		exceeds = room_lacks_machines(&room) || room_find(&room, &sum);
		free(sum.in);
	}
	room_release(&room);
	return exceeds;
}

struct room_share { /* what a service adds to a sum, or takes of all resources */
	wide amount;
	size_t number;
};

static int
room_compare_shares(const void *a, const void *b)
{
	const struct room_share *x = a, *y = b;

	if (x->amount != y->amount)
		return x->amount < y->amount ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* Takes services out of a sum that is too much without them, those that add least first. */
static void
room_drop_services(const struct room *room, struct room_sum *sum)
{
	struct room_share *list = memory_zeroed(room->names.count, sizeof *list);

	for (size_t i = 0; i < room->names.count; i++)
		list[i] = (struct room_share){room_part(room, sum, i), i};
	qsort(list, room->names.count, sizeof *list, room_compare_shares);
	for (size_t i = 0; i < room->names.count; i++) {
		if (sum->need - list[i].amount <= sum->holds)
			break;
		sum->need -= list[i].amount;
		sum->in[list[i].number] = false;
	}
	free(list);
}

/* Returns whether a sum may need a demand. */
static bool
room_concerns(const struct room *room, const struct room_sum *sum, const struct demand *demand)
{
	int service = room_service_of(room, demand);

	switch (demand->kind) {
	case DEMAND_SIZE_MIN: case DEMAND_SIZE_MAX: case DEMAND_MACHINES_MIN: case DEMAND_MACHINES_MAX:
		return !sum->one;
	case DEMAND_CAPACITY:
		return sum->resource != ANY && bits_has(sum->types, demand->index);
	case DEMAND_AVAILABLE:
		return bits_has(sum->types, demand->index);
	case DEMAND_HARDWARETYPE: case DEMAND_COMPATIBLE_HARDWARETYPES:
		return true;
	case DEMAND_MUTUALLYEXCLUSIVE:
		return sum->exclusive == demand->index + 1;
	case DEMAND_CONSUMES:
		return sum->resource != ANY && service != NAMES_NONE && sum->in[service];
	case DEMAND_COUNT_RULE: /* also one that only says how many there are at most */
		return service != NAMES_NONE && sum->in[service] && room->services[service].least[ROOM_LEASTS - 1] > 0;
	default:
		return service != NAMES_NONE && sum->in[service];
	}
}

bool
room_reduce(struct demands *demands)
{
	struct room room;
	struct room_sum sum = {0};
	bool found = false;

	if (demands->request->node_count)
		return false;
	if (room_init(&room, demands)) {
		bool lacks = room_lacks_machines(&room);

		sum = (struct room_sum){.in = memory_zeroed(room.names.count, sizeof *sum.in), .resource = ANY, .types = room.usable};
		found = lacks || room_find(&room, &sum);
		if (found && !lacks)
			room_drop_services(&room, &sum);
		for (size_t i = 0; i < demands->count && found; i++)
			if (!room_concerns(&room, &sum, &demands->list[i]))
				demand_drop(demands, &demands->list[i], true);
		free(sum.in);
	}
	room_release(&room);
	return found;
}

/* Returns whether what needs a demand for service a needs the same for b: b takes as much or more, and nothing else tells them apart that
 * may be part of a sum. In a layout without that for a, b could change places with it. */
static bool
room_needs_too(const struct room *room, const struct room_service *a, const struct room_service *b)
{
	for (size_t i = 0; i < room->resources.count; i++)
		if (a->takes[i] > b->takes[i])
			return false;
	return a->everywhere == b->everywhere && a->least[0] == b->least[0] && a->least[1] == b->least[1] && !a->least[2] && !b->least[2] &&
	    bits_equal(a->types, b->types, room->type_words);
}

/* Returns a measure by which a service comes before those that need_too says the same of. */
static wide
room_size(const struct room *room, const struct room_service *service)
{
	wide sum = 0;

	for (size_t i = 0; i < room->resources.count; i++)
		sum += service->takes[i];
	return sum;
}

/* Drops of one kind what is not needed, those of the smallest services first. */
static int
room_settle_kind(struct demands *demands, enum demand_kind kind, int (*contradict)(void *context, bool single), void *context)
{
	struct room room;
	struct room_share *list = memory_zeroed(demands->count, sizeof *list);
	size_t count = 0;
	int rc = 0;

	room_init(&room, demands);
	for (size_t i = 0; i < demands->count; i++) {
		struct demand *demand = &demands->list[i];

		if (demand->kind == kind && demand_holds(demands, kind, demand->index))
			list[count++] = (struct room_share){room_size(&room, &room.services[room_service_of(&room, demand)]), i};
	}
	if (count)
		qsort(list, count, sizeof *list, room_compare_shares);
	for (int drop = 1; drop >= 0 && count && rc == 0; drop--) { /* all of them at once */
		for (size_t i = 0; i < count; i++)
			demand_drop(demands, &demands->list[list[i].number], drop);
		rc = drop ? contradict(context, false) : 0;
	}
	for (size_t i = rc > 0 ? count : 0; i < count && rc >= 0; i++) {
		struct demand *demand = &demands->list[list[i].number];
		const struct room_service *service = &room.services[room_service_of(&room, demand)];

		if (demand->needed)
			continue;
		demand_drop(demands, demand, true);
		rc = contradict(context, true);
		if (rc)
			continue;
		demand_drop(demands, demand, false);
		for (size_t j = i; j < count; j++) {
			struct demand *other = &demands->list[list[j].number];

			other->needed = other->needed || room_needs_too(&room, service, &room.services[room_service_of(&room, other)]);
		}
		demand->needed = true;
	}
	room_release(&room);
	free(list);
	return rc < 0 ? -1 : 0;
}

int
room_settle(struct demands *demands, int (*contradict)(void *context, bool single), void *context)
{
	const enum demand_kind kinds[] = {DEMAND_PLACED, DEMAND_MIN, DEMAND_CONSUMES};
	int rc = 0;

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds && rc == 0; i++)
		rc = room_settle_kind(demands, kinds[i], contradict, context);
	return rc;
}
