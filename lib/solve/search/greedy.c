/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/search/greedy.h"

#include <stdlib.h>

#include "solve/lp/master.h"
#include "solve/program/bits.h"

enum {
	LARGE_UNITS = 1000,
	FULL_WORDS = 1 << 22, /* of the table of what a machine can be filled with */
	INSTANCES_MOST = 50000, /* each is put on a machine by itself */
};

#define ANY_AMOUNT 1.001 /* what a type offers that offers any amount: more than the largest */

struct machine {
	int hardware;
	uint64_t *units, *images; /* that stand on it; that all of them may use */
	int64_t *left;            /* of each resource */
	size_t count;             /* units that do not stand on every machine */
};

struct greedy {
	const struct program *program;
	struct arena *arena;
	struct machine *machines;
	size_t count, capacity;
	int64_t *used;   /* machines of each hardware type */
	double *worth;   /* what a type offers for what it costs */
	double *most;    /* of each resource that a type offers */
	int64_t *placed; /* instances of each unit */
};

struct greedy_unit {
	size_t unit, excludes;
	double size; /* the largest part of what machines offer */
};

bool
greedy_applies(const struct program *p)
{
	return p->group_count == 1 && !p->linear_count && !p->choice_count && !p->spread && !p->condition;
}

bool
greedy_is_wanted(const struct program *p)
{
	return p->unit_count >= LARGE_UNITS && greedy_applies(p);
}

static bool
greedy_has_room(const struct program *p, const struct machine *machine, size_t u)
{
	const struct unit *unit = &p->units[u];

	for (size_t i = 0; i < p->resource_count; i++)
		if (machine->left[i] != NO_MAX && unit->consumes[i] > machine->left[i])
			return false;
	return !unit->banned && !bits_has(machine->units, u) && bits_has(unit->hardware, (size_t)machine->hardware) &&
	    !bits_meet(unit->excludes, machine->units, p->unit_words) && bits_meet(unit->images, machine->images, p->image_words) &&
	    !program_completes_nogood(p, machine->units, u);
}

static void
greedy_put(const struct program *p, struct machine *machine, size_t u)
{
	bits_add(machine->units, u);
	bits_keep(machine->images, p->units[u].images, p->image_words);
	for (size_t i = 0; i < p->resource_count; i++)
		if (machine->left[i] != NO_MAX)
			machine->left[i] -= p->units[u].consumes[i];
}

/* Makes a machine of a type with what stands on all of them. Returns false if that cannot be. */
static bool
greedy_start(struct greedy *g, struct machine *machine, int hardware)
{
	const struct program *p = g->program;
	const struct group *group = &p->groups[0];
	struct arena *arena = g->arena;

	if (!bits_has(group->hardware, (size_t)hardware) || g->used[hardware] >= p->hardware[hardware].available)
		return false;
	*machine = (struct machine){.hardware = hardware, .units = arena_alloc(arena, p->unit_words, sizeof(uint64_t)),
	    .images = bits_duplicate(group->images, p->image_words, arena), .left = arena_alloc(arena, p->resource_count, sizeof(int64_t))};
	for (size_t i = 0; i < p->resource_count; i++)
		machine->left[i] = p->hardware[hardware].capacity[i];
	BITS_EACH(u, group->stays, p->unit_words) {
		if (!greedy_has_room(p, machine, u))
			return false;
		greedy_put(p, machine, u);
	}
	return true;
}

/* Puts an instance, or with SIZE_MAX none, on a machine of its own, of the type that offers most for what it costs. */
static bool
greedy_open(struct greedy *g, size_t u)
{
	const struct program *p = g->program;
	struct machine machine, best = {.hardware = SIMPLEX_NONE};

	if ((int64_t)g->count >= p->machines_max)
		return false;
	for (size_t h = 0; h < p->hardware_count; h++)
		if ((best.hardware == SIMPLEX_NONE || g->worth[h] > g->worth[best.hardware]) && greedy_start(g, &machine, (int)h) &&
		    (u == SIZE_MAX || greedy_has_room(p, &machine, u)))
			best = machine;
	if (best.hardware == SIMPLEX_NONE)
		return false;
	if (u != SIZE_MAX)
		greedy_put(p, &best, u);
	best.count = u != SIZE_MAX;
	g->used[best.hardware]++;
	ARRAY_ROOM(g->machines, g->count, g->capacity);
	g->machines[g->count++] = best;
	return true;
}

/* Puts instances on the first machines that have room. */
static bool
greedy_place(struct greedy *g, size_t u, int64_t instances)
{
	for (size_t i = 0; i < g->count && instances > 0; i++)
		if (greedy_has_room(g->program, &g->machines[i], u)) {
			greedy_put(g->program, &g->machines[i], u);
			g->machines[i].count++;
			instances--;
		}
	while (instances > 0 && greedy_open(g, u))
		instances--;
	return instances == 0;
}

/* Finds what each type offers for what it costs, by the first objective. */
static void
greedy_weigh_types(struct greedy *g)
{
	const struct program *p = g->program;
	size_t first = p->objective_count > 1 && p->objectives[0] == OBJECTIVE_MOVES;
	const int64_t *cost = p->objective_count ? p->weights[p->objectives[first]].hardware : NULL;

	for (size_t h = 0; h < p->hardware_count; h++)
		for (size_t i = 0; i < p->resource_count; i++)
			if (p->hardware[h].capacity[i] != NO_MAX && bits_has(p->groups[0].hardware, h) && (double)p->hardware[h].capacity[i] > g->most[i])
				g->most[i] = (double)p->hardware[h].capacity[i];
	for (size_t h = 0; h < p->hardware_count; h++) {
		for (size_t i = 0; i < p->resource_count; i++)
			g->worth[h] += p->hardware[h].capacity[i] == NO_MAX || g->most[i] <= 0 ? ANY_AMOUNT : (double)p->hardware[h].capacity[i] / g->most[i];
		if (cost)
			g->worth[h] = (g->worth[h] + 1e-9) / ((double)cost[h] + 1e-9);
	}
}

static int
greedy_compare(const void *a, const void *b)
{
	const struct greedy_unit *x = a, *y = b;

	if (x->size < y->size || x->size > y->size)
		return x->size < y->size ? 1 : -1;
	if (x->excludes != y->excludes)
		return x->excludes < y->excludes ? 1 : -1;
	return x->unit < y->unit ? -1 : x->unit > y->unit;
}

/* Returns the units that have to be placed, the large ones first. */
static struct greedy_unit *
greedy_order(struct greedy *g, size_t *count, int64_t *instances)
{
	const struct program *p = g->program;
	struct greedy_unit *list = memory_zeroed(p->unit_count, sizeof *list);

	*count = 0;
	*instances = 0;
	for (size_t u = 0; u < p->unit_count; u++) {
		struct greedy_unit *unit = &list[*count];

		if (p->units[u].min <= 0 || p->units[u].everywhere)
			continue;
		*unit = (struct greedy_unit){.unit = u, .excludes = bits_count(p->units[u].excludes, p->unit_words)};
		for (size_t i = 0; i < p->resource_count; i++)
			if (g->most[i] > 0 && (double)p->units[u].consumes[i] / g->most[i] > unit->size)
				unit->size = (double)p->units[u].consumes[i] / g->most[i];
		*instances = count_add(*instances, p->units[u].min);
		++*count;
	}
	if (*count)
		qsort(list, *count, sizeof *list, greedy_compare);
	return list;
}

/* Takes the last of the units from a machine. */
static size_t
greedy_take_last(const struct program *p, struct machine *machine)
{
	size_t last = 0;

	BITS_EACH(u, machine->units, p->unit_words)
		if (!bits_has(p->groups[0].stays, u))
			last = u;
	bits_drop(machine->units, last);
	machine->count--;
	return last;
}

/* Opens machines until there are as many as there have to be: what stands on the last ones is shared out, then there are more instances. */
static bool
greedy_fill_up(struct greedy *g)
{
	const struct program *p = g->program;
	int64_t want = p->machines_min;
	size_t last = g->count;

	while (last > 0 && (int64_t)g->count < want) {
		if (g->machines[last - 1].count < 2)
			last--;
		else if (!greedy_open(g, greedy_take_last(p, &g->machines[last - 1])))
			return false;
	}
	for (size_t u = 0; u < p->unit_count; u++)
		while ((int64_t)g->count < want && bits_has(p->groups[0].open, u) && g->placed[u] < p->units[u].max && greedy_open(g, u))
			g->placed[u]++;
	while ((int64_t)g->count < want && !bits_empty(p->groups[0].stays, p->unit_words) && greedy_open(g, SIZE_MAX))
		;
	return (int64_t)g->count >= want;
}

/* Returns whether no unit has more instances than it may have. */
static bool
greedy_keeps_most(const struct greedy *g)
{
	const struct program *p = g->program;

	for (size_t u = 0; u < p->unit_count; u++)
		if ((p->units[u].everywhere ? (int64_t)g->count : g->placed[u]) > p->units[u].max)
			return false;
	return true;
}

static void
greedy_take(const struct greedy *g, struct uses *found)
{
	found->count = 0;
	for (size_t i = 0; i < g->count; i++) {
		struct use *before = found->count ? &found->list[found->count - 1] : NULL;
		struct pattern pattern = {.group = 0, .hardware = g->machines[i].hardware, .units = g->machines[i].units};

		if (before && pattern_same(g->program, &before->pattern, &pattern)) {
			before->count++;
			continue;
		}
		ARRAY_ROOM(found->list, found->count, found->capacity);
		found->list[found->count++] = (struct use){pattern, 1};
	}
}

/* Puts the units that have to be placed on the first machines that have room for them. */
static bool
greedy_first_fit(struct greedy *g, const struct greedy_unit *units, size_t count)
{
	bool good = true;

	for (size_t i = 0; i < count && good; i++) {
		g->placed[units[i].unit] = g->program->units[units[i].unit].min;
		good = greedy_place(g, units[i].unit, g->placed[units[i].unit]);
	}
	return good;
}

/* Returns the resource of which the units take most, beside what a machine offers; SIZE_MAX if none is short. */
static size_t
greedy_scarcest(const struct greedy *g)
{
	const struct program *p = g->program;
	size_t scarcest = SIZE_MAX;
	double most = 0;

	for (size_t i = 0; i < p->resource_count; i++) {
		double sum = 0;

		for (size_t u = 0; u < p->unit_count && g->most[i] > 0; u++)
			sum += (double)p->units[u].min * (double)p->units[u].consumes[i] / g->most[i];
		if (sum > most) {
			most = sum;
			scarcest = i;
		}
	}
	return scarcest;
}

/* Puts on the last machine, of the units that have instances left, those that together leave least of a resource, large ones first. The units
 * before one in the order are not smaller; row i of sums has what those from i on can add up to. */
static bool
greedy_fill(struct greedy *g, const struct greedy_unit *units, size_t count, int64_t *left, size_t resource)
{
	const struct program *p = g->program;
	struct machine *machine = &g->machines[g->count - 1];
	int64_t room = machine->left[resource], sum;
	size_t words = bits_words(room > 0 && room < FULL_WORDS ? (size_t)room : 0);
	uint64_t *sums;

	if (room < 0 || room >= FULL_WORDS || words * (count + 1) > FULL_WORDS)
		return false;
	sums = memory_zeroed(words * (count + 1), sizeof *sums);
	sums[words * count] = 1;
	for (size_t i = count; i-- > 0;) {
		size_t own = (size_t)p->units[units[i].unit].consumes[resource];
		uint64_t *row = &sums[words * i], *before = row + words;

		bits_copy(row, before, words);
		if (left[i] == 0 || !greedy_has_room(p, machine, units[i].unit))
			continue;
		for (size_t w = own / 64; w < words; w++)
			row[w] |= before[w - own / 64] << own % 64 | (own % 64 && w > own / 64 ? before[w - own / 64 - 1] >> (64 - own % 64) : 0);
	}
	for (sum = room; !bits_has(sums, (size_t)sum);)
		sum--;
	for (size_t i = 0; i < count; i++) {
		int64_t own = p->units[units[i].unit].consumes[resource];

		if (left[i] == 0 || own > sum || !bits_has(&sums[words * (i + 1)], (size_t)(sum - own)) ||
		    !greedy_has_room(p, machine, units[i].unit))
			continue;
		greedy_put(p, machine, units[i].unit);
		machine->count++;
		left[i]--;
		sum -= own;
	}
	free(sums);
	return true;
}

/* Fills one machine after another as full as can be of the scarcest resource, which succeeds also where next to nothing may be left over. */
static bool
greedy_full(struct greedy *g, const struct greedy_unit *units, size_t count)
{
	const struct program *p = g->program;
	size_t resource = greedy_scarcest(g), next = 0;
	int64_t *left = memory_zeroed(count, sizeof *left);
	bool good = resource != SIZE_MAX;

	g->count = 0;
	memset(g->used, 0, p->hardware_count * sizeof *g->used);
	for (size_t i = 0; i < count; i++)
		left[i] = p->units[units[i].unit].min;
	while (good && next < count) {
		if (left[next] == 0) {
			next++;
			continue;
		}
		good = greedy_open(g, units[next].unit);
		left[next] -= good;
		good = good && greedy_fill(g, units, count, left, resource);
	}
	free(left);
	return good;
}

bool
greedy_find(const struct program *p, struct arena *arena, struct uses *found)
{
	struct greedy g = {.program = p, .arena = arena, .used = arena_alloc(arena, p->hardware_count, sizeof *g.used),
	    .worth = arena_alloc(arena, p->hardware_count, sizeof *g.worth), .most = arena_alloc(arena, p->resource_count, sizeof *g.most),
	    .placed = arena_alloc(arena, p->unit_count, sizeof *g.placed)};
	struct greedy_unit *units;
	size_t count;
	int64_t instances;
	bool good;

	greedy_weigh_types(&g);
	units = greedy_order(&g, &count, &instances);
	good = !p->impossible && instances <= INSTANCES_MOST;
	good = good && (greedy_first_fit(&g, units, count) || greedy_full(&g, units, count));
	good = good && greedy_fill_up(&g) && greedy_keeps_most(&g);
	if (good)
		greedy_take(&g, found);
	free(units);
	free(g.machines);
	return good;
}
