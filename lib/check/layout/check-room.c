/* SPDX-License-Identifier: Apache-2.0
 *
 * A sum is of the services that can only stand on some types of machines (for a start on all that there are) and of one resource: if their
 * instances take more than the largest machines of these types hold, as many as there may be, no layout exists. What services that stand on
 * every machine take is left out on both sides. Services that exclude one another are such a sum, too: each instance takes one machine.
 */
#include "check/layout/check-room.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check/layout/check-context.h"

enum { ROOM_SETS = 32 }; /* of types, of which the sums are looked at */

struct room_service { /* of the cluster */
	double *takes;             /* of each resource */
	size_t definition;         /* its index in the request's services; SIZE_MAX: none */
	size_t constraint;         /* the same in the template's; SIZE_MAX */
	bool everywhere;           /* it stands on each machine */
	bool *listed;              /* types that its constraint lists; NULL: all */
	bool *own;                 /* room for a set of types; NULL at first */
	/* as far as demands hold: */
	long double instances;     /* at least */
	const bool *on;            /* types that it fits on */
};

struct room_type {
	const struct hardware_offer *offer; /* NULL: it is not to be had */
	double *capacity;                   /* of each resource, or INFINITY */
	/* as far as demands hold: */
	int64_t available;                  /* INT64_MAX: any number */
};

struct room_holder { /* machines of one kind */
	long double holds;
	int64_t number;
	size_t type;
};

struct check_room {
	const struct demands *demands;
	struct arena arena;
	struct names services, resources;
	struct room_service *list;
	struct room_type *types;
	bool *any;               /* types that are usable */
	long double *everywhere; /* what the services that stand on each machine take of each resource */
	int64_t nodes_min, nodes_max;
	struct room_holder *holders; /* room for all types */
};

void
check_bound_nodes(const struct demands *demands, int64_t *least, int64_t *most)
{
	const struct cluster_request *asked = &demands->request->cluster;
	const struct cluster_template *template = &demands->request->template;
	bool exact = demand_exact_machines(demands->request);

	*least = 1;
	*most = INT64_MAX;
	if (template->size_min > 1 && demand_holds(demands, DEMAND_SIZE_MIN, 0))
		*least = template->size_min;
	if (template->size_max < INT64_MAX && demand_holds(demands, DEMAND_SIZE_MAX, 0))
		*most = template->size_max;
	if (asked->machines_given && demand_holds(demands, DEMAND_MACHINES_MIN, 0)) {
		*least = asked->machines_min > *least ? asked->machines_min : *least;
		*most = exact && asked->machines_max < *most ? asked->machines_max : *most;
	}
	if (asked->machines_given && !exact && asked->machines_max < INT64_MAX &&
	    demand_holds(demands, DEMAND_MACHINES_MAX, 0) && asked->machines_max < *most)
		*most = asked->machines_max;
}

static void
room_read_services(struct check_room *room)
{
	const struct request *r = room->demands->request;
	bool *named;

	for (size_t i = 0; i < demand_service_count(r); i++)
		names_intern(&room->services, demand_service(r, i));
	for (size_t i = 0; i < r->service_count; i++)
		for (size_t j = 0; j < r->services[i].consumes.count; j++)
			names_intern(&room->resources, r->services[i].consumes.list[j].resource);
	room->list = arena_alloc(&room->arena, room->services.count, sizeof *room->list);
	named = arena_alloc(&room->arena, room->services.count, sizeof *named);
	check_mark_named(&r->template, &room->services, named);
	for (size_t i = 0; i < room->services.count; i++)
		room->list[i] = (struct room_service){
			.takes = arena_alloc(&room->arena, room->resources.count, sizeof(double)), .definition = SIZE_MAX,
			.constraint = SIZE_MAX, .everywhere = !named[i],
		};
	for (size_t i = 0; i < r->service_count; i++) {
		const struct amounts *consumes = &r->services[i].consumes;
		int number = names_find(&room->services, r->services[i].name);

		if (number == NAMES_NONE)
			continue;
		room->list[number].definition = i;
		for (size_t j = 0; j < consumes->count; j++)
			room->list[number].takes[names_find(&room->resources, consumes->list[j].resource)] = consumes->list[j].value;
	}
}

/* Reads which types the template lists for each service. */
static void
room_read_lists(struct check_room *room)
{
	const struct request *r = room->demands->request;
	struct names hardware = {0};

	for (size_t i = 0; i < r->hardwaretype_count; i++)
		names_intern(&hardware, r->hardwaretypes[i].name);
	for (size_t i = 0; i < r->template.constraint_count; i++) {
		const struct service_constraint *constraint = &r->template.constraints[i];
		int number = names_find(&room->services, constraint->service);

		if (number == NAMES_NONE || !constraint->hardwaretypes.count)
			continue;
		room->list[number].constraint = i;
		room->list[number].listed = arena_alloc(&room->arena, hardware.count, sizeof(bool));
		for (size_t j = 0; j < constraint->hardwaretypes.count; j++) {
			int type = names_find(&hardware, constraint->hardwaretypes.list[j]);

			if (type != NAMES_NONE)
				room->list[number].listed[type] = true;
		}
	}
	names_release(&hardware);
}

struct check_room *
check_room_new(const struct demands *demands)
{
	const struct request *r = demands->request;
	struct check_room *room = memory_zeroed(1, sizeof *room);

	room->demands = demands;
	room_read_services(room);
	room_read_lists(room);
	room->types = arena_alloc(&room->arena, r->hardwaretype_count, sizeof *room->types);
	room->any = arena_alloc(&room->arena, r->hardwaretype_count, sizeof *room->any);
	room->everywhere = arena_alloc(&room->arena, room->resources.count, sizeof *room->everywhere);
	room->holders = arena_alloc(&room->arena, r->hardwaretype_count, sizeof *room->holders);
	for (size_t i = 0; i < r->hardwaretype_count; i++) {
		struct room_type *type = &room->types[i];

		type->offer = hardwaretype_offer(&r->hardwaretypes[i], r->provider.name);
		type->capacity = arena_alloc(&room->arena, room->resources.count, sizeof *type->capacity);
		for (size_t j = 0; j < room->resources.count; j++)
			type->capacity[j] = type->offer && type->offer->capacity.count ?
			    amounts_value(&type->offer->capacity, room->resources.list[j], 0) : (double)INFINITY;
	}
	return room;
}

void
check_room_free(struct check_room *room)
{
	if (!room)
		return;
	names_release(&room->services);
	names_release(&room->resources);
	arena_release(&room->arena);
	free(room);
}

/* Returns how much of a resource a machine of a type holds, as far as that counts. */
static long double
room_capacity(const struct check_room *room, size_t type, size_t resource)
{
	const struct hardware_offer *offer = room->types[type].offer;

	if (offer && offer->capacity.count && !demand_holds(room->demands, DEMAND_CAPACITY, type))
		return INFINITY;
	return room->types[type].capacity[resource];
}

static bool
room_counts(const struct check_room *room, const struct room_service *service)
{
	return service->definition != SIZE_MAX && demand_holds(room->demands, DEMAND_CONSUMES, service->definition);
}

/* Finds the types that machines may be of. */
static void
room_find_types(struct check_room *room)
{
	const struct request *r = room->demands->request;
	const char *only = r->cluster.hardwaretype ? r->cluster.hardwaretype : r->template.default_hardwaretype;
	const struct string_list *compatible = &r->template.compatible_hardwaretypes;
	bool asked = only && demand_holds(room->demands, DEMAND_HARDWARETYPE, 0);
	bool limited = compatible->count && demand_holds(room->demands, DEMAND_COMPATIBLE_HARDWARETYPES, 0);

	for (size_t i = 0; i < r->hardwaretype_count; i++) {
		const struct hardware_offer *offer = room->types[i].offer;
		const char *name = r->hardwaretypes[i].name;
		bool usable = offer && offer->flavor && (!asked || strcmp(only, name) == 0) && (!limited || name_list_has(compatible, name));

		for (size_t j = 0; j < room->resources.count && usable; j++)
			usable = !check_exceeds(room->everywhere[j], room_capacity(room, i, j), room->everywhere[j]);
		room->any[i] = usable;
		room->types[i].available = offer && offer->available >= 0 && demand_holds(room->demands, DEMAND_AVAILABLE, i) ?
		    offer->available : INT64_MAX;
	}
}

/* Finds the types that a service fits on. least: of each resource, what the smallest type holds. */
static void
room_find_types_of(struct check_room *room, struct room_service *service, const long double *least)
{
	size_t types = room->demands->request->hardwaretype_count;
	bool listed = service->listed && demand_holds(room->demands, DEMAND_HARDWARETYPES, service->constraint);
	bool small = service->everywhere || !room_counts(room, service);

	if (!small) {
		small = true;
		for (size_t j = 0; j < room->resources.count && small; j++)
			small = room->everywhere[j] + service->takes[j] <= least[j];
	}
	service->on = room->any;
	if (small && !listed)
		return;
	if (!service->own)
		service->own = arena_alloc(&room->arena, types, sizeof *service->own);
	service->on = service->own;
	for (size_t i = 0; i < types; i++) {
		bool on = room->any[i] && (!listed || service->listed[i]);

		for (size_t j = 0; j < room->resources.count && on && !small; j++)
			on = !check_exceeds(room->everywhere[j] + service->takes[j], room_capacity(room, i, j), room->everywhere[j] + service->takes[j]);
		service->own[i] = on;
	}
}

/* Finds what the demands that hold say. */
static void
room_read(struct check_room *room)
{
	long double *least = memory_zeroed(room->resources.count, sizeof *least);

	check_bound_nodes(room->demands, &room->nodes_min, &room->nodes_max);
	for (size_t j = 0; j < room->resources.count; j++)
		room->everywhere[j] = 0;
	for (size_t i = 0; i < room->services.count; i++) {
		room->list[i].instances = 0;
		for (size_t j = 0; j < room->resources.count && room->list[i].everywhere && room_counts(room, &room->list[i]); j++)
			room->everywhere[j] += room->list[i].takes[j];
	}
	room_find_types(room);
	for (size_t j = 0; j < room->resources.count; j++) {
		least[j] = INFINITY;
		for (size_t i = 0; i < room->demands->request->hardwaretype_count; i++)
			if (room->any[i])
				least[j] = fminl(least[j], room_capacity(room, i, j));
	}
	for (size_t i = 0; i < room->services.count; i++)
		room_find_types_of(room, &room->list[i], least);
	for (size_t i = 0; i < room->demands->count; i++) {
		const struct demand *demand = &room->demands->list[i];
		int64_t instances = 0;
		const char *service = demand_least(room->demands->request, demand, &instances);
		int number = service && demand_holds(room->demands, demand->kind, demand->index) ? names_find(&room->services, service) : NAMES_NONE;

		if (number != NAMES_NONE)
			room->list[number].instances = fmaxl(room->list[number].instances, (long double)instances);
	}
	free(least);
}

static int
room_compare_holders(const void *a, const void *b)
{
	const struct room_holder *x = a, *y = b;

	return (x->holds < y->holds) - (x->holds > y->holds);
}

/* Lists the machines that there may be, those first that hold most of a resource; of SIZE_MAX, each holds one. Returns how many kinds. */
static size_t
room_list_holders(struct check_room *room, size_t resource)
{
	const struct request *r = room->demands->request;
	size_t count = 0;

	for (size_t i = 0; i < r->hardwaretype_count; i++)
		if (room->any[i])
			room->holders[count++] = (struct room_holder){
				resource == SIZE_MAX ? 1 : room_capacity(room, i, resource) - room->everywhere[resource], room->types[i].available, i};
	if (count)
		qsort(room->holders, count, sizeof *room->holders, room_compare_holders);
	return count;
}

/* Returns how much the machines of some types hold together that are listed, as many as there may be. */
static long double
room_holds(const struct check_room *room, const bool *types, size_t count)
{
	int64_t left = room->nodes_max;
	long double sum = 0;

	for (size_t i = 0; i < count && left > 0; i++) {
		const struct room_holder *holder = &room->holders[i];
		int64_t number = holder->number < left ? holder->number : left;

		if (!types[holder->type] || number == 0 || holder->holds <= 0)
			continue;
		if (holder->holds == INFINITY || number == INT64_MAX)
			return INFINITY;
		sum += holder->holds * (long double)number;
		left -= left == INT64_MAX ? 0 : number;
	}
	return sum;
}

/* Returns whether services take more of a resource than such machines hold; in: those that count. */
static bool
room_is_exceeded(const struct check_room *room, const bool *in, size_t resource, const bool *types, size_t count)
{
	long double need = 0;

	for (size_t i = 0; i < room->services.count; i++)
		if (in[i] && (resource == SIZE_MAX || room_counts(room, &room->list[i])))
			need += room->list[i].instances * (resource == SIZE_MAX ? 1 : (long double)room->list[i].takes[resource]);
	return need > 0 && check_exceeds(need, room_holds(room, types, count), need);
}

/* Collects the different sets of types that services fit on, the first of all that are usable. Returns how many. */
static size_t
room_list_sets(const struct check_room *room, const bool *sets[ROOM_SETS])
{
	size_t types = room->demands->request->hardwaretype_count, count = 1;

	sets[0] = room->any;
	for (size_t i = 0; i < room->services.count && count < ROOM_SETS; i++) {
		size_t same = 0;

		while (same < count && sets[same] != room->list[i].on && memcmp(sets[same], room->list[i].on, types) != 0)
			same++;
		if (same == count)
			sets[count++] = room->list[i].on;
	}
	return count;
}

/* Marks the services that can only stand on these types. */
static void
room_mark_services(const struct check_room *room, const bool *types, bool *in)
{
	for (size_t i = 0; i < room->services.count; i++) {
		const struct room_service *service = &room->list[i];

		in[i] = !service->everywhere && service->instances > 0;
		for (size_t h = 0; h < room->demands->request->hardwaretype_count && in[i]; h++)
			in[i] = !service->on[h] || types[h];
	}
}

static bool
room_lacks_amounts(struct check_room *room)
{
	const bool *sets[ROOM_SETS];
	size_t set_count = room_list_sets(room, sets);
	bool *in = memory_zeroed(set_count * room->services.count, sizeof *in), lacks = false;

	for (size_t k = 0; k < set_count; k++)
		room_mark_services(room, sets[k], in + k * room->services.count);
	for (size_t j = 0; j < room->resources.count && !lacks; j++) {
		size_t count = room_list_holders(room, j);

		for (size_t k = 0; k < set_count && !lacks; k++)
			lacks = room_is_exceeded(room, in + k * room->services.count, j, sets[k], count);
	}
	free(in);
	return lacks;
}

/* Returns whether there are fewer machines than are needed: by their number, by the instances of one service, or by those of services that
 * exclude one another. */
static bool
room_lacks_machines(struct check_room *room)
{
	const struct service_sets *sets = &room->demands->request->template.mutuallyexclusive;
	size_t count = room_list_holders(room, SIZE_MAX);
	bool *in = memory_zeroed(room->services.count, sizeof *in), lacks = room_holds(room, room->any, count) < (long double)room->nodes_min;

	for (size_t i = 0; i < room->services.count && !lacks; i++)
		lacks = room->list[i].instances > 0 && room->list[i].instances > room_holds(room, room->list[i].on, count);
	for (size_t i = 0; i < sets->count && !lacks; i++) {
		if (!demand_holds(room->demands, DEMAND_MUTUALLYEXCLUSIVE, i))
			continue;
		memset(in, 0, room->services.count * sizeof *in);
		for (size_t j = 0; j < sets->list[i].count; j++) {
			int number = names_find(&room->services, sets->list[i].list[j]);

			if (number != NAMES_NONE)
				in[number] = true;
		}
		lacks = room_is_exceeded(room, in, SIZE_MAX, room->any, count);
	}
	free(in);
	return lacks;
}

bool
check_room_lacks(struct check_room *room)
{
	if (room->demands->request->node_count) /* these have types, and services, of their own */
		return false;
	room_read(room);
	return room_lacks_machines(room) || room_lacks_amounts(room);
}

unsigned long
check_room_work(const struct check_room *room)
{
	size_t services = room->services.count, types = room->demands->request->hardwaretype_count, resources = room->resources.count + 1;

	return 100 * room->demands->count + 4 * services * types + ROOM_SETS * resources * (services + 10 * types);
}
