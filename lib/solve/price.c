/* SPDX-License-Identifier: Apache-2.0
 *
 * Depth first over the units, those of most worth per room they take first, each one taken before it is left out. A branch ends
 * where what may still come cannot beat what was found: of each clique of units that exclude each other at most one
 * comes, and where capacities count no more than fills the room that is left.
 */
#include "solve/price.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solve/bits.h"

struct hunt {
	const struct program *program;
	const struct prices *prices;
	const struct wish *wish; /* or NULL */
	int group, hardware;
	int *order;              /* units still to be decided */
	size_t count, first;     /* of them; the first ones are decided in any case, */
	size_t gainful;          /* up to here are worth something, behind it are those that only make up the size */
	int64_t *hope;           /* [i]: what order[i..] may add at best */
	double *weight;          /* of each unit: the part of the machine that it takes */
	size_t *rest;            /* [i]: services in order[i..] */
	size_t largest;          /* services in one unit, at most */
	uint64_t *chosen, *refused, *images; /* images: of each depth, those that all chosen may use */
	uint64_t *asked;         /* units that tolls ask for */
	int64_t *left;           /* capacity */
	double room;             /* the part of the machine that is left */
	bool crammed;            /* capacities count */
	size_t size;             /* services chosen */
	size_t need;             /* services at least */
	int64_t value;           /* of what is chosen, without tolls */
	int64_t grain;           /* all prices of units are multiples of it */
	int64_t best;
	bool found;
	uint64_t *best_units;
};

bool
region_has(const struct program *program, const struct region *region, const struct pattern *pattern)
{
	return (region->group == ANY || region->group == pattern->group) &&
	    (region->hardware == ANY || region->hardware == pattern->hardware) &&
	    bits_within(region->with, pattern->units, program->unit_words) &&
	    !bits_meet(region->without, pattern->units, program->unit_words);
}

bool
pattern_same(const struct program *program, const struct pattern *a, const struct pattern *b)
{
	return a->group == b->group && a->hardware == b->hardware && bits_equal(a->units, b->units, program->unit_words);
}

size_t
pattern_size(const struct program *program, const uint64_t *units)
{
	size_t size = 0;

	for (size_t u = bits_next(units, program->unit_words, 0); u != SIZE_MAX;
	     u = bits_next(units, program->unit_words, u + 1))
		size += program->units[u].size;
	return size;
}

/* Whether a toll can concern this group and type at all. */
static bool
concerns(const struct hunt *hunt, const struct toll *toll)
{
	return toll->price != 0 && (toll->region->group == ANY || toll->region->group == hunt->group) &&
	    (toll->region->hardware == ANY || toll->region->hardware == hunt->hardware);
}

/* The tolls of what is chosen: exact where all is decided, else at best. */
static int64_t
tolls(const struct hunt *hunt, bool decided)
{
	size_t words = hunt->program->unit_words;
	int64_t sum = 0;

	for (size_t i = 0; i < hunt->prices->toll_count; i++) {
		const struct toll *toll = &hunt->prices->tolls[i];

		if (!concerns(hunt, toll) || bits_meet(toll->region->without, hunt->chosen, words))
			continue;
		if (decided ? bits_within(toll->region->with, hunt->chosen, words)
		            : toll->price > 0 && !bits_meet(toll->region->with, hunt->refused, words))
			sum += toll->price;
	}
	return sum;
}

static bool
completes_crowd(const struct hunt *hunt, const struct unit *unit, size_t u)
{
	const struct program *p = hunt->program;
	bool whole = false;

	bits_add(hunt->chosen, u);
	for (size_t i = 0; i < unit->crowd_count && !whole; i++)
		whole = bits_within(p->crowds[unit->crowds[i]], hunt->chosen, p->unit_words);
	bits_drop(hunt->chosen, u);
	return whole;
}

/* Puts unit u on the machine, at that depth (its images become those of the next). False, and nothing done, where it may not stand there. */
static bool
take(struct hunt *hunt, size_t u, size_t depth)
{
	const struct program *p = hunt->program;
	const struct unit *unit = &p->units[u];
	uint64_t *images = hunt->images + (depth + 1) * p->image_words;

	if (unit->banned || hunt->prices->unit[u] == PRICE_FORBIDDEN || !bits_has(unit->hardware, (size_t)hunt->hardware) ||
	    (!bits_has(p->groups[hunt->group].open, u) && !bits_has(p->groups[hunt->group].stays, u)) ||
	    bits_meet(unit->excludes, hunt->chosen, p->unit_words))
		return false;
	for (size_t i = 0; i < p->resource_count; i++)
		if (hunt->left[i] != NO_MAX && unit->consumes[i] > hunt->left[i])
			return false;
	bits_copy(images, hunt->images + depth * p->image_words, p->image_words);
	if (!bits_keep(images, unit->images, p->image_words) || completes_crowd(hunt, unit, u))
		return false;
	for (size_t i = 0; i < p->resource_count; i++)
		if (hunt->left[i] != NO_MAX)
			hunt->left[i] -= unit->consumes[i];
	bits_add(hunt->chosen, u);
	hunt->size += unit->size;
	hunt->value += hunt->prices->unit[u];
	hunt->room -= hunt->weight[u];
	return true;
}

static void
put_back(struct hunt *hunt, size_t u)
{
	const struct program *p = hunt->program;

	for (size_t i = 0; i < p->resource_count; i++)
		if (hunt->left[i] != NO_MAX)
			hunt->left[i] += p->units[u].consumes[i];
	bits_drop(hunt->chosen, u);
	hunt->size -= p->units[u].size;
	hunt->value -= hunt->prices->unit[u];
	hunt->room += hunt->weight[u];
}

/* What order[from..gainful] may add where only the room counts: the last unit in part. */
static int64_t
filling(const struct hunt *hunt, size_t from)
{
	double room = hunt->room + 1e-9, sum = 0;

	for (size_t i = from; i < hunt->gainful; i++) {
		int u = hunt->order[i];
		double worth = (double)hunt->prices->unit[u], weight = hunt->weight[u];

		if (worth <= 0)
			continue;
		if (weight > room && i >= hunt->first)
			return (int64_t)ceil((sum + worth * (room > 0 ? room / weight : 0)) * (1 + 1e-12)) + 1;
		sum += worth;
		room -= i >= hunt->first ? weight : 0;
	}
	return (int64_t)ceil(sum * (1 + 1e-12)) + 1;
}

/* What the units that only make up the size cost at least. */
static int64_t
padding(const struct hunt *hunt, size_t from)
{
	size_t start = from > hunt->gainful ? from : hunt->gainful;
	size_t have = hunt->size + (from < hunt->gainful ? hunt->rest[from] - hunt->rest[hunt->gainful] : 0);
	int64_t sum = 0;

	for (size_t i = start; i < hunt->count && have < hunt->need; i++) {
		sum += hunt->prices->unit[hunt->order[i]];
		have += hunt->largest;
	}
	return sum;
}

/* Whether what was left out is no worse than u, and could stand in its place: then a pattern with u is nothing new. */
static bool
is_pointless(const struct hunt *hunt, size_t i)
{
	const struct program *p = hunt->program;
	int u = hunt->order[i];

	if (i < hunt->first)
		return false;
	for (size_t word = 0; word < p->unit_words; word++) {
		uint64_t better = p->units[u].betters[word] & hunt->refused[word];

		for (; better; better &= better - 1) {
			size_t other = word * 64 + (size_t)__builtin_ctzll(better);

			if (hunt->prices->unit[other] >= hunt->prices->unit[u] && !bits_has(hunt->asked, other))
				return true;
		}
	}
	return false;
}

static bool
hopeless(const struct hunt *hunt, size_t from)
{
	int64_t hope = from < hunt->gainful ? hunt->hope[from] : 0;

	if (hunt->size + hunt->rest[from] < hunt->need)
		return true;
	if (hunt->crammed && from < hunt->gainful) {
		int64_t filled = filling(hunt, from);

		filled -= filled % hunt->grain;
		hope = filled < hope ? filled : hope;
	}
	return hunt->value + hope + padding(hunt, from) + tolls(hunt, false) <= hunt->best;
}

static void
search(struct hunt *hunt, size_t i, size_t depth)
{
	if (hopeless(hunt, i))
		return;
	if (i == hunt->count || (i >= hunt->gainful && hunt->size >= hunt->need)) {
		int64_t value = hunt->value + tolls(hunt, true);

		if (value > hunt->best) {
			hunt->best = value;
			hunt->found = true;
			bits_copy(hunt->best_units, hunt->chosen, hunt->program->unit_words);
		}
		return;
	}
	if (!is_pointless(hunt, i) && take(hunt, (size_t)hunt->order[i], depth)) {
		search(hunt, i + 1, depth + 1);
		put_back(hunt, (size_t)hunt->order[i]);
	}
	bits_add(hunt->refused, (size_t)hunt->order[i]);
	search(hunt, i + 1, depth);
	bits_drop(hunt->refused, (size_t)hunt->order[i]);
}

/* The part of the machine that a unit takes: the mean over the resources. */
static double
weigh(const struct program *p, const struct unit *unit, const int64_t *capacity)
{
	double sum = 0;
	size_t counted = 0;

	for (size_t i = 0; i < p->resource_count; i++)
		if (capacity[i] != NO_MAX && capacity[i] > 0) {
			sum += (double)unit->consumes[i] / (double)capacity[i];
			counted++;
		}
	return counted ? sum / (double)counted : 0;
}

/* 0: a toll asks for it; 1: worth something; 2: only makes up the size. */
static int
rank(const struct hunt *hunt, int u)
{
	for (size_t i = 0; i < hunt->prices->toll_count; i++)
		if (concerns(hunt, &hunt->prices->tolls[i]) &&
		    (bits_has(hunt->prices->tolls[i].region->with, (size_t)u) ||
		        bits_has(hunt->prices->tolls[i].region->without, (size_t)u)))
			return 0;
	return hunt->prices->unit[u] > 0 ? 1 : 2;
}

static int64_t
common_divisor(int64_t a, int64_t b)
{
	while (b) {
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

struct candidate {
	int unit, rank;
	double merit;
};

static int
compare_candidates(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank - y->rank;
	if (x->merit != y->merit)
		return x->merit < y->merit ? 1 : -1;
	return x->unit - y->unit;
}

/* The units to decide, in the order in which that is done. */
static void
arrange(struct hunt *hunt, const struct candidate *list, size_t count)
{
	const struct program *p = hunt->program;
	int64_t *clique = memory_zeroed(p->unit_count, sizeof *clique);

	hunt->count = count;
	hunt->first = hunt->gainful = hunt->largest = 0;
	hunt->grain = 0;
	for (size_t i = 0; i < count; i++) {
		hunt->order[i] = list[i].unit;
		hunt->first += list[i].rank == 0;
		if (list[i].rank == 0)
			bits_add(hunt->asked, (size_t)list[i].unit);
		if (list[i].rank < 2)
			hunt->grain = common_divisor(hunt->prices->unit[list[i].unit], hunt->grain);
		hunt->gainful += list[i].rank < 2;
		if (p->units[list[i].unit].size > hunt->largest)
			hunt->largest = p->units[list[i].unit].size;
	}
	hunt->grain = hunt->grain ? llabs(hunt->grain) : 1;
	hunt->rest[count] = 0;
	hunt->hope[hunt->gainful] = 0;
	for (size_t i = count; i-- > 0;) {
		const struct unit *unit = &p->units[hunt->order[i]];
		int64_t worth = hunt->prices->unit[hunt->order[i]], more;

		hunt->rest[i] = hunt->rest[i + 1] + unit->size;
		if (i >= hunt->gainful)
			continue;
		more = worth > clique[unit->clique] ? worth - clique[unit->clique] : 0;
		clique[unit->clique] += more;
		hunt->hope[i] = hunt->hope[i + 1] + more;
	}
	free(clique);
}

/* Takes what must be there. False where that cannot be. */
static bool
take_forced(struct hunt *hunt, const uint64_t *units, size_t *depth)
{
	size_t words = hunt->program->unit_words;

	for (size_t u = bits_next(units, words, 0); u != SIZE_MAX; u = bits_next(units, words, u + 1)) {
		if (bits_has(hunt->chosen, u))
			continue;
		if (!take(hunt, u, *depth))
			return false;
		++*depth;
	}
	return true;
}

static size_t
find_candidates(const struct hunt *hunt, struct candidate *list)
{
	const struct program *p = hunt->program;
	const uint64_t *open = p->groups[hunt->group].open;
	size_t count = 0;

	for (size_t u = bits_next(open, p->unit_words, 0); u != SIZE_MAX; u = bits_next(open, p->unit_words, u + 1)) {
		struct candidate *c = &list[count];
		double worth = (double)hunt->prices->unit[u];

		if (bits_has(hunt->chosen, u) || p->units[u].banned || !bits_has(p->units[u].hardware, (size_t)hunt->hardware) || hunt->prices->unit[u] == PRICE_FORBIDDEN || (hunt->wish && bits_has(hunt->wish->region.without, u)))
			continue;
		*c = (struct candidate){(int)u, rank(hunt, (int)u), worth};
		if (c->rank == 2 && hunt->size >= hunt->need)
			continue;
		if (c->rank == 1)
			c->merit = hunt->weight[u] > 0 ? worth / hunt->weight[u] : INFINITY;
		count++;
	}
	if (count)
		qsort(list, count, sizeof *list, compare_candidates);
	return count;
}

/* The best pattern on one type. */
static void
hunt_on(struct hunt *hunt, int hardware, struct candidate *scratch)
{
	const struct program *p = hunt->program;
	const struct group *group = &p->groups[hunt->group];
	const int64_t *capacity = p->hardware[hardware].capacity;
	size_t depth = 0;

	hunt->hardware = hardware;
	hunt->value = hunt->prices->machine + hunt->prices->group[hunt->group] + hunt->prices->hardware[hardware];
	hunt->size = 0;
	hunt->room = 1;
	hunt->crammed = false;
	memset(hunt->chosen, 0, p->unit_words * sizeof *hunt->chosen);
	memset(hunt->refused, 0, p->unit_words * sizeof *hunt->refused);
	memset(hunt->asked, 0, p->unit_words * sizeof *hunt->asked);
	bits_copy(hunt->images, group->images, p->image_words);
	if (hunt->wish && !bits_keep(hunt->images, hunt->wish->images, p->image_words))
		return;
	for (size_t i = 0; i < p->resource_count; i++) {
		hunt->left[i] = capacity[i];
		hunt->crammed = hunt->crammed || capacity[i] != NO_MAX;
	}
	for (size_t u = 0; u < p->unit_count; u++)
		hunt->weight[u] = hunt->crammed ? weigh(p, &p->units[u], capacity) : 0;
	if (bits_empty(hunt->images, p->image_words) || !take_forced(hunt, group->stays, &depth) ||
	    (hunt->wish && !take_forced(hunt, hunt->wish->region.with, &depth)))
		return;
	arrange(hunt, scratch, find_candidates(hunt, scratch));
	search(hunt, 0, depth);
}

static void
release(struct hunt *hunt)
{
	free(hunt->order);
	free(hunt->hope);
	free(hunt->weight);
	free(hunt->rest);
	free(hunt->chosen);
	free(hunt->refused);
	free(hunt->asked);
	free(hunt->images);
	free(hunt->left);
}

static bool
wish_allows(const struct wish *wish, int group, size_t hardware)
{
	return bits_has(wish->hardware, hardware) && (wish->region.group == ANY || wish->region.group == group);
}

bool
price_best(const struct program *p, const struct prices *prices, int group, const struct wish *wish, int64_t floor,
    struct pattern *best, int64_t *value)
{
	const struct group *g = &p->groups[group];
	struct candidate *scratch = memory_zeroed(p->unit_count, sizeof *scratch);
	struct hunt hunt = {
		.program = p, .prices = prices, .wish = wish, .group = group, .best = floor, .best_units = best->units,
		.need = wish && wish->size > 1 ? wish->size : 1,
		.order = memory_zeroed(p->unit_count, sizeof *hunt.order),
		.hope = memory_zeroed(p->unit_count + 1, sizeof *hunt.hope),
		.weight = memory_zeroed(p->unit_count, sizeof *hunt.weight),
		.rest = memory_zeroed(p->unit_count + 1, sizeof *hunt.rest),
		.chosen = memory_zeroed(p->unit_words, sizeof *hunt.chosen),
		.refused = memory_zeroed(p->unit_words, sizeof *hunt.refused),
		.asked = memory_zeroed(p->unit_words, sizeof *hunt.asked),
		.images = memory_zeroed((p->unit_count + 2) * p->image_words, sizeof *hunt.images),
		.left = memory_zeroed(p->resource_count, sizeof *hunt.left),
	};

	for (size_t h = bits_next(g->hardware, p->hardware_words, 0); h != SIZE_MAX && !g->broken && !p->impossible;
	     h = bits_next(g->hardware, p->hardware_words, h + 1)) {
		int64_t before = hunt.best;

		if (prices->hardware[h] == PRICE_FORBIDDEN || prices->group[group] == PRICE_FORBIDDEN ||
		    (wish && !wish_allows(wish, group, h)))
			continue;
		hunt_on(&hunt, (int)h, scratch);
		if (hunt.best > before)
			*best = (struct pattern){group, (int)h, best->units};
	}
	release(&hunt);
	free(scratch);
	*value = hunt.best;
	return hunt.found;
}
