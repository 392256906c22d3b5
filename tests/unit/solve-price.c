/* SPDX-License-Identifier: Apache-2.0
 *
 * The best pattern at given prices, against all sets of units there are. Prices are nearly what the room is worth, so that
 * very many sets are nearly as good as the best one: the search by depth gives up there, and labels have to find it.
 *
 * Environment: TEST_SEED, of the first case (default: a fixed one); TEST_CASES, how many.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "solve-puzzle.h"
#include "solve/lp/price.h"
#include "solve/program/bits.h"
#include "tap.h"

enum { UNITS = 17, RESOURCES = 2, REGIONS = 3, NOGOODS = 9, NOGOOD = 3 };

struct shop {
	struct program program;
	struct unit units[UNITS];
	uint64_t excludes[UNITS], nothing, anything;
	int64_t consumes[UNITS][RESOURCES], capacity[RESOURCES];
	uint64_t nogood[NOGOODS], *nogoods[NOGOODS];
	size_t nogood_count;
	int nogoods_of[UNITS][NOGOODS];
	uint64_t open, stays;
	struct hardware hardware;
	struct group group;
	struct prices prices;
	struct arena scratch;
	int64_t price_of_unit[UNITS], nil;
	uint64_t with[REGIONS], without[REGIONS];
	struct region regions[REGIONS];
	struct region_price priced[REGIONS];
};

static uint64_t
few_units(int most)
{
	uint64_t set = 0;

	for (int i = draw(0, most); i > 0; i--)
		set |= UINT64_C(1) << draw(0, UNITS - 1);
	return set;
}

static void
draw_units(struct shop *s)
{
	int64_t rate[RESOURCES] = {draw(1, 9), draw(1, 9)};

	for (int u = 0; u < UNITS; u++) {
		struct unit *unit = &s->units[u];

		*unit = (struct unit){.size = 1, .hardware = &s->anything, .images = &s->anything, .excludes = &s->excludes[u],
		    .consumes = s->consumes[u], .betters = &s->nothing, .clique = u};
		for (int r = 0; r < RESOURCES; r++) {
			s->consumes[u][r] = draw(5, 90);
			s->price_of_unit[u] += 1000 * rate[r] * s->consumes[u][r];
		}
		s->price_of_unit[u] += draw(-3, 3);
		if (chance(10))
			s->price_of_unit[u] = draw(-9, 0);
		unit->nogoods = s->nogoods_of[u];
		for (size_t k = 0; k < s->nogood_count; k++)
			if (s->nogood[k] >> u & 1)
				s->nogoods_of[u][unit->nogood_count++] = (int)k;
	}
	for (int i = draw(0, 8); i > 0; i--) {
		int a = draw(0, UNITS - 1), b = draw(0, UNITS - 1);

		s->excludes[a] |= a != b ? UINT64_C(1) << b : 0;
		s->excludes[b] |= a != b ? UINT64_C(1) << a : 0;
	}
}

static void
draw_regions(struct shop *s)
{
	s->prices.regions = s->priced;
	s->prices.region_count = (size_t)draw(0, REGIONS);
	for (size_t i = 0; i < s->prices.region_count; i++) {
		s->with[i] = few_units(chance(30) ? UNITS : 2);
		s->without[i] = few_units(chance(30) ? UNITS : 2) & ~s->with[i];
		s->regions[i] = (struct region){ANY, ANY, ANY, &s->with[i], &s->without[i], CLASS_OPEN};
		s->priced[i] = (struct region_price){&s->regions[i], draw(-300, 300) * 100};
		s->prices.region_most += s->priced[i].value > 0 ? s->priced[i].value : 0;
	}
}

static void
draw_shop(struct shop *s)
{
	arena_release(&s->scratch);
	*s = (struct shop){.anything = 1, .open = (UINT64_C(1) << UNITS) - 1, .hardware.usable = true};
	s->nogood_count = (size_t)draw(1, NOGOODS);
	for (size_t k = 0; k < s->nogood_count; k++) {
		for (int i = 0; i < NOGOOD; i++)
			s->nogood[k] |= UINT64_C(1) << draw(0, UNITS - 1);
		s->nogoods[k] = &s->nogood[k];
	}
	for (int r = 0; r < RESOURCES; r++)
		s->capacity[r] = chance(80) ? draw(150, 500) : 5000;
	draw_units(s);
	draw_regions(s);
	s->stays = chance(20) ? UINT64_C(1) << draw(0, UNITS - 1) : 0;
	s->hardware.capacity = s->capacity;
	s->group = (struct group){.stays = &s->stays, .open = &s->open, .hardware = &s->anything, .images = &s->anything};
	s->program = (struct program){.units = s->units, .unit_count = UNITS, .unit_words = 1, .nogoods = s->nogoods,
	    .nogood_count = s->nogood_count,
	    .hardware = &s->hardware, .hardware_count = 1, .hardware_words = 1, .image_count = 1, .image_words = 1,
	    .resource_count = RESOURCES, .groups = &s->group, .group_count = 1};
	s->prices.unit = s->price_of_unit;
	s->prices.group = s->prices.hardware = &s->nil;
	s->prices.machine = -draw(0, 2000000);
	s->prices.moves_left = NO_MAX;
	s->prices.scratch = &s->scratch;
}

/* Returns whether a machine may have these units. */
static bool
is_right(const struct shop *s, uint64_t set)
{
	int64_t left[RESOURCES] = {s->capacity[0], s->capacity[1]};

	if (set == 0 || (set & s->stays) != s->stays)
		return false;
	for (size_t k = 0; k < s->nogood_count; k++)
		if ((set & s->nogood[k]) == s->nogood[k])
			return false;
	for (int u = 0; u < UNITS; u++) {
		if (!(set >> u & 1))
			continue;
		if (s->excludes[u] & set)
			return false;
		for (int r = 0; r < RESOURCES; r++)
			if ((left[r] -= s->consumes[u][r]) < 0)
				return false;
	}
	return true;
}

static int64_t
worth(const struct shop *s, uint64_t set)
{
	int64_t sum = s->prices.machine;

	for (int u = 0; u < UNITS; u++)
		sum += set >> u & 1 ? s->price_of_unit[u] : 0;
	for (size_t i = 0; i < s->prices.region_count; i++)
		sum += (set & s->with[i]) == s->with[i] && !(set & s->without[i]) ? s->priced[i].value : 0;
	return sum;
}

/* The most that any set is worth; floor where none is worth more. */
static int64_t
best_of_all(const struct shop *s, int64_t floor)
{
	for (uint64_t set = 0; set < UINT64_C(1) << UNITS; set++)
		if (is_right(s, set) && worth(s, set) > floor)
			floor = worth(s, set);
	return floor;
}

/* Checks that the best pattern is found, or none if none is worth more than floor. */
static bool
finds_best(const struct shop *s, int64_t floor)
{
	uint64_t units = 0;
	struct pattern pattern = {.units = &units};
	struct search_for what = {0, NULL, floor, INT64_MAX, SIZE_MAX};
	struct budget budget = {0};
	int64_t value, best = best_of_all(s, floor);
	bool found = price_best(&s->program, &s->prices, &budget, &what, &pattern, &value, NULL);

	return found == (best > floor) && value == best && (!found || (is_right(s, units) && worth(s, units) == best));
}

int
main(void)
{
	const char *seed_text = getenv("TEST_SEED"), *cases_text = getenv("TEST_CASES");
	uint64_t seed = seed_text ? strtoull(seed_text, NULL, 10) : 20261121;
	int cases = cases_text ? atoi(cases_text) : 60, wrong = 0;
	static struct shop shop;

	for (int i = 0; i < cases; i++) {
		int64_t floor;

		state = (seed + (uint64_t)i) * UINT64_C(0x9e3779b97f4a7c15) + 1;
		draw_shop(&shop);
		floor = chance(50) ? INT64_MIN / 4 : best_of_all(&shop, INT64_MIN / 4) - draw(0, 9);
		if (finds_best(&shop, floor))
			continue;
		printf("# TEST_SEED=%" PRIu64 "\n", seed + (uint64_t)i);
		wrong++;
	}
	printf("# TEST_SEED=%" PRIu64 " TEST_CASES=%d\n", seed, cases);
	tap_is_number(wrong, 0, "what is found at given prices is the best of all sets of units, or nothing where none is worth more");
	return tap_end();
}
