/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/conflict/room.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/answer/demand.h"
#include "model/request.h"
#include "solve/conflict/room-numbers.h"
#include "solve/program/bits.h"

enum { ROOM_SETS = 16 }; /* of types that services are restricted to, which are looked at */

struct room_sum { /* which is too much */
	bool *in;              /* services that it is of */
	int resource;          /* that they take; or ANY: each instance takes a machine */
	const uint64_t *types; /* of machines */
	bool one;              /* it is of one instance on one machine; else of all on as many as there may be */
	size_t exclusive;      /* the set that keeps the services apart, plus 1; or 0 */
	wide need, holds;
};

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

struct room_look { /* at the demands that hold */
	struct room_sum sum; /* one that is too much */
	bool lacks;          /* there are too few machines, whatever stands on them */
};

/* Looks for a sum that is too much. Returns whether there is one. End the look in any case. */
static bool
room_look(struct room_look *look, struct room *room)
{
	*look = (struct room_look){.lacks = false};
	if (room->demands->request->node_count || !room_read(room)) /* present machines have types of their own */
		return false;
	look->sum = (struct room_sum){.in = memory_zeroed(room->names.count, sizeof *look->sum.in), .resource = ANY, .types = room->usable};
	look->lacks = room_lacks_machines(room);
	return look->lacks || room_find(room, &look->sum);
}

static void
room_look_end(struct room_look *look)
{
	free(look->sum.in);
}

bool
room_exceeds(struct room *room)
{
	struct room_look look;
	bool exceeds = room_look(&look, room);

	room_look_end(&look);
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
room_reduce(struct room *room, struct demands *demands)
{
	struct room_look look;
	bool found = room_look(&look, room);

	if (found && !look.lacks)
		room_drop_services(room, &look.sum);
	for (size_t i = 0; i < demands->count && found; i++)
		if (!room_concerns(room, &look.sum, &demands->list[i]))
			demand_drop(demands, &demands->list[i], true);
	room_look_end(&look);
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
room_measure(const struct room *room, const struct room_service *service)
{
	wide sum = 0;

	for (size_t i = 0; i < room->resources.count; i++)
		sum += service->takes[i];
	return sum;
}

/* Drops of one kind what is not needed, those of the smallest services first. */
static int
room_settle_kind(struct room *room, struct demands *demands, enum demand_kind kind, int (*contradict)(void *context, bool single), void *context)
{
	struct room_share *list = memory_zeroed(demands->count, sizeof *list);
	size_t count = 0;
	int rc = 0;

	room_read(room);
	for (size_t i = 0; i < demands->count; i++) {
		struct demand *demand = &demands->list[i];

		if (demand->kind == kind && demand_holds(demands, kind, demand->index))
			list[count++] = (struct room_share){room_measure(room, &room->services[room_service_of(room, demand)]), i};
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
		const struct room_service *service = &room->services[room_service_of(room, demand)];

		if (demand->needed)
			continue;
		demand_drop(demands, demand, true);
		rc = contradict(context, true);
		if (rc)
			continue;
		demand_drop(demands, demand, false);
		for (size_t j = i; j < count; j++) {
			struct demand *other = &demands->list[list[j].number];

			other->needed = other->needed || room_needs_too(room, service, &room->services[room_service_of(room, other)]);
		}
		demand->needed = true;
	}
	free(list);
	return rc < 0 ? -1 : 0;
}

int
room_settle(struct demands *demands, int (*contradict)(void *context, bool single), void *context)
{
	const enum demand_kind kinds[] = {DEMAND_PLACED, DEMAND_MIN, DEMAND_CONSUMES};
	struct room room; /* that what is asked meanwhile does not read anew */
	int rc = 0;

	room_init(&room, demands);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds && rc == 0; i++)
		rc = room_settle_kind(&room, demands, kinds[i], contradict, context);
	room_release(&room);
	return rc;
}
