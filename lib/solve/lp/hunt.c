/* SPDX-License-Identifier: Apache-2.0
 *
 * Depth first over the units, those of most worth per room they take first, each one taken before it is left out.
 * A branch ends where what may still come cannot beat what was found: of each clique of units that exclude each
 * other at most one comes; where capacities count, no more than fills the room that is left; and a unit is not
 * taken where a better one that could stand in its place was left out.
 */
#include "solve/lp/hunt.h"

#include <math.h>

#include "solve/program/bits.h"

enum {
	LONG = 200, /* steps without finding a better pattern */
	STEP_WORK = 20,
};

bool
hunt_concerns(const struct hunt *hunt, const struct toll *toll)
{
	return toll->price != 0 && (toll->region->class == CLASS_OPEN || toll->region->class == ANY) &&
	    (toll->region->group == ANY || toll->region->group == hunt->group) &&
	    (toll->region->zone == ANY || toll->region->zone == hunt->program->groups[hunt->group].zone) &&
	    (toll->region->hardware == ANY || toll->region->hardware == hunt->hardware);
}

/* The tolls of what is chosen: exact where all is decided, else at best. */
static int64_t
hunt_tolls(const struct hunt *hunt, bool decided)
{
	size_t words = hunt->program->unit_words;
	int64_t sum = 0;

	for (size_t i = 0; i < hunt->prices->toll_count; i++) {
		const struct toll *toll = &hunt->prices->tolls[i];

		if (!hunt_concerns(hunt, toll) || bits_meet(toll->region->without, hunt->chosen, words))
			continue;
		if (decided ? bits_within(toll->region->with, hunt->chosen, words)
		            : toll->price > 0 && !bits_meet(toll->region->with, hunt->refused, words))
			sum += toll->price;
	}
	return sum;
}

int64_t
hunt_worth(const struct hunt *hunt)
{
	return hunt->value + hunt_tolls(hunt, true);
}

static bool
hunt_completes_crowd(const struct hunt *hunt, const struct unit *unit, size_t u)
{
	const struct program *p = hunt->program;
	bool whole = false;

	bits_add(hunt->chosen, u);
	for (size_t i = 0; i < unit->crowd_count && !whole; i++)
		whole = bits_within(p->crowds[unit->crowds[i]], hunt->chosen, p->unit_words);
	bits_drop(hunt->chosen, u);
	return whole;
}

bool
hunt_take(struct hunt *hunt, size_t u, size_t depth)
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
	if (!bits_keep(images, unit->images, p->image_words) || hunt_completes_crowd(hunt, unit, u))
		return false;
	for (size_t i = 0; i < p->resource_count; i++)
		if (hunt->left[i] != NO_MAX)
			hunt->left[i] -= unit->consumes[i];
	bits_add(hunt->chosen, u);
	hunt->size += unit->size;
	hunt->value += hunt->prices->unit[u];
	hunt->worth.room -= hunt->worth.weight[u];
	hunt->services.room -= hunt->services.weight[u];
	return true;
}

void
hunt_put_back(struct hunt *hunt, size_t u)
{
	const struct program *p = hunt->program;

	for (size_t i = 0; i < p->resource_count; i++)
		if (hunt->left[i] != NO_MAX)
			hunt->left[i] += p->units[u].consumes[i];
	bits_drop(hunt->chosen, u);
	hunt->size -= p->units[u].size;
	hunt->value -= hunt->prices->unit[u];
	hunt->worth.room += hunt->worth.weight[u];
	hunt->services.room += hunt->services.weight[u];
}

/* What order[from..gainful] may add where only the room counts: the last unit in part. Rounded up by more than
 * doubles err. */
static int64_t
hunt_filling(const struct hunt *hunt, size_t from)
{
	double room = hunt->worth.room + 1e-9, sum = 0;

	for (size_t i = from; i < hunt->gainful; i++) {
		int u = hunt->order[i];
		double worth = (double)hunt->prices->unit[u], weight = hunt->worth.weight[u];

		if (worth <= 0)
			continue;
		if (weight > room && i >= hunt->first) {
			sum += worth * (room > 0 ? room / weight : 0);
			break;
		}
		sum += worth;
		room -= i >= hunt->first ? weight : 0;
	}
	sum = floor(sum * (1 + 1e-12));
	return (int64_t)sum - (int64_t)sum % hunt->grain;
}

/* Whether the room is too small for as many services as there must be. */
static bool
hunt_is_too_full(const struct hunt *hunt, size_t from)
{
	double room = hunt->services.room + 1e-9;
	size_t size = hunt->size;

	for (size_t i = 0; i < hunt->count && size < hunt->need; i++) {
		size_t at = (size_t)hunt->light[i];
		double weight = hunt->services.weight[hunt->order[at]];

		if (at < from)
			continue;
		if (weight > room) { /* a part of this one, and the others take more for each service */
			double more = (double)hunt->program->units[hunt->order[at]].size * room / weight;

			return (double)size + floor(more + 1e-9) < (double)hunt->need;
		}
		room -= weight;
		size += hunt->program->units[hunt->order[at]].size;
	}
	return size < hunt->need;
}

/* What the units that only make up the size cost at least. */
static int64_t
hunt_padding(const struct hunt *hunt, size_t from)
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

/* Whether the first image that all chosen may use is one of the wish's. */
static bool
hunt_has_image(const struct hunt *hunt)
{
	size_t image = hunt->choosy ? program_image(hunt->program, hunt->group, hunt->chosen) : SIZE_MAX;

	return !hunt->choosy || (image != SIZE_MAX && bits_has(hunt->wish->images, image));
}

/* Whether what was left out is no worse than u, and could stand in its place: then a pattern with u is nothing
 * new. */
static bool
hunt_is_pointless(const struct hunt *hunt, size_t i)
{
	const struct program *p = hunt->program;
	int u = hunt->order[i];

	if (i < hunt->first || hunt->choosy)
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

/* Whether what is to come cannot beat what was found; what is quickly known comes first. */
static bool
hunt_hopeless(const struct hunt *hunt, size_t from)
{
	int64_t hope = from < hunt->gainful ? hunt->hope[from] : 0, short_by = hunt->best - hunt->value, more;

	if (hunt->size + hunt->rest[from] < hunt->need || hope + hunt->prices->toll_most <= short_by)
		return true;
	more = hunt_padding(hunt, from) + (hunt->prices->toll_count ? hunt_tolls(hunt, false) : 0);
	if (hope + more <= short_by || (hunt->crammed && hunt->size + 1 < hunt->need && hunt_is_too_full(hunt, from)))
		return true;
	return hunt->crammed && from < hunt->gainful && hunt_filling(hunt, from) + more <= short_by;
}

void
hunt_search(struct hunt *hunt, size_t i, size_t depth)
{
	if (!budget_work(hunt->budget, STEP_WORK + hunt->count - i) || hunt_hopeless(hunt, i) ||
	    (hunt->best > hunt->enough && hunt->steps++ > LONG))
		return;
	if ((i == hunt->count || (i >= hunt->gainful && hunt->size >= hunt->need)) && hunt_has_image(hunt)) {
		int64_t value = hunt_worth(hunt);

		if (value > hunt->best) {
			hunt->best = value;
			hunt->found = true;
			hunt->steps = 0;
			bits_copy(hunt->best_units, hunt->chosen, hunt->program->unit_words);
		}
		return;
	}
	if (i == hunt->count || !hunt->patience || !--hunt->patience)
		return;
	if (!hunt_is_pointless(hunt, i) && hunt_take(hunt, (size_t)hunt->order[i], depth)) {
		hunt_search(hunt, i + 1, depth + 1);
		hunt_put_back(hunt, (size_t)hunt->order[i]);
	}
	bits_add(hunt->refused, (size_t)hunt->order[i]);
	hunt_search(hunt, i + 1, depth);
	bits_drop(hunt->refused, (size_t)hunt->order[i]);
}
