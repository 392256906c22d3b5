/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/lp/simplex.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define PIVOT_LEAST 1e-8
#define NOISE 1e-13 /* what is smaller is 0: the inverse stays as sparse as it is */

void
simplex_release(struct simplex *lp)
{
	free(lp->lo);
	free(lp->hi);
	free(lp->inverse);
	free(lp->basis);
	free(lp->value);
	free(lp->place);
	free(lp->at_hi);
	free(lp->price);
	free(lp->step);
	free(lp->others);
	*lp = (struct simplex){0};
}

/* Makes room for rows rows; the inverse is laid out anew. */
static void
simplex_reserve(struct simplex *lp, size_t rows)
{
	size_t capacity = lp->capacity ? lp->capacity : 16;
	double *inverse;

	if (rows <= lp->capacity)
		return;
	while (capacity < rows)
		capacity += capacity / 2;
	inverse = memory_resize(NULL, capacity * capacity, sizeof *inverse);
	for (size_t i = 0; i < lp->rows; i++)
		memcpy(inverse + i * capacity, lp->inverse + i * lp->capacity, lp->rows * sizeof *inverse);
	free(lp->inverse);
	lp->inverse = inverse;
	lp->capacity = capacity;
	lp->lo = memory_resize(lp->lo, capacity, sizeof *lp->lo);
	lp->hi = memory_resize(lp->hi, capacity, sizeof *lp->hi);
	lp->basis = memory_resize(lp->basis, capacity, sizeof *lp->basis);
	lp->value = memory_resize(lp->value, capacity, sizeof *lp->value);
	lp->place = memory_resize(lp->place, capacity, sizeof *lp->place);
	lp->at_hi = memory_resize(lp->at_hi, capacity, sizeof *lp->at_hi);
	lp->price = memory_resize(lp->price, capacity, sizeof *lp->price);
	lp->step = memory_resize(lp->step, capacity, sizeof *lp->step);
	lp->others = memory_resize(lp->others, capacity, sizeof *lp->others);
}

void
simplex_copy(struct simplex *to, const struct simplex *from)
{
	size_t n = from->rows;

	to->rows = to->rows < n ? to->rows : n;
	simplex_reserve(to, n);
	to->rows = n;
	memcpy(to->lo, from->lo, n * sizeof *to->lo);
	memcpy(to->hi, from->hi, n * sizeof *to->hi);
	memcpy(to->basis, from->basis, n * sizeof *to->basis);
	memcpy(to->value, from->value, n * sizeof *to->value);
	memcpy(to->place, from->place, n * sizeof *to->place);
	memcpy(to->at_hi, from->at_hi, n * sizeof *to->at_hi);
	for (size_t i = 0; i < n; i++)
		memcpy(to->inverse + i * to->capacity, from->inverse + i * from->capacity, n * sizeof *to->inverse);
	to->since_rebuild = from->since_rebuild;
}

/* The activity of the new row is basic: (B 0; c -1) has the inverse (B' 0; cB' -1). */
void
simplex_add_row(struct simplex *lp, double lo, double hi, const double *coefficient)
{
	size_t new = lp->rows, width;
	double *last, value = 0;

	simplex_reserve(lp, new + 1);
	width = lp->capacity;
	last = lp->inverse + new * width;
	memset(last, 0, (new + 1) * sizeof *last);
	for (size_t i = 0; i < new; i++) {
		lp->inverse[i * width + new] = 0;
		if (coefficient[i] == 0)
			continue;
		value += coefficient[i] * lp->value[i];
		for (size_t j = 0; j < new; j++)
			last[j] += coefficient[i] * lp->inverse[i * width + j];
	}
	last[new] = -1;
	lp->lo[new] = lo;
	lp->hi[new] = hi;
	lp->basis[new] = ~(int)new;
	lp->place[new] = (int)new;
	lp->at_hi[new] = false;
	lp->value[new] = value;
	lp->rows++;
}

/* Returns the bound at which the activity of a row stands that is not basic. */
static double
simplex_resting(const struct simplex *lp, size_t row)
{
	if (lp->at_hi[row] ? isinf(lp->hi[row]) : isinf(lp->lo[row]))
		return isinf(lp->lo[row]) ? isinf(lp->hi[row]) ? 0 : lp->hi[row] : lp->lo[row];
	return lp->at_hi[row] ? lp->hi[row] : lp->lo[row];
}

void
simplex_recompute(struct simplex *lp)
{
	size_t count = 0;

	for (size_t row = 0; row < lp->rows; row++) {
		double at = lp->place[row] == SIMPLEX_NONE ? simplex_resting(lp, row) : 0;

		if (lp->place[row] == SIMPLEX_NONE)
			lp->at_hi[row] = at == lp->hi[row] && at != lp->lo[row];
		lp->step[row] = at;
		if (at != 0)
			lp->others[count++] = row;
	}
	for (size_t i = 0; i < lp->rows; i++) {
		const double *row = lp->inverse + i * lp->capacity;

		lp->value[i] = 0;
		for (size_t j = 0; j < count; j++)
			lp->value[i] += row[lp->others[j]] * lp->step[lp->others[j]];
	}
}

static double
simplex_clean(double number)
{
	return fabs(number) < NOISE ? 0 : number;
}

/* Lists the places of a row that are not 0: most are, and these are passed over. Returns how many. */
static size_t
simplex_list_others(const double *row, size_t count, size_t *others)
{
	size_t found = 0;

	for (size_t j = 0; j < count; j++)
		if (row[j] != 0)
			others[found++] = j;
	return found;
}

/* Gauss-Jordan with row exchange: turns work (rows wide) into the unit matrix and lp->inverse into its inverse. */
bool
simplex_rebuild(struct simplex *lp, const double *matrix)
{
	size_t n = lp->rows, width = lp->capacity;
	double *work = memory_resize(NULL, n * n, sizeof *work);
	size_t *others = memory_resize(NULL, n, sizeof *others);
	bool regular = true;

	memcpy(work, matrix, n * n * sizeof *work);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			lp->inverse[i * width + j] = i == j;
	for (size_t k = 0; k < n && regular; k++) {
		size_t best = k, count, more;

		for (size_t i = k; i < n; i++)
			if (fabs(work[i * n + k]) > fabs(work[best * n + k]))
				best = i;
		regular = fabs(work[best * n + k]) > PIVOT_LEAST;
		for (size_t j = 0; j < n && best != k; j++) {
			double swap = work[k * n + j];

			work[k * n + j] = work[best * n + j];
			work[best * n + j] = swap;
			swap = lp->inverse[k * width + j];
			lp->inverse[k * width + j] = lp->inverse[best * width + j];
			lp->inverse[best * width + j] = swap;
		}
		count = simplex_list_others(lp->inverse + k * width, n, lp->others);
		more = simplex_list_others(work + k * n + k, n - k, others);
		for (size_t i = 0; i < n && regular; i++) {
			double factor = i == k ? 1 - 1 / work[k * n + k] : work[i * n + k] / work[k * n + k];

			if (factor == 0)
				continue;
			for (size_t j = 0; j < more; j++)
				work[i * n + k + others[j]] -= factor * work[k * n + k + others[j]];
			for (size_t j = 0; j < count; j++)
				lp->inverse[i * width + lp->others[j]] -= factor * lp->inverse[k * width + lp->others[j]];
		}
	}
	free(work);
	free(others);
	lp->since_rebuild = 0;
	return regular;
}

static double
simplex_lower(const struct simplex *lp, size_t i)
{
	return lp->basis[i] < 0 ? lp->lo[~lp->basis[i]] : 0;
}

static double
simplex_upper(const struct simplex *lp, size_t i)
{
	return lp->basis[i] < 0 ? lp->hi[~lp->basis[i]] : INFINITY;
}

/* Adds cost times row i of the inverse to the prices. */
static void
simplex_add_price(struct simplex *lp, size_t i, double cost)
{
	const double *row = lp->inverse + i * lp->capacity;

	for (size_t j = 0; j < lp->rows; j++)
		lp->price[j] += cost * row[j];
}

double
simplex_price(struct simplex *lp, int objective, int sign)
{
	double missing = 0;

	for (size_t j = 0; j < lp->rows; j++)
		lp->price[j] = 0;
	for (size_t i = 0; i < lp->rows; i++) {
		double below = simplex_lower(lp, i) - lp->value[i], above = lp->value[i] - simplex_upper(lp, i);

		if (below > SIMPLEX_FEASIBLE)
			simplex_add_price(lp, i, -1);
		else if (above > SIMPLEX_FEASIBLE)
			simplex_add_price(lp, i, 1);
		else
			continue;
		missing += below > above ? below : above;
	}
	if (missing == 0 && objective != SIMPLEX_NONE && lp->place[objective] != SIMPLEX_NONE)
		simplex_add_price(lp, (size_t)lp->place[objective], sign);
	return missing;
}

double
simplex_activity(const struct simplex *lp, int row)
{
	return lp->place[row] == SIMPLEX_NONE ? simplex_resting(lp, (size_t)row) : lp->value[lp->place[row]];
}

int
simplex_best_row(const struct simplex *lp, int objective, int sign, double *gain)
{
	int best = SIMPLEX_NONE;

	*gain = lp->worth;
	for (size_t row = 0; row < lp->rows; row++) {
		double cost = lp->price[row] + ((int)row == objective ? sign : 0), worth;

		if (lp->place[row] != SIMPLEX_NONE || lp->lo[row] == lp->hi[row])
			continue;
		worth = lp->at_hi[row] ? cost : -cost;
		if (isinf(lp->lo[row]) && isinf(lp->hi[row]))
			worth = fabs(cost);
		if (worth <= *gain)
			continue;
		*gain = worth;
		best = (int)row;
		if (lp->careful)
			break;
	}
	return best;
}

/* Returns how far what is basic in place i lets the entering one go, if it moves by rate per unit. What misses a bound
 * stops there when it comes to it; moving away from it, it does not stop anything. */
static double
simplex_reach(const struct simplex *lp, size_t i, double rate, double slack)
{
	double lo = simplex_lower(lp, i), hi = simplex_upper(lp, i), value = lp->value[i];

	if (fabs(rate) < PIVOT_LEAST)
		return INFINITY;
	if (rate > 0) {
		if (value < lo - SIMPLEX_FEASIBLE)
			return (lo - value + slack) / rate;
		return value > hi + SIMPLEX_FEASIBLE ? INFINITY : (hi - value + slack) / rate;
	}
	if (value > hi + SIMPLEX_FEASIBLE)
		return (hi - value - slack) / rate;
	return value < lo - SIMPLEX_FEASIBLE ? INFINITY : (lo - value - slack) / rate;
}

/* Returns the place that leaves: among those that stop first (within a slack), the one with the largest pivot. */
static int
simplex_leaving(const struct simplex *lp, double direction, double *length)
{
	double limit = INFINITY, largest = 0;
	int place = SIMPLEX_NONE;

	for (size_t i = 0; i < lp->rows; i++) {
		double far = simplex_reach(lp, i, -direction * lp->step[i], lp->careful ? 0 : SIMPLEX_FEASIBLE / 10);

		limit = far < limit ? far : limit;
	}
	*length = INFINITY;
	for (size_t i = 0; i < lp->rows && !isinf(limit); i++) {
		double far = simplex_reach(lp, i, -direction * lp->step[i], 0);
		double pivot = fabs(lp->step[i]);

		if (far > limit || pivot <= largest)
			continue;
		largest = pivot;
		place = (int)i;
		*length = far > 0 ? far : 0;
	}
	return place;
}

static void
simplex_pivot(struct simplex *lp, size_t place)
{
	double *row = lp->inverse + place * lp->capacity, scale = 1 / lp->step[place];
	size_t count;

	for (size_t j = 0; j < lp->rows; j++)
		row[j] = simplex_clean(row[j] * scale);
	count = simplex_list_others(row, lp->rows, lp->others);
	for (size_t i = 0; i < lp->rows; i++) {
		double *other = lp->inverse + i * lp->capacity, factor = lp->step[i];

		if (i == place || factor == 0)
			continue;
		for (size_t j = 0; j < count; j++)
			other[lp->others[j]] -= factor * row[lp->others[j]];
	}
	lp->since_rebuild++;
}

/* Lets variable (a column or ~row) enter from start in direction; lp->step is its column through the inverse. */
static bool
simplex_enter(struct simplex *lp, int variable, double start, double direction)
{
	double length, range = INFINITY;
	int place = simplex_leaving(lp, direction, &length);

	if (variable < 0)
		range = lp->hi[~variable] - lp->lo[~variable];
	if (isinf(length) && isinf(range))
		return false;
	if (range <= length)
		length = range;
	for (size_t i = 0; i < lp->rows; i++)
		lp->value[i] -= direction * length * lp->step[i];
	if (range <= length) { /* it goes to its other bound, and the basis stays */
		lp->at_hi[~variable] = !lp->at_hi[~variable];
		return true;
	}
	if (lp->basis[place] < 0) { /* what leaves stops at the bound that it came to */
		int row = ~lp->basis[place];

		lp->place[row] = SIMPLEX_NONE;
		lp->at_hi[row] = fabs(lp->value[place] - lp->hi[row]) < fabs(lp->value[place] - lp->lo[row]);
	}
	simplex_pivot(lp, (size_t)place);
	lp->basis[place] = variable;
	lp->value[place] = start + direction * length;
	if (variable < 0)
		lp->place[~variable] = place;
	return true;
}

bool
simplex_enter_row(struct simplex *lp, int row)
{
	double direction = lp->at_hi[row] ? -1 : 1;

	if (isinf(lp->lo[row]) && isinf(lp->hi[row]) && lp->price[row] > 0)
		direction = -1;
	for (size_t i = 0; i < lp->rows; i++)
		lp->step[i] = simplex_clean(-lp->inverse[i * lp->capacity + (size_t)row]);
	return simplex_enter(lp, ~row, simplex_resting(lp, (size_t)row), direction);
}

bool
simplex_enter_column(struct simplex *lp, int column, const double *coefficient)
{
	size_t count = simplex_list_others(coefficient, lp->rows, lp->others);

	for (size_t i = 0; i < lp->rows; i++) {
		const double *row = lp->inverse + i * lp->capacity;
		double sum = 0;

		for (size_t j = 0; j < count; j++)
			sum += row[lp->others[j]] * coefficient[lp->others[j]];
		lp->step[i] = simplex_clean(sum);
	}
	return simplex_enter(lp, column, 0, 1);
}
