/* SPDX-License-Identifier: Apache-2.0
 *
 * Most of the many columns stay worthless from step to step. So those that were worth something when all were looked at
 * (candidates) are looked at first, and all of them again only when no candidate is worth anything.
 */
#include "solve/lp/column.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solve/program/bits.h"

enum {
	COARSE_LEAST = 40, COARSE_MOST = 48, /* the largest price of a row is 2 to this: the finer, the larger its numbers are */
	COARSE_SUM = 52,   /* the price of what all units are on is at most 2 to this, which a double holds exactly */
};

#define LARGE 1e6 /* numbers of a row */

/* Adds the price of a row to whatever counts in it. */
static void
column_add_price(struct master *m, const struct row *row, price_product fine)
{
	const struct program *p = m->program;
	struct prices *prices = &m->prices;
	int64_t price = price_round(fine);
	const struct weights *weights;

	switch (row->kind) {
	case ROW_PLACES:
		for (size_t h = 0; h < p->hardware_count; h++)
			prices->hardware[h] += p->hardware[h].departure == DEPARTURE_ASKED ? price : 0;
		prices->machine += price;
		break;
	case ROW_MACHINES:
		prices->machine += price;
		break;
	case ROW_GROUP:
		prices->group[row->index] += price;
		break;
	case ROW_UNIT:
		prices->unit[row->index] += price;
		break;
	case ROW_HARDWARE:
		prices->hardware[row->index] += price;
		break;
	case ROW_MARKED:
		m->marked_price += price;
		break;
	case ROW_REGION:
		prices->regions[prices->region_count++] = (struct region_price){row->region, price};
		break;
	case ROW_KIND:
		m->kind_price[row->index] += price;
		break;
	case ROW_MOVES:
		prices->move = fine;
		break;
	case ROW_LOST:
		prices->lost = fine;
		break;
	case ROW_OBJECTIVE:
		weights = &p->weights[row->index];
		for (size_t h = 0; weights->hardware && h < p->hardware_count; h++)
			prices->hardware[h] += price_round(fine * weights->hardware[h]);
		for (size_t u = 0; weights->unit && u < p->unit_count; u++)
			prices->unit[u] += price_round(fine * weights->unit[u]);
		break;
	case ROW_CHOICE:
		for (size_t i = 0; i < p->choices[row->index].count; i++)
			prices->unit[p->choices[row->index].units[i]] += price;
		break;
	case ROW_LINEAR:
		for (size_t u = 0; u < p->unit_count; u++)
			prices->unit[u] += price_round(fine * p->linears[row->index].coefficient[u]);
	}
}

/* Forbids what has no instance or machine left, too: else the method would find that out in as many steps as there are sets of such units. */
void
column_sum_prices(struct master *m)
{
	const struct program *p = m->program;
	struct prices *prices = &m->prices;

	memset(prices->unit, 0, p->unit_count * sizeof *prices->unit);
	memset(prices->hardware, 0, p->hardware_count * sizeof *prices->hardware);
	memset(prices->group, 0, p->group_count * sizeof *prices->group);
	prices->machine = m->marked_price = prices->region_most = 0;
	prices->move = prices->lost = 0;
	prices->moves_left = m->row_of_moves == SIMPLEX_NONE ? NO_MAX : m->rows[m->row_of_moves].hi;
	prices->region_count = 0;
	for (int k = 1; k <= m->kind_count; k++)
		m->kind_price[k] = 0;
	for (size_t i = 0; i < m->row_count; i++)
		if (m->row_price[i])
			column_add_price(m, &m->rows[i], m->row_price[i]);
	for (size_t i = 0; i < prices->region_count; i++)
		prices->region_most += prices->regions[i].value > 0 ? prices->regions[i].value : 0;
	for (size_t i = 0; i < m->row_count; i++) {
		const struct row *row = &m->rows[i];

		if (row->hi > 0)
			continue;
		if (row->kind == ROW_UNIT)
			prices->unit[row->index] = PRICE_FORBIDDEN;
		else if (row->kind == ROW_HARDWARE)
			prices->hardware[row->index] = PRICE_FORBIDDEN;
		else if (row->kind == ROW_GROUP)
			prices->group[row->index] = PRICE_FORBIDDEN;
	}
}

/* Returns what 1.0 of the linear program is in prices. That of the row with the largest numbers, which is an objective's if there is one,
 * becomes whole, so that nothing is lost where it is multiplied by them. */
static double
column_unit_price(const struct master *m)
{
	int coarse = COARSE_SUM, wanted = COARSE_LEAST, beyond;
	double most = SIMPLEX_WORTH, unit, fine, scale = 1;
	size_t largest = 0;

	for (size_t i = 0; i < m->row_count; i++) {
		most = fmax(most, fabs(m->lp.price[i]));
		if (m->rows[i].scale > scale && fabs(m->lp.price[i]) > SIMPLEX_WORTH) {
			scale = m->rows[i].scale;
			largest = i;
		}
	}
	for (size_t units = m->program->unit_count; units; units /= 2)
		coarse--;
	coarse = coarse < COARSE_MOST ? coarse : COARSE_MOST;
	frexp(scale / LARGE, &beyond);
	wanted = beyond > 0 ? wanted + beyond : wanted;
	unit = ldexp(1, wanted < coarse ? wanted : coarse > COARSE_LEAST ? coarse : COARSE_LEAST) / most;
	fine = ldexp(m->lp.price[largest] / m->rows[largest].scale * unit, PRICE_FINE);
	return scale > 1 && fabs(fine) > 1 ? unit * nearbyint(fine) / fine : unit;
}

/* A price that counts on a bound which is not there is noise, and 0. */
void
column_prices(struct master *m)
{
	m->unit_price = column_unit_price(m);
	for (size_t i = 0; i < m->row_count; i++) {
		double price = m->lp.price[i];

		if (fabs(price) < 2 * SIMPLEX_WORTH && (price > 0 ? m->rows[i].lo == NO_MIN : m->rows[i].hi == NO_MAX))
			price = 0;
		m->row_price[i] = (price_product)nearbyint(ldexp(price / m->rows[i].scale * m->unit_price, PRICE_FINE));
	}
	column_sum_prices(m);
}

/* Returns what a pattern is worth by its moves, and the regions it is in. */
static int64_t
column_price_of_place(const struct master *m, const struct column *column)
{
	const struct program *p = m->program;
	const struct prices *prices = &m->prices;
	const struct pattern *pattern = &column->pattern;
	int64_t sum;

	if (column->moves > prices->moves_left)
		return PRICE_FORBIDDEN;
	sum = price_round(prices->move * column->moves + prices->lost * pattern_lost(p, pattern));
	for (size_t i = 0; i < prices->region_count; i++)
		if (region_has(p, prices->regions[i].region, pattern))
			sum += prices->regions[i].value;
	return sum + (pattern->kind ? m->kind_price[pattern->kind] : 0);
}

/* Returns what a pattern is worth by what stands on it. */
static int64_t
column_price_of_units(const struct master *m, const struct pattern *pattern)
{
	const struct program *p = m->program;
	const struct prices *prices = &m->prices;
	int64_t sum = pattern_departure(p, pattern) ? 0 : prices->machine;

	if (prices->hardware[pattern->hardware] == PRICE_FORBIDDEN)
		return PRICE_FORBIDDEN;
	sum += prices->hardware[pattern->hardware];
	for (size_t word = 0; word < p->unit_words; word++)
		for (uint64_t units = pattern->units[word]; units; units &= units - 1) {
			int64_t price = prices->unit[word * 64 + (size_t)__builtin_ctzll(units)];

			if (price == PRICE_FORBIDDEN)
				return PRICE_FORBIDDEN;
			sum += price;
		}
	return sum;
}

/* Returns the worth of a column; floor or less if it is not worth more than that. */
static int64_t
column_price(const struct master *m, const struct column *column, int64_t floor)
{
	const struct prices *prices = &m->prices;
	const struct pattern *pattern = &column->pattern;
	int64_t sum = prices->group[pattern->group], more;

	if (sum == PRICE_FORBIDDEN)
		return PRICE_FORBIDDEN;
	if (!pattern->kind) {
		more = column_price_of_units(m, pattern);
		if (more == PRICE_FORBIDDEN)
			return PRICE_FORBIDDEN;
		sum += more + (column->marked ? m->marked_price : 0);
		if (!prices->move && !prices->lost && sum + prices->region_most <= floor)
			return floor;
	}
	more = column_price_of_place(m, column);
	return more == PRICE_FORBIDDEN ? PRICE_FORBIDDEN : sum + more;
}

/* Returns false for a column that was marked for an earlier filter. */
static bool
column_is_current(const struct master *m, const struct column *column)
{
	return !column->marked || column->filter == m->filter_number;
}

/* Returns the best of those that were worth something when all were looked at. */
static int
column_best_candidate(const struct master *m, int64_t threshold, int64_t *worth)
{
	int best = SIMPLEX_NONE;

	*worth = threshold;
	for (size_t i = 0; i < m->candidate_count; i++) {
		const struct column *column = &m->columns[m->candidates[i]];
		int64_t price = column_is_current(m, column) ? column_price(m, column, *worth) : threshold;

		if (price <= *worth)
			continue;
		*worth = price;
		best = m->candidates[i];
	}
	return best;
}

static void
column_find_candidates(struct master *m, int64_t threshold)
{
	m->candidate_count = 0;
	for (size_t i = 0; i < m->column_count; i++) {
		const struct column *column = &m->columns[i];

		if (!column_is_current(m, column) || column_price(m, column, threshold) <= threshold)
			continue;
		ARRAY_ROOM(m->candidates, m->candidate_count, m->candidate_capacity);
		m->candidates[m->candidate_count++] = (int)i;
		if (m->lp.careful)
			return;
	}
}

int
column_best_known(struct master *m, int64_t threshold, int64_t *worth)
{
	int best = m->lp.careful ? SIMPLEX_NONE : column_best_candidate(m, threshold, worth);

	if (best != SIMPLEX_NONE)
		return best;
	column_find_candidates(m, threshold);
	return column_best_candidate(m, threshold, worth);
}

/* Looks for the best pattern of a group (marked: of those that pass the filter), and makes it a column if it is worth
 * it. */
static int
column_generate_for(struct master *m, int group, bool marked, size_t steps, int64_t threshold, int64_t *best)
{
	const struct program *p = m->program;
	struct column column = {.marked = marked, .filter = m->filter_number};
	int64_t mark = marked ? m->marked_price : 0, enough = *best > threshold ? *best : threshold, value;
	struct search_for better = {group, marked ? m->filter : NULL, *best - mark, enough - mark, steps};
	bool found;

	if (p->groups[group].only)
		return SIMPLEX_NONE;
	column.pattern.units = arena_alloc(&m->arena, p->unit_words, sizeof(uint64_t));
	found = price_best(p, &m->prices, m->budget, &better, &column.pattern, &value, &m->cut_short);
	if (!found || value + mark <= *best)
		return SIMPLEX_NONE;
	*best = value + mark;
	if (*best <= threshold)
		return SIMPLEX_NONE;
	ARRAY_ROOM(m->columns, m->column_count, m->column_capacity);
	column.moves = pattern_moves(p, &column.pattern);
	m->columns[m->column_count] = column;
	return (int)m->column_count++;
}

int
column_generate(struct master *m, size_t steps, int64_t threshold, int64_t harmless)
{
	size_t groups = m->program->group_count;
	int64_t gain = threshold;
	int best = SIMPLEX_NONE;

	m->cut_short = false;
	for (size_t g = 0; g <= groups; g++)
		m->best[g] = g < groups || m->filter ? harmless : 0;
	for (size_t i = 0; i < m->column_count && m->kind_count; i++) {
		const struct pattern *pattern = &m->columns[i].pattern;
		int64_t price = pattern->kind ? column_price(m, &m->columns[i], INT64_MIN) : PRICE_FORBIDDEN;

		if (price > m->best[pattern->group])
			m->best[pattern->group] = price;
	}
	for (size_t g = 0; g < groups; g++) {
		int columns[2] = {column_generate_for(m, (int)g, false, steps, threshold, &m->best[g]),
		    m->filter ? column_generate_for(m, (int)g, true, steps, threshold, &m->best[groups]) : SIMPLEX_NONE};

		for (int i = 0; i < 2; i++) {
			int64_t worth = i ? m->best[groups] : m->best[g];

			if (columns[i] == SIMPLEX_NONE || worth <= gain)
				continue;
			gain = worth;
			best = columns[i];
		}
	}
	return best;
}

bool
column_is_worth(struct master *m, int64_t worth)
{
	const struct program *p = m->program;
	struct pattern pattern = {.units = memory_zeroed(p->unit_words, sizeof *pattern.units)};
	int64_t floor = worth - m->marked_price, value;
	bool found = false;

	for (size_t g = 0; g < p->group_count && !found; g++) {
		struct search_for any = {(int)g, m->filter, floor, floor, SIZE_MAX};

		found = !p->groups[g].only && price_best(p, &m->prices, m->budget, &any, &pattern, &value, NULL);
	}
	free(pattern.units);
	return found || m->budget->spent;
}

bool
column_may_pass(struct master *m)
{
	memset(m->row_price, 0, m->row_count * sizeof *m->row_price);
	column_sum_prices(m);
	return column_is_worth(m, -1);
}
