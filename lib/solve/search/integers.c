/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/search/integers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "solve/program/program.h"

enum {
	ROUNDS = 20,        /* of tightening: bounds that creep are left to the linear program */
	LATTICE_MOST = 120, /* numbers */
};

#define LARGE ((wide)1 << 62) /* the product of two fits into 128 bits */

static bool
integer_is_bounded(const struct integer *x)
{
	return x->lo != NO_MIN && x->hi != NO_MAX;
}

static wide
integers_floor(wide a, wide b)
{
	return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* Moves the bounds to the nearest numbers with the right remainder. Returns false if there is none between them. */
static bool
integer_round(struct integer *x)
{
	if (x->step == 0) {
		if (x->rest < x->lo || x->rest > x->hi)
			return false;
		x->lo = x->hi = x->rest;
	} else if (x->step > 1) {
		if (x->lo != NO_MIN)
			x->lo = (int64_t)(x->rest - integers_floor((wide)x->rest - x->lo, x->step) * x->step);
		if (x->hi != NO_MAX)
			x->hi = (int64_t)(x->rest + integers_floor((wide)x->hi - x->rest, x->step) * x->step);
	}
	return x->lo <= x->hi;
}

/* Takes over what is true of coefficient * x: that it is at least lo and at most hi. Returns false if nothing is left. */
static bool
integer_narrow(struct integer *x, int64_t coefficient, bool has_lo, wide lo, bool has_hi, wide hi, bool *changed)
{
	bool swap = coefficient < 0;
	wide size = swap ? -(wide)coefficient : coefficient, low = swap ? -hi : lo, high = swap ? -lo : hi;

	low = -integers_floor(-low, size);
	high = integers_floor(high, size);
	if ((swap ? has_hi : has_lo) && (x->lo == NO_MIN || low > x->lo)) {
		if (low > LARGE || low < -LARGE)
			return low < 0;
		x->lo = (int64_t)low;
		*changed = true;
	}
	if ((swap ? has_lo : has_hi) && (x->hi == NO_MAX || high < x->hi)) {
		if (high > LARGE || high < -LARGE)
			return high > 0;
		x->hi = (int64_t)high;
		*changed = true;
	}
	return integer_round(x);
}

/* Returns the bound of a term: the lower or the upper one. Counts it in open if there is none. */
static wide
term_bound(const struct integers *s, const struct term *term, bool upper, size_t *open)
{
	const struct integer *x = &s->list[term->variable];
	int64_t bound = upper == (term->coefficient > 0) ? x->hi : x->lo;

	if (bound != NO_MIN && bound != NO_MAX)
		return (wide)term->coefficient * bound;
	++*open;
	return 0;
}

/* Draws from each number's bounds those of the others in an equation. Returns false if they contradict it. */
static bool
integers_propagate(struct integers *s, const struct equation *equation, bool *changed)
{
	size_t open_below = 0, open_above = 0;
	wide least = 0, most = 0;

	for (size_t i = 0; i < equation->count; i++) {
		least += term_bound(s, &equation->terms[i], false, &open_below);
		most += term_bound(s, &equation->terms[i], true, &open_above);
	}
	if ((!open_below && least > 0) || (!open_above && most < 0))
		return false;
	for (size_t i = 0; i < equation->count; i++) {
		const struct term *term = &equation->terms[i];
		size_t own_below = 0, own_above = 0;
		wide low = term_bound(s, term, false, &own_below), high = term_bound(s, term, true, &own_above);

		if (term->coefficient && !integer_narrow(&s->list[term->variable], term->coefficient, open_above == own_above,
		    high - most, open_below == own_below, low - least, changed))
			return false;
	}
	return true;
}

/* Draws from what is known of some numbers of a choice what the others are. Returns false if there is no choice left. */
static bool
integers_propagate_choice(struct integers *s, const struct one_of *choice, bool *changed)
{
	struct integer *chosen = NULL, *possible = NULL;
	size_t count = 0;

	for (size_t i = 0; i < choice->count; i++) {
		struct integer *x = &s->list[choice->variables[i]];

		if (x->lo > 0 && chosen)
			return false;
		chosen = x->lo > 0 ? x : chosen;
		possible = x->hi > 0 ? x : possible;
		count += x->hi > 0;
	}
	if (!possible)
		return false;
	for (size_t i = 0; i < choice->count && chosen; i++) {
		struct integer *x = &s->list[choice->variables[i]];

		if (x != chosen && x->hi > 0 && !integer_narrow(x, 1, false, 0, true, 0, changed))
			return false;
	}
	return chosen || count > 1 || integer_narrow(possible, 1, true, 1, false, 0, changed);
}

struct lattice { /* columns of rows equations, then of the numbers as sums of the new ones */
	size_t rows, columns, height;
	wide *entries;  /* column after column */
	wide *constant; /* of each equation */
	size_t *variable;
};

static wide *
lattice_column(const struct lattice *l, size_t column)
{
	return &l->entries[column * l->height];
}

static bool
lattice_holds(const struct integers *s, const struct equation *equation)
{
	for (size_t i = 0; i < equation->count; i++)
		if (!integer_is_bounded(&s->list[equation->terms[i].variable]))
			return false;
	return true;
}

/* Takes the equations all of whose numbers are bounded, with what is known already as their constants. */
static void
lattice_init(struct lattice *l, const struct integers *s)
{
	size_t *number = memory_zeroed(s->count, sizeof *number);

	l->variable = memory_zeroed(s->count, sizeof *l->variable);
	l->constant = memory_zeroed(s->equation_count, sizeof *l->constant);
	for (size_t i = 0; i < s->count; i++)
		if (s->list[i].lo < s->list[i].hi && integer_is_bounded(&s->list[i])) {
			number[i] = l->columns;
			l->variable[l->columns++] = i;
		}
	l->height = s->equation_count + l->columns;
	l->entries = memory_zeroed(l->columns * l->height, sizeof *l->entries);
	for (size_t i = 0; i < s->equation_count; i++) {
		for (size_t j = 0; j < s->equations[i].count && lattice_holds(s, &s->equations[i]); j++) {
			const struct term *term = &s->equations[i].terms[j];
			const struct integer *x = &s->list[term->variable];

			if (x->lo == x->hi)
				l->constant[i] -= (wide)term->coefficient * x->lo;
			else
				lattice_column(l, number[term->variable])[i] = term->coefficient;
		}
	}
	l->rows = s->equation_count;
	for (size_t j = 0; j < l->columns; j++)
		lattice_column(l, j)[l->rows + j] = 1;
	free(number);
}

/* Takes a multiple of one column from another. Returns false if an entry gets too large. */
static bool
lattice_subtract(const struct lattice *l, size_t from, size_t column, wide factor)
{
	wide *a = lattice_column(l, from), *b = lattice_column(l, column);

	if (factor > LARGE || factor < -LARGE)
		return false;
	for (size_t i = 0; i < l->height; i++) {
		a[i] -= factor * b[i];
		if (a[i] > LARGE || a[i] < -LARGE)
			return false;
	}
	return true;
}

/* Makes all columns but one, from the rank-th on, 0 in a row, and moves that one to the rank-th place. found: there is such a column.
 * Returns false if entries get too large. */
static bool
lattice_reduce_row(const struct lattice *l, size_t row, size_t rank, bool *found)
{
	for (bool again = true; again;) {
		size_t pivot = l->columns;
		wide least = 0;

		for (size_t j = rank; j < l->columns; j++) {
			wide entry = lattice_column(l, j)[row], size = entry < 0 ? -entry : entry;

			if (size && (pivot == l->columns || size < least)) {
				pivot = j;
				least = size;
			}
		}
		again = false;
		*found = pivot < l->columns;
		for (size_t j = rank; j < l->columns && *found; j++) {
			wide entry = lattice_column(l, j)[row], by = lattice_column(l, pivot)[row];

			if (j == pivot || !entry)
				continue;
			if (!lattice_subtract(l, j, pivot, integers_floor(2 * entry + by, 2 * by)))
				return false;
			again = again || lattice_column(l, j)[row];
		}
		for (size_t i = 0; i < l->height && *found && !again && pivot != rank; i++) {
			wide entry = lattice_column(l, pivot)[i];

			lattice_column(l, pivot)[i] = lattice_column(l, rank)[i];
			lattice_column(l, rank)[i] = entry;
		}
	}
	return true;
}

/* Finds the remainders of the numbers: each is what the first rank columns, value times each, give, and any multiples of the others. */
static void
lattice_remainders(const struct lattice *l, size_t rank, const wide *value, struct integers *s)
{
	for (size_t v = 0; v < l->columns; v++) {
		struct integer *x = &s->list[l->variable[v]];
		wide rest = 0, step = 0;

		for (size_t j = 0; j < l->columns; j++) {
			wide entry = lattice_column(l, j)[l->rows + v];

			if (j < rank)
				rest += entry * value[j];
			else
				step = whole_divisor(step, entry < 0 ? -entry : entry);
		}
		if (step)
			rest %= step;
		if (rest > LARGE || rest < -LARGE)
			continue;
		x->step = (int64_t)step;
		x->rest = (int64_t)rest;
	}
}

/* Returns false if the equations have no solution in whole numbers. */
static bool
integers_use_lattice(struct integers *s)
{
	struct lattice l = {0};
	bool good = true, small = true, found;
	size_t rank = 0;
	wide *value;

	if (s->count > LATTICE_MOST)
		return true;
	lattice_init(&l, s);
	value = memory_zeroed(l.columns, sizeof *value);
	for (size_t i = 0; i < l.rows && good && small; i++) {
		wide rest = l.constant[i];

		small = lattice_reduce_row(&l, i, rank, &found);
		for (size_t j = 0; j < rank && small; j++) {
			small = value[j] < LARGE && value[j] > -LARGE;
			rest -= small ? lattice_column(&l, j)[i] * value[j] : 0;
		}
		if (!small)
			continue;
		good = found ? rest % lattice_column(&l, rank)[i] == 0 : rest == 0;
		if (good && found) {
			value[rank] = rest / lattice_column(&l, rank)[i];
			rank++;
		}
	}
	if (good && small)
		lattice_remainders(&l, rank, value, s);
	free(value);
	free(l.entries);
	free(l.constant);
	free(l.variable);
	return good;
}

static size_t
integers_count_free(const struct integers *s)
{
	size_t count = 0;

	for (size_t i = 0; i < s->count; i++)
		count += s->list[i].lo < s->list[i].hi && integer_is_bounded(&s->list[i]);
	return count;
}

bool
integers_tighten(struct integers *s, struct budget *budget)
{
	size_t last = SIZE_MAX, terms = 0;
	bool changed = true;

	for (size_t i = 0; i < s->count; i++)
		if (s->list[i].lo > s->list[i].hi)
			return false;
	for (size_t i = 0; i < s->equation_count; i++)
		terms += s->equations[i].count;
	for (size_t i = 0; i < s->choice_count; i++)
		terms += s->choices[i].count;
	for (int round = 0; round < ROUNDS && changed; round++) {
		changed = false;
		budget_work(budget, 20 * terms);
		for (size_t i = 0; i < s->equation_count; i++)
			if (!integers_propagate(s, &s->equations[i], &changed))
				return false;
		for (size_t i = 0; i < s->choice_count; i++)
			if (!integers_propagate_choice(s, &s->choices[i], &changed))
				return false;
		if (integers_count_free(s) == last)
			continue;
		last = integers_count_free(s);
		budget_work(budget, 4 * s->equation_count * last * (s->equation_count + last));
		if (!integers_use_lattice(s))
			return false;
		for (size_t i = 0; i < s->count; i++) {
			struct integer before = s->list[i];

			if (!integer_round(&s->list[i]))
				return false;
			changed = changed || before.lo != s->list[i].lo || before.hi != s->list[i].hi;
		}
	}
	return true;
}

/* Returns the number that has the fewest values left, but more than one; NULL if there is none. */
static struct integer *
integers_choose(struct integers *s)
{
	struct integer *best = NULL;
	wide fewest = 0;

	for (size_t i = 0; i < s->count; i++) {
		struct integer *x = &s->list[i];
		wide values = ((wide)x->hi - x->lo) / (x->step ? x->step : 1);

		if (values > 0 && integer_is_bounded(x) && (!best || values < fewest)) {
			best = x;
			fewest = values;
		}
	}
	return best;
}

/* Returns the value to try first. */
static int64_t
integer_middle(const struct integer *x)
{
	double from = (double)x->lo, to = (double)x->hi;
	wide step = x->step ? x->step : 1, value = x->lo + ((wide)x->hi - x->lo) / step / 2 * step;

	if (x->near <= from)
		return x->lo;
	if (x->near >= to)
		return x->hi;
	if (x->near > from)
		value = x->lo + (wide)nearbyint((x->near - from) / (double)step) * step;
	return value > x->hi ? x->hi : (int64_t)value;
}

static enum search_status integers_search(struct integers *s, size_t *choices, struct budget *budget);

/* Searches with a number between other bounds. Where nothing is found, all bounds are as before. */
static enum search_status
integers_search_between(struct integers *s, struct integer *x, int64_t lo, int64_t hi, size_t *choices, struct budget *budget)
{
	struct integer *saved;
	enum search_status status;

	if (lo > hi)
		return SEARCH_NONE;
	if (*choices == 0 || budget->spent)
		return SEARCH_OPEN;
	--*choices;
	saved = memory_zeroed(s->count, sizeof *saved);
	memcpy(saved, s->list, s->count * sizeof *saved);
	x->lo = lo;
	x->hi = hi;
	status = integers_search(s, choices, budget);
	if (status != SEARCH_FOUND)
		memcpy(s->list, saved, s->count * sizeof *saved);
	free(saved);
	return status;
}

static enum search_status
integers_search(struct integers *s, size_t *choices, struct budget *budget)
{
	enum search_status status = SEARCH_NONE;
	struct integer *x;
	int64_t lo, hi, first;

	if (!integers_tighten(s, budget))
		return SEARCH_NONE;
	if (!(x = integers_choose(s)))
		return SEARCH_FOUND;
	lo = x->lo;
	hi = x->hi;
	first = integer_middle(x);
	for (int part = 0; part < 3 && status == SEARCH_NONE; part++)
		status = integers_search_between(s, x, part == 0 ? first : part == 1 ? lo : first + 1,
		    part == 0 ? first : part == 1 ? first - 1 : hi, choices, budget);
	return status;
}

enum search_status
integers_find(struct integers *s, size_t choices, struct budget *budget)
{
	struct integer *first = &s->list[0];

	choices++; /* this is none */
	return integers_search_between(s, first, first->lo, first->hi, &choices, budget);
}
