/* SPDX-License-Identifier: Apache-2.0
 *
 * Column generation: the linear program names prices, the best patterns at these prices become columns, until no
 * pattern is worth entering. Prices are rounded to whole numbers first, so that "no pattern is" is exact.
 *
 * That no pattern is worth entering takes by far the longest to find out, and most often does not matter: a node of the search is left only
 * where its bound is worse than the solution in hand. So the objective is driven down without a bound, with patterns that are found in a short
 * time. Where it ends up within its bound that will do. Where it does not, the prices are to prove that no solution keeps the bound; what they
 * have to spare for that makes the objective dearer, so that patterns need not be looked for that gain so little that they could not save the
 * bound. Where the proof takes long nevertheless, for what is beyond the bound is little, it is left to the nodes below, where it is more.
 */
#include <math.h>
#include <stdlib.h>

#include "solve/lp/column.h"
#include "solve/lp/master.h"
#include "solve/program/bits.h"

enum {
	REBUILD_AFTER = 100,
	STEPS = 8,   /* steps that lead nowhere */
	LOOSENINGS = 3, /* in one relaxation */
	PROOF = 300000,         /* steps of looking for patterns on one type, */
	PROOF_WORK = 100000000, /* and of all, to prove that a rough relaxation has no solution */
};

#define LOOSE 1e-4
#define NEAR 1e-6 /* in the linear program */
#define MOST_HARMLESS (INT64_C(1) << 60)
#define UNBOUNDED ((price_product)1 << 120) /* more than anything is worth */

/* Returns how many new machines the objectives allow, if each adds as little as any type can. */
static int64_t
relax_most_affordable(const struct master *m)
{
	const struct program *p = m->program;
	int64_t most = NO_MAX;

	for (int i = 0; i < OBJECTIVE_COUNT; i++) {
		const int64_t *weight = p->weights[i].hardware;
		int row = m->row_of_objective[i];
		int64_t least = NO_MAX, hi = row == SIMPLEX_NONE ? NO_MAX : m->rows[row].hi;

		for (size_t h = 0; weight && h < p->hardware_count && hi != NO_MAX; h++)
			if (bits_has(p->groups[0].hardware, h) && weight[h] < least)
				least = weight[h];
		if (hi != NO_MAX && hi >= 0 && least > 0 && least != NO_MAX && hi / least < most)
			most = hi / least;
	}
	return most;
}

/* Returns how many machines there can be at most in a group, also of those that leave, or marked. */
static int64_t
relax_most_machines(const struct master *m, size_t group)
{
	int row = group == 0 ? 0 : group < m->program->group_count ? m->row_of_group[group] : m->row_of_marked;
	bool leave = group > 0 && group < m->program->group_count;
	int64_t most;

	if (row == SIMPLEX_NONE) /* a group that was left out */
		return 0;
	most = leave || m->rows[row].hi < m->rows[0].hi ? m->rows[row].hi : m->rows[0].hi;
	if (group == 0) {
		int64_t affordable = relax_most_affordable(m);

		most = (most < affordable ? most : affordable) + m->kind_machines;
	}
	return most > 0 ? most : 0;
}

/* Finds what the sum of the rows' prices times their activities is at least, without that of one row, or SIMPLEX_NONE. Returns false if
 * nothing bounds it. */
static bool
relax_least_worth(const struct master *m, int without, price_product *least)
{
	*least = 0;
	for (size_t i = 0; i < m->row_count; i++) {
		int64_t bound = m->row_price[i] > 0 ? m->rows[i].lo : m->rows[i].hi;

		if (!m->row_price[i] || (int)i == without)
			continue;
		if (bound == NO_MIN || bound == NO_MAX)
			return false;
		*least += m->row_price[i] * bound;
	}
	return true;
}

/* Shares out what may be missing among so many machines. */
static int64_t
relax_harmless(price_product spare, price_product machines)
{
	return machines == 0 || spare / machines > MOST_HARMLESS ? MOST_HARMLESS : (int64_t)(spare / machines);
}

/* Returns the worth of a pattern that is harmless: if none is worth more, the prices prove that there is no
 * solution. */
static int64_t
relax_harmless_worth(const struct master *m)
{
	price_product least, most = 0;

	if (!relax_least_worth(m, SIMPLEX_NONE, &least))
		return 0;
	for (size_t g = 0; g < m->program->group_count + (m->filter != NULL); g++)
		most += (price_product)relax_most_machines(m, g) << PRICE_FINE;
	return least <= 1 ? 0 : relax_harmless(least - 1, most);
}

/* Returns what all machines may be worth at most. */
static price_product
relax_most_worth(const struct master *m)
{
	price_product most = 0;

	for (size_t g = 0; g <= m->program->group_count; g++)
		if (m->best[g] > 0)
			most += (price_product)m->best[g] * relax_most_machines(m, g) << PRICE_FINE;
	return most;
}

/* For any prices y of the rows: the sum of y times activity is at least what it is with each activity at its worse
 * bound, and as much as the patterns in use are worth, which is at most the best pattern's price for each machine. */
price_product
master_slack(const struct master *m)
{
	price_product least;

	return relax_least_worth(m, SIMPLEX_NONE, &least) ? relax_most_worth(m) - least : UNBOUNDED;
}

int64_t
master_harmless_mark(const struct master *m)
{
	price_product spare = -master_slack(m) - 1, machines = relax_most_machines(m, m->program->group_count);

	if (spare < 0)
		return -1;
	return relax_harmless(spare, machines << PRICE_FINE);
}

/* The same sum without the objective's row: its price, which is negative where it is made least, times its activity is at most what is
 * left of the patterns' worth. */
bool
master_bound(const struct master *m, int objective, int sign, int64_t *bound)
{
	price_product price = -sign * m->row_price[objective], least, value;

	if (m->budget->spent || m->cut_short || price <= 0 || !relax_least_worth(m, objective, &least))
		return false;
	value = least - relax_most_worth(m);
	value = value > 0 ? (value + price - 1) / price : value / price;
	if (value <= NO_MIN || value >= NO_MAX)
		return false;
	*bound = (int64_t)value;
	return true;
}

struct basic { /* a column of the basis */
	int variable;        /* as in lp.basis */
	double *coefficient; /* of each row */
	size_t count;        /* of those that are not 0 */
};

static int
relax_compare_basic(const void *a, const void *b)
{
	const struct basic *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? -1 : 1;
	return x->variable < y->variable ? -1 : x->variable > y->variable;
}

/* Lists the columns of the basis, sparse ones first. */
static void
relax_list_basis(struct master *m, struct basic *list, double *coefficients)
{
	size_t n = m->row_count;

	for (size_t j = 0; j < n; j++) {
		struct basic *b = &list[j];

		*b = (struct basic){m->lp.basis[j], coefficients + j * n, 0};
		for (size_t i = 0; i < n; i++) {
			b->coefficient[i] = b->variable < 0 ? -(~b->variable == (int)i) : master_scaled_coefficient(m, &m->rows[i], &m->columns[b->variable]);
			b->count += b->coefficient[i] != 0;
		}
	}
	qsort(list, n, sizeof *list, relax_compare_basic);
}

static void
relax_rebuild(struct master *m)
{
	size_t n = m->row_count;
	double *matrix = memory_resize(NULL, 2 * n * n, sizeof *matrix);
	struct basic *list = memory_resize(NULL, n, sizeof *list);

	relax_list_basis(m, list, matrix + n * n);
	for (size_t j = 0; j < n; j++) {
		m->lp.basis[j] = list[j].variable;
		if (list[j].variable < 0)
			m->lp.place[~list[j].variable] = (int)j;
		for (size_t i = 0; i < n; i++)
			matrix[i * n + j] = list[j].coefficient[i];
	}
	simplex_rebuild(&m->lp, matrix);
	simplex_recompute(&m->lp);
	free(list);
	free(matrix);
}

/* Returns whether the objective's activity does not keep its bounds, but for what doubles may be wrong by. */
static bool
relax_misses(const struct master *m, int objective)
{
	const struct row *row = &m->rows[objective];
	double activity = simplex_activity(&m->lp, objective) * row->scale, slack = SIMPLEX_FEASIBLE * row->scale;

	return (row->lo != NO_MIN && activity < (double)row->lo - slack) || (row->hi != NO_MAX && activity > (double)row->hi + slack);
}

/* Has the objective pay for what the machines may be worth without hurting the proof that its bound is not kept: a higher price of it makes
 * all patterns worth less, dear ones the most. */
static void
relax_raise_price(struct master *m, int objective, int sign, int64_t threshold)
{
	int64_t hi = m->rows[objective].hi;
	price_product least, spare, machines = 0;

	if (sign < 0 || hi <= 0 || hi == NO_MAX || !relax_least_worth(m, SIMPLEX_NONE, &least))
		return;
	for (size_t g = 0; g < m->program->group_count + (m->filter != NULL); g++)
		machines += relax_most_machines(m, g);
	spare = least - 1 - ((machines * threshold) << PRICE_FINE);
	if (spare < hi)
		return;
	m->row_price[objective] -= spare / hi;
	column_sum_prices(m);
}

/* Looks for patterns that are worth entering: first for a short time only, and to the end where a proof is asked for. */
static int
relax_generate(struct master *m, int objective, int sign, int64_t threshold)
{
	bool rough = m->rough && objective != SIMPLEX_NONE, fine = m->lp.worth <= SIMPLEX_WORTH_FINE;
	int64_t floor = objective == SIMPLEX_NONE ? relax_harmless_worth(m) : fine ? 0 : threshold;
	int column = column_generate(m, PRICE_QUICK, threshold, floor);

	if (column != SIMPLEX_NONE || !m->cut_short ||
	    (rough && (!relax_misses(m, objective) || (!m->thorough && m->budget->steps >= m->proof_end))))
		return column;
	if (rough)
		relax_raise_price(m, objective, sign, threshold);
	return column_generate(m, rough && !m->thorough ? PROOF : SIZE_MAX, threshold, floor);
}

/* Makes one step of the simplex method. Returns false if the relaxation is solved. */
static bool
relax_step(struct master *m, int objective, int sign)
{
	double gain;
	int64_t threshold, worth;
	int row = simplex_best_row(&m->lp, objective, sign, &gain), column;

	column_prices(m);
	threshold = (int64_t)(m->unit_price * m->lp.worth) + (int64_t)(m->row_count + m->program->unit_count);
	column = column_best_known(m, threshold, &worth);
	if (column == SIMPLEX_NONE && row == SIMPLEX_NONE)
		column = relax_generate(m, objective, sign, threshold);
	if (column == SIMPLEX_NONE && row == SIMPLEX_NONE)
		return false;
	if (column == SIMPLEX_NONE || (row != SIMPLEX_NONE && gain * m->unit_price > (double)worth))
		simplex_enter_row(&m->lp, row);
	else {
		double *coefficient = memory_zeroed(m->row_count, sizeof *coefficient);

		for (size_t i = 0; i < m->row_count; i++)
			coefficient[i] = master_scaled_coefficient(m, &m->rows[i], &m->columns[column]);
		simplex_enter_column(&m->lp, column, coefficient);
		free(coefficient);
	}
	if (m->lp.since_rebuild > REBUILD_AFTER)
		relax_rebuild(m);
	return true;
}

/* Gives the linear program the bounds of the rows, but for that of the objective which it is driven away from: whether it is kept is left to
 * the proof. SIMPLEX_NONE: all of them. */
static void
relax_bound(struct master *m, int objective, int sign)
{
	for (size_t i = 0; i < m->row_count; i++)
		master_set_bounds(m, (int)i, m->rows[i].lo, m->rows[i].hi);
	if (objective != SIMPLEX_NONE && sign > 0)
		m->lp.hi[objective] = INFINITY;
	else if (objective != SIMPLEX_NONE)
		m->lp.lo[objective] = -INFINITY;
	simplex_recompute(&m->lp);
}

/* Loosens the bounds of the linear program a little, each by another amount: where many solutions meet in one
 * corner, the method may walk through exponentially many bases there without getting anywhere; then the corner is
 * many, and it moves on. */
static void
relax_loosen(struct master *m)
{
	uint32_t random = 1;

	for (size_t i = 0; i < m->row_count; i++) {
		double slack;

		random = random * 1664525 + 1013904223;
		slack = LOOSE * (1 + (double)(random >> 8) / (1 << 24));
		m->lp.lo[i] -= slack;
		m->lp.hi[i] += slack;
	}
	simplex_recompute(&m->lp);
}

/* Returns whether the last prices prove that no solution keeps the bounds of the objective. */
static bool
relax_is_beyond(const struct master *m, int objective, int sign)
{
	int64_t bound;

	if (objective == SIMPLEX_NONE || !master_bound(m, objective, sign, &bound))
		return false;
	return sign > 0 ? bound > m->rows[objective].hi : -bound < m->rows[objective].lo;
}

/* Returns whether the objective comes so near to the bound that it is to keep that doubles do not say whether it does. */
static bool
relax_is_near(const struct master *m, int objective, int sign)
{
	const struct row *row = objective == SIMPLEX_NONE ? NULL : &m->rows[objective];
	int64_t bound = row ? sign > 0 ? row->hi : row->lo : NO_MAX;

	return bound != NO_MAX && bound != NO_MIN &&
	    sign * (simplex_activity(&m->lp, objective) - (double)bound / row->scale) > -NEAR;
}

/* Returns whether the relaxation, with which nothing more can be done, has a solution; beyond: it is proved that it has none. */
static bool
relax_end(struct master *m, int objective, int sign, bool misses, bool beyond)
{
	bool misses_own = objective != SIMPLEX_NONE && !misses && !beyond && !m->cut_short && relax_misses(m, objective);

	if (objective != SIMPLEX_NONE)
		relax_bound(m, SIMPLEX_NONE, sign);
	m->unproven = m->unproven || misses || misses_own;
	return !misses && !beyond && !misses_own;
}

static bool
relax(struct master *m, int objective, int sign)
{
	double before = INFINITY;
	size_t idle = 0, idle_max = 20 + m->row_count, limit = 400 * (m->row_count + 20);
	bool was_missing = true, loose = false, beyond;
	int chances = LOOSENINGS;

	m->lp.careful = false;
	m->lp.worth = SIMPLEX_WORTH;
	if (!budget_node(m->budget))
		return false;
	for (size_t i = 0; i < m->row_count; i++)
		if (m->rows[i].lo > m->rows[i].hi)
			return false;
	m->relaxations++;
	m->proof_end = m->budget->steps + PROOF_WORK;
	relax_bound(m, objective, sign);
	while (limit-- > 0 && budget_work(m->budget, m->row_count * (m->row_count + m->column_count))) {
		double missing = simplex_price(&m->lp, objective, sign), now = missing; /* driven down first, then the objective */

		if (missing <= 0 && objective != SIMPLEX_NONE)
			now = sign * simplex_activity(&m->lp, objective);
		idle = (missing > 0) != was_missing || now < before - SIMPLEX_WORTH ? 0 : idle + 1;
		was_missing = missing > 0;
		before = now;
		if (idle > STEPS + m->row_count / 5 && !loose && chances-- > 0) {
			relax_loosen(m);
			loose = true;
			idle = 0;
			continue;
		}
		m->lp.careful = idle > idle_max;
		if ((missing > 0 || objective != SIMPLEX_NONE) && relax_step(m, missing == 0 ? objective : SIMPLEX_NONE, sign))
			continue;
		if (loose && (missing == 0 || master_slack(m) >= 0)) {
			relax_bound(m, objective, sign);
			loose = false;
			continue;
		}
		if (missing > 0 && master_slack(m) < 0) {
			relax_bound(m, SIMPLEX_NONE, sign);
			return false;
		}
		beyond = missing == 0 && relax_is_beyond(m, objective, sign);
		if (missing == 0 && !beyond && m->lp.worth > SIMPLEX_WORTH_FINE && relax_is_near(m, objective, sign)) {
			m->lp.worth = SIMPLEX_WORTH_FINE;
			continue;
		}
		return relax_end(m, objective, sign, missing > 0, beyond);
	}
	relax_bound(m, SIMPLEX_NONE, sign);
	m->unproven = m->unproven || !m->budget->spent;
	return false;
}

bool
master_relax(struct master *m, int objective, int sign)
{
	m->rough = false;
	return relax(m, objective, sign);
}

bool
master_relax_roughly(struct master *m, int objective, int sign)
{
	m->rough = objective != SIMPLEX_NONE;
	return relax(m, objective, sign);
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
