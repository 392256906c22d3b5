/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/lp/master.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solve/program/bits.h"

void
master_release(struct master *m)
{
	free(m->columns);
	free(m->candidates);
	free(m->rows);
	free(m->fixed.list);
	for (size_t h = 0; m->prices.weight_caches && h < m->program->hardware_count; h++) {
		free(m->prices.weight_caches[h].units);
		free(m->prices.weight_caches[h].left);
		free(m->prices.weight_caches[h].weight);
	}
	prices_release(&m->prices);
	free(m->row_price);
	free(m->kind_price);
	simplex_release(&m->lp);
	arena_release(&m->arena);
	*m = (struct master){0};
}

void
state_release(struct state *state)
{
	free(state->rows);
	free(state->chosen);
	simplex_release(&state->lp);
	*state = (struct state){0};
}

void
master_save(const struct master *m, struct state *state)
{
	size_t choices = m->program->choice_count;

	if (state->capacity < m->row_count) {
		state->capacity = m->row_capacity;
		state->rows = memory_resize(state->rows, state->capacity, sizeof *state->rows);
	}
	memcpy(state->rows, m->rows, m->row_count * sizeof *m->rows);
	state->count = m->row_count;
	if (!state->chosen)
		state->chosen = memory_zeroed(choices, sizeof *state->chosen);
	memcpy(state->chosen, m->chosen, choices * sizeof *m->chosen);
	state->fixed = m->fixed.count;
	simplex_copy(&state->lp, &m->lp);
}

/* Goes back to a saved state but for the linear program. */
static void
master_restore_rows(struct master *m, const struct state *state)
{
	memcpy(m->rows, state->rows, state->count * sizeof *m->rows);
	m->row_count = state->count;
	memcpy(m->chosen, state->chosen, m->program->choice_count * sizeof *m->chosen);
	m->fixed.count = state->fixed;
}

void
master_restore(struct master *m, const struct state *state)
{
	master_restore_rows(m, state);
	simplex_copy(&m->lp, &state->lp);
}

void
master_take_back(struct master *m, struct state *state)
{
	struct simplex lp = m->lp;

	master_restore_rows(m, state);
	m->lp = state->lp;
	state->lp = lp;
	state_release(state);
}

void
master_drop_row(struct master *m)
{
	m->row_count--;
	m->lp.rows--;
}

bool
row_is_about_groups(const struct row *row)
{
	return row->kind == ROW_GROUP || row->kind == ROW_MOVES || row->kind == ROW_LOST || row->kind == ROW_KIND ||
	    row->kind == ROW_REGION;
}

bool
master_is_used_up(const struct master *m, int row)
{
	return row != SIMPLEX_NONE && m->rows[row].hi <= 0;
}

int64_t
master_coefficient(const struct master *m, const struct row *row, const struct pattern *pattern, bool marked)
{
	const struct linear *linear;
	size_t words = m->program->unit_words;
	int64_t sum = 0;

	if (pattern->kind && !row_is_about_groups(row))
		return 0;
	switch (row->kind) {
	case ROW_MACHINES:
		return pattern_departure(m->program, pattern) == DEPARTURE_NONE;
	case ROW_GROUP:
		return pattern->group == row->index;
	case ROW_UNIT:
		return bits_has(pattern->units, (size_t)row->index);
	case ROW_HARDWARE:
		return pattern->hardware == row->index;
	case ROW_OBJECTIVE:
		return pattern_weight(m->program, (enum objective)row->index, pattern);
	case ROW_MOVES:
		return pattern_moves(m->program, pattern);
	case ROW_LOST:
		return pattern_lost(m->program, pattern);
	case ROW_PLACES:
		return pattern_departure(m->program, pattern) != DEPARTURE_MOVE;
	case ROW_KIND:
		return pattern->kind == row->index;
	case ROW_MARKED:
		return marked;
	case ROW_REGION:
		return region_has(m->program, row->region, pattern);
	case ROW_LINEAR:
		linear = &m->program->linears[row->index];
		BITS_EACH(u, pattern->units, words)
			sum += linear->coefficient[u];
		return sum;
	case ROW_CHOICE:
		for (size_t i = 0; i < m->program->choices[row->index].count; i++)
			sum += bits_has(pattern->units, (size_t)m->program->choices[row->index].units[i]);
		return sum;
	}
	return 0;
}

bool
master_passes(const struct master *m, const struct pattern *pattern)
{
	const struct pattern_filter *filter = m->filter;
	size_t image = program_image(m->program, pattern->group, pattern->units);

	return filter && region_has(m->program, &filter->region, pattern) &&
	    bits_has(filter->hardware, (size_t)pattern->hardware) &&
	    image != SIZE_MAX && bits_has(filter->images, image) && pattern_size(m->program, pattern->units) >= filter->size;
}

static double
master_scaled(const struct row *row, int64_t bound)
{
	if (bound == NO_MIN || bound == NO_MAX)
		return bound == NO_MIN ? -INFINITY : INFINITY;
	return (double)bound / row->scale;
}

int
master_add_row(struct master *m, struct row row)
{
	double *coefficient = memory_zeroed(m->lp.rows, sizeof *coefficient);

	ARRAY_ROOM(m->rows, m->row_count, m->row_capacity);
	m->rows[m->row_count] = row;
	for (size_t i = 0; i < m->lp.rows; i++)
		if (m->lp.basis[i] >= 0)
			coefficient[i] = master_scaled_coefficient(m, &row, &m->columns[m->lp.basis[i]]);
	simplex_add_row(&m->lp, master_scaled(&row, row.lo), master_scaled(&row, row.hi), coefficient);
	free(coefficient);
	if (m->row_price_capacity < m->row_capacity) {
		m->row_price_capacity = m->row_capacity;
		m->row_price = memory_resize(m->row_price, m->row_capacity, sizeof *m->row_price);
		m->prices.regions = memory_resize(m->prices.regions, m->row_capacity, sizeof *m->prices.regions);
	}
	return (int)m->row_count++;
}

void
master_set_bounds(struct master *m, int row, int64_t lo, int64_t hi)
{
	m->rows[row].lo = lo;
	m->rows[row].hi = hi;
	m->lp.lo[row] = master_scaled(&m->rows[row], lo);
	m->lp.hi[row] = master_scaled(&m->rows[row], hi);
}

void
master_bound_region(struct master *m, const struct region *region, int64_t lo, int64_t hi)
{
	for (size_t i = 0; i < m->row_count; i++) {
		const struct row *row = &m->rows[i];

		if (row->kind != ROW_REGION || !region_same(m->program, row->region, region))
			continue;
		master_set_bounds(m, (int)i, lo > row->lo ? lo : row->lo, hi < row->hi ? hi : row->hi);
		return;
	}
	master_add_row(m, (struct row){ROW_REGION, 0, region, lo, hi, 1});
}

void
master_choose(struct master *m, size_t choice, int unit)
{
	const struct choice *c = &m->program->choices[choice];

	for (size_t i = 0; i < c->count; i++) {
		int row = m->row_of_unit[c->units[i]];
		int64_t lo = m->rows[row].lo, hi = m->rows[row].hi;

		if (c->units[i] == unit)
			master_set_bounds(m, row, lo > 1 ? lo : 1, hi);
		else
			master_set_bounds(m, row, lo, hi < 0 ? hi : 0);
	}
	m->chosen[choice] = true;
}

void
master_choose_by(struct master *m, const struct pattern *pattern)
{
	const struct program *p = m->program;

	for (size_t i = 0; i < p->choice_count; i++)
		for (size_t j = 0; j < p->choices[i].count && !m->chosen[i]; j++)
			if (bits_has(pattern->units, (size_t)p->choices[i].units[j]))
				master_choose(m, i, p->choices[i].units[j]);
}

void
master_fix(struct master *m, const struct pattern *pattern, bool marked, int64_t count)
{
	master_choose_by(m, pattern);
	for (size_t i = 0; i < m->row_count; i++) {
		int64_t less = -count * master_coefficient(m, &m->rows[i], pattern, marked);

		if (less)
			master_set_bounds(m, (int)i, count_add(m->rows[i].lo, less), count_add(m->rows[i].hi, less));
	}
	ARRAY_ROOM(m->fixed.list, m->fixed.count, m->fixed.capacity);
	m->fixed.list[m->fixed.count++] = (struct use){*pattern, count};
}

static int
master_add_bounded(struct master *m, enum row_kind kind, size_t index, int64_t lo, int64_t hi, double scale)
{
	return master_add_row(m, (struct row){kind, (int)index, NULL, lo, hi, scale});
}

static bool
master_is_choice(const struct program *p, size_t unit)
{
	for (size_t i = 0; i < p->choice_count; i++)
		for (size_t j = 0; j < p->choices[i].count; j++)
			if ((size_t)p->choices[i].units[j] == unit)
				return true;
	return false;
}

/* Returns whether a rule of counts counts a unit. */
static bool
master_is_counted(const struct program *p, size_t unit)
{
	for (size_t i = 0; i < p->linear_count; i++)
		if (p->linears[i].coefficient[unit])
			return true;
	return false;
}

/* Adds rows of units. Those that stand on every machine need none, unless there are machines that they do not
 * stand on. */
static void
master_add_unit_rows(struct master *m)
{
	const struct program *p = m->program;

	for (size_t u = 0; u < p->unit_count; u++) {
		const struct unit *unit = &p->units[u];
		bool bounded = unit->min > 0 || unit->max < p->machines_max || unit->zones_min > 0 || master_is_choice(p, u) ||
		    master_is_counted(p, u);

		m->row_of_unit[u] = SIMPLEX_NONE;
		if (bounded && (!unit->everywhere || p->group_count > 1))
			m->row_of_unit[u] = master_add_bounded(m, ROW_UNIT, u, unit->min, unit->max, 1);
	}
}

/* Adds rows of present machines: every one stays or leaves. If fewer are asked for and no moves are allowed, none is
 * new; else each new one beyond their number takes the place of one whose leaving is a move. */
static void
master_add_present_rows(struct master *m)
{
	const struct program *p = m->program;
	bool fewer = p->present > p->machines_max;
	int64_t most = 1;

	for (size_t g = 1; g < p->group_count; g++) {
		m->row_of_group[g] = SIMPLEX_NONE;
		if (!p->groups[g].only)
			m->row_of_group[g] = master_add_bounded(m, ROW_GROUP, g, p->groups[g].count, p->groups[g].count, 1);
		most = p->groups[g].standing > most ? p->groups[g].standing : most;
	}
	if (p->present && !p->moves_max && (fewer || (!p->shrinks && !p->departs)))
		m->row_of_group[0] = master_add_bounded(m, ROW_GROUP, 0, 0, fewer ? 0 : p->machines_max - p->present, 1);
	if (p->present && p->moves_max)
		m->row_of_moves = master_add_bounded(m, ROW_MOVES, 0, NO_MIN, p->moves_max, (double)most);
	if (p->shrinks)
		m->row_of_lost = master_add_bounded(m, ROW_LOST, 0, NO_MIN, NO_MAX, (double)most);
	if (fewer)
		master_add_bounded(m, ROW_PLACES, 0, NO_MIN, p->present, 1);
}

static void
master_add_other_rows(struct master *m)
{
	const struct program *p = m->program;

	for (size_t h = 0; h < p->hardware_count; h++) {
		m->row_of_hardware[h] = SIMPLEX_NONE;
		if (p->hardware[h].available < p->machines_max)
			m->row_of_hardware[h] = master_add_bounded(m, ROW_HARDWARE, h, NO_MIN, p->hardware[h].available, 1);
	}
	for (size_t i = 0; i < p->linear_count; i++) {
		double scale = 1;

		for (size_t u = 0; u < p->unit_count; u++)
			scale = fmax(scale, fabs((double)p->linears[i].coefficient[u]));
		master_add_bounded(m, ROW_LINEAR, i, p->linears[i].lo, p->linears[i].hi, scale);
	}
	for (size_t i = 0; i < p->choice_count; i++)
		master_add_bounded(m, ROW_CHOICE, i, 1, NO_MAX, 1);
	for (size_t i = 0; i < p->objective_count; i++) {
		enum objective objective = p->objectives[i];
		const struct weights *weights = &p->weights[objective];
		double scale = 1;

		if (!weights->hardware && !weights->unit)
			continue;
		for (size_t h = 0; h < p->hardware_count && weights->hardware; h++)
			scale = fmax(scale, (double)weights->hardware[h]);
		for (size_t u = 0; u < p->unit_count && weights->unit; u++)
			scale = fmax(scale, (double)weights->unit[u]);
		m->row_of_objective[objective] = master_add_bounded(m, ROW_OBJECTIVE, objective, NO_MIN, NO_MAX, scale);
	}
}

void
master_init(struct master *m, const struct program *p, struct budget *budget)
{
	*m = (struct master){.program = p, .budget = budget, .row_of_moves = SIMPLEX_NONE, .row_of_lost = SIMPLEX_NONE};
	for (int i = 0; i < OBJECTIVE_COUNT; i++)
		m->row_of_objective[i] = SIMPLEX_NONE;
	m->row_of_unit = arena_alloc(&m->arena, p->unit_count, sizeof *m->row_of_unit);
	m->row_of_hardware = arena_alloc(&m->arena, p->hardware_count, sizeof *m->row_of_hardware);
	m->row_of_group = arena_alloc(&m->arena, p->group_count, sizeof *m->row_of_group);
	m->row_of_group[0] = SIMPLEX_NONE;
	m->chosen = arena_alloc(&m->arena, p->choice_count, sizeof *m->chosen);
	prices_init(&m->prices, p);
	m->prices.weight_caches = arena_alloc(&m->arena, p->hardware_count, sizeof *m->prices.weight_caches);
	m->best = arena_alloc(&m->arena, p->group_count + 1, sizeof *m->best);
	master_add_bounded(m, ROW_MACHINES, 0, p->machines_min, p->machines_max, 1);
	master_add_unit_rows(m);
	master_add_present_rows(m);
	master_add_other_rows(m);
	if (p->condition)
		master_add_row(m, (struct row){ROW_REGION, 0, p->condition, p->condition_lo, p->condition_hi, 1});
	for (size_t g = 1; g < p->group_count; g++)
		if (p->groups[g].only)
			master_fix(m, p->groups[g].only, false, p->groups[g].count);
}

int64_t
master_activity(const struct master *m, int row, const struct uses *uses)
{
	int64_t sum = 0;

	for (size_t i = 0; i < uses->count; i++) {
		const struct pattern *pattern = &uses->list[i].pattern;
		bool marked = m->rows[row].kind == ROW_MARKED && master_passes(m, pattern);

		sum += uses->list[i].count * master_coefficient(m, &m->rows[row], pattern, marked);
	}
	return sum;
}

/* Returns whether a solution has instances of no more than one service of a choice. */
static bool
master_keeps_choice(const struct master *m, size_t choice, const struct uses *uses)
{
	const struct choice *c = &m->program->choices[choice];
	size_t used = 0;

	for (size_t i = 0; i < c->count && used < 2; i++)
		used += master_activity(m, m->row_of_unit[c->units[i]], uses) > 0;
	return used < 2;
}

bool
master_keeps_rows(const struct master *m, const struct uses *uses)
{
	for (size_t i = 0; i < m->program->choice_count; i++)
		if (!m->chosen[i] && !master_keeps_choice(m, i, uses))
			return false;
	for (size_t i = 0; i < m->row_count; i++) {
		int64_t activity = master_activity(m, (int)i, uses);

		if (activity < m->rows[i].lo || (activity > m->rows[i].hi && m->rows[i].kind != ROW_MARKED))
			return false;
	}
	return true;
}
