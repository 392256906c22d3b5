/* SPDX-License-Identifier: Apache-2.0
 *
 * Column generation: the linear program names prices, the best patterns at these prices become columns, until no
 * pattern is worth entering. Prices are rounded to whole numbers first, so that "no pattern is" is exact.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solve/bits.h"
#include "solve/master.h"

enum {
	COARSE = 40, /* the largest price of a row is 2 to this */
	REBUILD_AFTER = 100,
	PATIENCE = 8,   /* steps that lead nowhere */
	LOOSENINGS = 3, /* in one relaxation */
};

#define LOOSE 1e-4

/* Turns the prices of the linear program into whole numbers. One that counts on a bound which is not there is
 * noise, and 0. */
static void
round_prices(struct master *m)
{
	double most = SIMPLEX_WORTH;

	for (size_t i = 0; i < m->row_count; i++)
		most = fmax(most, fabs(m->lp.price[i]));
	m->unit_price = ldexp(1, COARSE) / most;
	for (size_t i = 0; i < m->row_count; i++) {
		double price = m->lp.price[i];

		if (fabs(price) < 2 * SIMPLEX_WORTH && (price > 0 ? m->rows[i].lo == NO_MIN : m->rows[i].hi == NO_MAX))
			price = 0;
		m->row_price[i] = llround(ldexp(price / m->rows[i].scale * m->unit_price, PRICE_FINE));
	}
}

/* Of what no instance or machine is left, nothing is to be offered: else the method would find that out in as many
 * steps as there are sets of such units. */
static void
forbid_used_up(struct master *m)
{
	for (size_t i = 0; i < m->row_count; i++) {
		const struct row *row = &m->rows[i];

		if (row->hi > 0)
			continue;
		if (row->kind == ROW_UNIT)
			m->prices.unit[row->index] = PRICE_FORBIDDEN;
		else if (row->kind == ROW_HARDWARE)
			m->prices.hardware[row->index] = PRICE_FORBIDDEN;
		else if (row->kind == ROW_GROUP)
			m->prices.group[row->index] = PRICE_FORBIDDEN;
	}
}

/* Gathers the rows' prices into what a machine, a type, a unit, ... is worth. */
static void
gather_prices(struct master *m)
{
	const struct program *p = m->program;
	struct prices *prices = &m->prices;

	memset(prices->unit, 0, p->unit_count * sizeof *prices->unit);
	memset(prices->hardware, 0, p->hardware_count * sizeof *prices->hardware);
	memset(prices->group, 0, p->group_count * sizeof *prices->group);
	prices->machine = m->marked_price = prices->move = prices->lost = 0;
	prices->moves_left = m->row_of_moves == SIMPLEX_NONE ? NO_MAX : m->rows[m->row_of_moves].hi;
	prices->toll_count = 0;
	for (int k = 1; k <= m->settled_count; k++)
		m->settled_price[k] = 0;
	for (size_t i = 0; i < m->row_count; i++) {
		const struct row *row = &m->rows[i];
		price_product fine = m->row_price[i];

		if (fine == 0)
			continue;
		if (row->kind == ROW_MACHINES || row->kind == ROW_PLACES)
			prices->machine += price_round(fine);
		else if (row->kind == ROW_GROUP)
			prices->group[row->index] += price_round(fine);
		else if (row->kind == ROW_UNIT)
			prices->unit[row->index] += price_round(fine);
		else if (row->kind == ROW_HARDWARE)
			prices->hardware[row->index] += price_round(fine);
		else if (row->kind == ROW_MARKED)
			m->marked_price += price_round(fine);
		else if (row->kind == ROW_REGION)
			prices->tolls[prices->toll_count++] = (struct toll){row->region, price_round(fine)};
		else if (row->kind == ROW_SETTLED)
			m->settled_price[row->index] += price_round(fine);
		else if (row->kind == ROW_MOVES)
			prices->move = m->row_price[i];
		else if (row->kind == ROW_LOST)
			prices->lost = m->row_price[i];
		for (size_t h = 0; row->kind == ROW_PLACES && h < p->hardware_count; h++)
			prices->hardware[h] += p->hardware[h].departure == DEPARTURE_ASKED ? price_round(fine) : 0;
		for (size_t h = 0; row->kind == ROW_COST && h < p->hardware_count; h++)
			prices->hardware[h] += price_round(fine * p->hardware[h].cost);
		for (size_t u = 0; row->kind == ROW_LINEAR && u < p->unit_count; u++)
			prices->unit[u] += price_round(fine * p->linears[row->index].coefficient[u]);
	}
	forbid_used_up(m);
}

/* What a pattern is worth by its group, its moves, and the regions it is in. */
static int64_t
price_of_group(const struct master *m, const struct column *column)
{
	const struct program *p = m->program;
	const struct prices *prices = &m->prices;
	const struct pattern *pattern = &column->pattern;
	int64_t sum = prices->group[pattern->group];

	if (sum == PRICE_FORBIDDEN || column->moves > prices->moves_left)
		return PRICE_FORBIDDEN;
	sum += price_round((price_product)prices->move * column->moves + (price_product)prices->lost * pattern_lost(p, pattern));
	for (size_t i = 0; i < prices->toll_count; i++)
		if (region_has(p, prices->tolls[i].region, pattern))
			sum += prices->tolls[i].price;
	return sum + (pattern->settled ? m->settled_price[pattern->settled] : 0);
}

static int64_t
column_price(const struct master *m, const struct column *column)
{
	const struct program *p = m->program;
	const struct prices *prices = &m->prices;
	const struct pattern *pattern = &column->pattern;
	int64_t sum = price_of_group(m, column);

	if (sum == PRICE_FORBIDDEN || pattern->settled)
		return sum;
	if (prices->hardware[pattern->hardware] == PRICE_FORBIDDEN)
		return PRICE_FORBIDDEN;
	sum += pattern_departure(p, pattern) ? 0 : prices->machine;
	sum += prices->hardware[pattern->hardware];
	for (size_t u = bits_next(pattern->units, p->unit_words, 0); u != SIZE_MAX;
	     u = bits_next(pattern->units, p->unit_words, u + 1)) {
		if (prices->unit[u] == PRICE_FORBIDDEN)
			return PRICE_FORBIDDEN;
		sum += prices->unit[u];
	}
	return sum + (column->marked ? m->marked_price : 0);
}

/* A marked column is of a wish that may have passed since. */
static bool
is_current(const struct master *m, const struct column *column)
{
	return !column->marked || column->wish == m->wish_number;
}

static int
known_column(const struct master *m, int64_t threshold, int64_t *gain)
{
	int best = SIMPLEX_NONE;

	*gain = threshold;
	for (size_t i = 0; i < m->column_count; i++) {
		int64_t price = is_current(m, &m->columns[i]) ? column_price(m, &m->columns[i]) : 0;

		if (price <= *gain)
			continue;
		*gain = price;
		best = (int)i;
		if (m->lp.careful)
			break;
	}
	return best;
}

/* Looks for the best pattern of a group (marked: of the wish) there is, and makes it a column if it is worth it. */
static int
new_column(struct master *m, int group, bool marked, int64_t threshold, int64_t *best)
{
	const struct program *p = m->program;
	struct column column = {.marked = marked, .wish = m->wish_number};
	int64_t mark = marked ? m->marked_price : 0, value;
	bool found;

	column.pattern.units = arena_alloc(&m->arena, p->unit_words, sizeof(uint64_t));
	found = price_best(p, &m->prices, m->budget, group, marked ? m->wish : NULL, *best - mark, threshold - mark,
	    &column.pattern, &value);
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

/* A new column for each group that has one worth entering; the best of them. best[] bounds all columns there are. */
static int
new_columns(struct master *m, int64_t threshold)
{
	size_t groups = m->program->group_count;
	int64_t gain = threshold;
	int best = SIMPLEX_NONE;

	for (size_t g = 0; g <= groups; g++)
		m->best[g] = 0;
	for (size_t i = 0; i < m->column_count && m->settled_count; i++) {
		const struct pattern *pattern = &m->columns[i].pattern;

		if (pattern->settled && column_price(m, &m->columns[i]) > m->best[pattern->group])
			m->best[pattern->group] = column_price(m, &m->columns[i]);
	}
	for (size_t g = 0; g < groups; g++) {
		int columns[2] = {new_column(m, (int)g, false, threshold, &m->best[g]),
		    m->wish ? new_column(m, (int)g, true, threshold, &m->best[groups]) : SIMPLEX_NONE};

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

/* Machines that there can be at most in a group, also of those that leave, or marked. */
static int64_t
most_machines(const struct master *m, size_t group)
{
	int row = group == 0 ? 0 : group < m->program->group_count ? m->row_of_group[group] : m->row_of_marked;
	bool leave = group > 0 && group < m->program->group_count;
	int64_t most = leave || m->rows[row].hi < m->rows[0].hi ? m->rows[row].hi : m->rows[0].hi;

	if (group == 0)
		most += m->settled_machines;

	return most > 0 ? most : 0;
}

/* Whether the prices prove that there is no solution. For any prices y of the rows: the sum of y times activity is at
 * least what it is with each activity at its worse bound, and as much as the patterns in use are worth,
 * which is at most the best pattern's price for each machine. If the former is more, nothing fits. */
static bool
prove(const struct master *m)
{
	price_product least = 0, most = 0;

	for (size_t i = 0; i < m->row_count; i++)
		if (m->row_price[i])
			least += (price_product)m->row_price[i] * (m->row_price[i] > 0 ? m->rows[i].lo : m->rows[i].hi);
	for (size_t g = 0; g <= m->program->group_count; g++)
		if (m->best[g] > 0)
			most += (price_product)m->best[g] * most_machines(m, g) << PRICE_FINE;
	return least > most;
}

static void
enter_column(struct master *m, int column)
{
	double *coefficient = memory_zeroed(m->row_count, sizeof *coefficient);

	for (size_t i = 0; i < m->row_count; i++)
		coefficient[i] = (double)master_coefficient(m, &m->rows[i], &m->columns[column].pattern,
		                     m->columns[column].marked) / m->rows[i].scale;
	simplex_enter_column(&m->lp, column, coefficient);
	free(coefficient);
}

static void
rebuild(struct master *m)
{
	size_t n = m->row_count;
	double *matrix = memory_zeroed(n * n, sizeof *matrix);

	for (size_t j = 0; j < n; j++) {
		int variable = m->lp.basis[j];

		for (size_t i = 0; i < n && variable >= 0; i++)
			matrix[i * n + j] = (double)master_coefficient(m, &m->rows[i], &m->columns[variable].pattern,
			                        m->columns[variable].marked) / m->rows[i].scale;
		if (variable < 0)
			matrix[(size_t)~variable * n + j] = -1;
	}
	simplex_rebuild(&m->lp, matrix);
	simplex_settle(&m->lp);
	free(matrix);
}

/* One step of the simplex method. False where the relaxation is solved. */
static bool
step(struct master *m, int objective, int sign)
{
	double gain;
	int64_t threshold, worth;
	int row = simplex_best_row(&m->lp, objective, sign, &gain), column;

	round_prices(m);
	gather_prices(m);
	threshold = (int64_t)(m->unit_price * SIMPLEX_WORTH) + (int64_t)(m->row_count + m->program->unit_count);
	column = known_column(m, threshold, &worth);
	if (column == SIMPLEX_NONE && row == SIMPLEX_NONE)
		column = new_columns(m, threshold);
	if (column == SIMPLEX_NONE && row == SIMPLEX_NONE)
		return false;
	if (column == SIMPLEX_NONE || (row != SIMPLEX_NONE && gain * m->unit_price > (double)worth))
		simplex_enter_row(&m->lp, row);
	else
		enter_column(m, column);
	if (m->lp.since_rebuild > REBUILD_AFTER)
		rebuild(m);
	return true;
}

/* What the method drives down: what is missing, and then the objective. */
static double
goal(const struct master *m, double missing, int objective, int sign)
{
	if (missing > 0 || objective == SIMPLEX_NONE)
		return missing;
	return sign * simplex_activity(&m->lp, objective);
}

static bool
bounds_cross(const struct master *m)
{
	for (size_t i = 0; i < m->row_count; i++)
		if (m->rows[i].lo > m->rows[i].hi)
			return true;
	return false;
}

/* Loosens the bounds of the linear program a little, each by another amount: where many solutions meet in one
 * corner, the method may walk through exponentially many bases there without getting anywhere; then the corner is
 * many, and it moves on. */
static void
loosen(struct master *m)
{
	uint32_t random = 1;

	for (size_t i = 0; i < m->row_count; i++) {
		double slack;

		random = random * 1664525 + 1013904223;
		slack = LOOSE * (1 + (double)(random >> 8) / (1 << 24));
		m->lp.lo[i] -= slack;
		m->lp.hi[i] += slack;
	}
	simplex_settle(&m->lp);
}

static void
tighten(struct master *m)
{
	for (size_t i = 0; i < m->row_count; i++)
		master_set_bounds(m, (int)i, m->rows[i].lo, m->rows[i].hi);
	simplex_settle(&m->lp);
}

bool
master_relax(struct master *m, int objective, int sign)
{
	double before = INFINITY;
	size_t idle = 0, patience = 20 + m->row_count, limit = 400 * (m->row_count + 20);
	bool was_missing = true, loose = false;
	int chances = LOOSENINGS;

	m->lp.careful = false;
	if (!budget_node(m->budget) || bounds_cross(m))
		return false;
	simplex_settle(&m->lp);
	while (limit-- > 0 && budget_work(m->budget, m->row_count * (m->row_count + m->column_count))) {
		double missing = simplex_price(&m->lp, objective, sign), now = goal(m, missing, objective, sign);

		idle = (missing > 0) != was_missing || now < before - SIMPLEX_WORTH ? 0 : idle + 1;
		was_missing = missing > 0;
		before = now;
		if (idle > PATIENCE && !loose && chances-- > 0) {
			loosen(m);
			loose = true;
			idle = 0;
			continue;
		}
		m->lp.careful = idle > patience;
		if ((missing > 0 || objective != SIMPLEX_NONE) && step(m, missing == 0 ? objective : SIMPLEX_NONE, sign))
			continue;
		if (loose && (missing == 0 || !prove(m))) {
			tighten(m);
			loose = false;
			continue;
		}
		if (loose)
			tighten(m);
		else if (missing > 0 && !prove(m))
			m->unproven = true;
		return missing == 0;
	}
	tighten(m);
	m->unproven = m->unproven || !m->budget->spent;
	return false;
}

size_t
master_solution(const struct master *m, int *column, double *value)
{
	size_t count = 0;

	for (size_t i = 0; i < m->lp.rows; i++)
		if (m->lp.basis[i] >= 0 && m->lp.value[i] > SIMPLEX_FEASIBLE) {
			column[count] = m->lp.basis[i];
			value[count++] = m->lp.value[i];
		}
	return count;
}
