/* SPDX-License-Identifier: Apache-2.0
 *
 * Whole numbers between bounds, of which sums are 0 and of some of which one is chosen, against all numbers there are; and systems that are too large for that, whose
 * remainders contradict one another or of which a solution is known.
 *
 * Environment: TEST_SEED, of the first case (default: a fixed one); TEST_CASES, how many.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solve-puzzle.h"
#include "solve/search/integers.h"
#include "tap.h"

enum { NUMBERS = 5, EQUATIONS = 4, CHOICES = 1000000 };

struct sums {
	struct integers integers;
	struct integer list[NUMBERS + EQUATIONS], drawn[NUMBERS + EQUATIONS];
	struct equation equations[EQUATIONS];
	struct term terms[EQUATIONS][NUMBERS + 1];
	struct one_of choice;
	size_t variables[NUMBERS];
	size_t numbers;
};

static void
draw_sums(struct sums *s, int size, int64_t unit)
{
	s->numbers = (size_t)draw(1, NUMBERS);
	s->choice = (struct one_of){s->variables, 0};
	s->integers = (struct integers){s->list, s->numbers, s->equations, (size_t)draw(0, EQUATIONS), &s->choice, chance(40)};
	for (size_t i = 0; i < s->numbers; i++) {
		int64_t lo = draw(-2, 3);

		s->list[i] = (struct integer){.lo = lo, .hi = lo + draw(0, size), .step = 1, .near = NAN};
		if (chance(50))
			s->list[i].near = (double)draw(-3, size);
		if (lo >= 0 && chance(60))
			s->variables[s->choice.count++] = i;
	}
	for (size_t i = 0; i < s->integers.equation_count; i++) {
		struct equation *equation = &s->equations[i];
		int64_t lo = draw(-9, 9);

		*equation = (struct equation){s->terms[i], 0};
		for (size_t j = 0; j < s->numbers; j++)
			if (chance(60))
				equation->terms[equation->count++] = (struct term){j, unit * draw(1, 9) * (chance(50) ? 1 : -1)};
		equation->terms[equation->count++] = (struct term){s->integers.count, -unit};
		s->list[s->integers.count++] = (struct integer){.lo = chance(15) ? INT64_MIN : lo, .hi = chance(15) ? INT64_MAX
		    : lo + (chance(50) ? 0 : draw(0, 5)), .step = 1, .near = NAN};
	}
	memcpy(s->drawn, s->list, sizeof s->list);
}

/* Returns whether the numbers, and the sums that follow from them, are within the bounds drawn, and the choice is made. */
static bool
holds(const struct sums *s, const int64_t *value)
{
	size_t chosen = 0;

	for (size_t i = 0; i < s->integers.equation_count; i++) {
		const struct equation *equation = &s->equations[i];
		const struct term *own = &equation->terms[equation->count - 1];
		int64_t sum = 0;

		for (size_t j = 0; j + 1 < equation->count; j++)
			sum += equation->terms[j].coefficient / -own->coefficient * value[equation->terms[j].variable];
		if (sum < s->drawn[own->variable].lo || sum > s->drawn[own->variable].hi)
			return false;
	}
	for (size_t i = 0; i < s->choice.count; i++)
		chosen += value[s->variables[i]] != 0;
	return s->integers.choice_count == 0 || chosen == 1;
}

/* Finds the range of each number in all solutions. Returns how many solutions there are. */
static size_t
try_all(const struct sums *s, int64_t *least, int64_t *most)
{
	int64_t value[NUMBERS];
	size_t solutions = 0, i = 0;

	for (size_t j = 0; j < s->numbers; j++)
		value[j] = s->drawn[j].lo;
	while (i < s->numbers) {
		if (holds(s, value)) {
			for (size_t j = 0; j < s->numbers; j++) {
				least[j] = !solutions || value[j] < least[j] ? value[j] : least[j];
				most[j] = !solutions || value[j] > most[j] ? value[j] : most[j];
			}
			solutions++;
		}
		for (i = 0; i < s->numbers && ++value[i] > s->drawn[i].hi; i++)
			value[i] = s->drawn[i].lo;
	}
	return solutions;
}

/* Returns whether the bounds are a solution. */
static bool
is_solution(const struct sums *s)
{
	int64_t value[NUMBERS];

	for (size_t i = 0; i < s->numbers; i++) {
		if (s->list[i].lo != s->list[i].hi || s->list[i].lo < s->drawn[i].lo || s->list[i].lo > s->drawn[i].hi)
			return false;
		value[i] = s->list[i].lo;
	}
	return holds(s, value);
}

static bool
find_is_right(struct sums *s, bool any)
{
	struct budget budget = {0};
	enum search_status status = integers_find(&s->integers, CHOICES, &budget);
	bool right = status == (any ? SEARCH_FOUND : SEARCH_NONE) && (!any || is_solution(s));

	memcpy(s->list, s->drawn, sizeof s->list);
	return right;
}

static bool
bounds_are_right(struct sums *s, bool any, const int64_t *least, const int64_t *most)
{
	struct budget budget = {0};
	bool right = integers_tighten(&s->integers, &budget) || !any;

	for (size_t i = 0; i < s->numbers && any; i++)
		right = right && s->list[i].lo <= least[i] && s->list[i].hi >= most[i];
	return right;
}

/* Makes a chain of numbers up to a million, each of which bounds the next: with a remainder that one of them cannot have, or with those of a
 * solution. Returns whether the answer is right. */
static bool
chain_is_right(bool possible)
{
	struct budget budget = {0};
	struct sums s = {.numbers = NUMBERS};
	int64_t divisor = draw(2, 9), value[NUMBERS] = {divisor * draw(1, 50)};

	s.integers = (struct integers){.list = s.list, .count = NUMBERS, .equations = s.equations, .equation_count = EQUATIONS};
	for (size_t i = 0; i < EQUATIONS; i++) {
		int64_t a = draw(1, 9), b = draw(1, 9), at = a * value[i];

		value[i + 1] = at / b + draw(0, 3);
		s.terms[i][0] = (struct term){i, a};
		s.terms[i][1] = (struct term){i + 1, -b};
		s.terms[i][2] = (struct term){NUMBERS + i, -1};
		s.equations[i] = (struct equation){s.terms[i], 3};
		s.list[NUMBERS + i].lo = s.list[NUMBERS + i].hi = at - b * value[i + 1];
	}
	if (!possible) { /* the second is a multiple of the divisor, and one more */
		s.terms[0][0].coefficient = divisor * s.terms[0][0].coefficient;
		s.terms[0][1].coefficient = -1;
		s.list[NUMBERS].lo = s.list[NUMBERS].hi = 0;
		s.terms[1][0].coefficient = 1;
		s.terms[1][1].coefficient = -divisor;
		s.list[NUMBERS + 1].lo = s.list[NUMBERS + 1].hi = draw(1, (int)divisor - 1);
	}
	for (size_t i = 0; i < NUMBERS; i++)
		s.list[i] = (struct integer){.lo = 0, .hi = 1000000, .near = NAN};
	s.integers.count = NUMBERS + EQUATIONS;
	for (size_t i = 0; i < s.integers.count; i++)
		s.list[i].step = 1;
	memcpy(s.drawn, s.list, sizeof s.list);
	if (!possible)
		return integers_find(&s.integers, 0, &budget) == SEARCH_NONE;
	return integers_find(&s.integers, CHOICES, &budget) == SEARCH_FOUND && is_solution(&s);
}

int
main(void)
{
	const char *from = getenv("TEST_SEED"), *number = getenv("TEST_CASES");
	uint64_t seed = from ? strtoull(from, NULL, 10) : UINT64_C(20261127);
	int cases = number ? atoi(number) : 3000, found = 0, bounds = 0, chains = 0, solvable = 0;
	struct sums s;

	state = seed;
	for (int i = 0; i < cases; i++) {
		int64_t least[NUMBERS] = {0}, most[NUMBERS] = {0}, units[] = {1, 1, 1000000007, 1000000000000};
		bool any;

		draw_sums(&s, draw(1, 8), units[draw(0, 3)]);
		any = try_all(&s, least, most) > 0;
		solvable += any;
		found += find_is_right(&s, any);
		bounds += bounds_are_right(&s, any, least, most);
		chains += chain_is_right(i % 2);
	}
	printf("# TEST_SEED=%" PRIu64 " TEST_CASES=%d: %d can be solved\n", seed, cases, solvable);
	tap_ok(solvable > cases / 10 && solvable < cases * 9 / 10, "some have a solution, some have none");
	tap_is_number(found, cases, "a solution is found just where there is one");
	tap_is_number(bounds, cases, "bounds that are tightened leave out no solution");
	tap_is_number(chains, cases, "numbers up to a million: remainders that contradict one another, and solutions that are known");
	return tap_end();
}
