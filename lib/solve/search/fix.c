/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/search/fix.h"

#include <stdlib.h>

#include "solve/program/bits.h"

/* Returns whether a machine of another group can become what the pattern is. */
static bool
fix_can_become(const struct program *p, const struct pattern *pattern, int group)
{
	const struct group *g = &p->groups[group];

	for (size_t w = 0; w < p->unit_words; w++)
		if (pattern->units[w] & ~(g->stays[w] | g->open[w]))
			return false;
	return !g->only && !g->broken && bits_has(g->hardware, (size_t)pattern->hardware) &&
	    bits_within(g->stays, pattern->units, p->unit_words) &&
	    program_image(p, group, pattern->units) == program_image(p, pattern->group, pattern->units);
}

bool
fix_is_open(const struct master *m, const struct pattern *pattern)
{
	for (size_t g = 0; g < m->program->group_count; g++)
		if ((int)g != pattern->group && fix_can_become(m->program, pattern, (int)g))
			return true;
	return false;
}

void
fix_kind(struct master *m, struct pattern *pattern, int64_t count)
{
	master_choose_by(m, pattern);
	for (size_t i = 0; i < m->row_count; i++) {
		int64_t less = row_is_about_groups(&m->rows[i]) ? 0 : -count * master_coefficient(m, &m->rows[i], pattern, false);

		if (less)
			master_set_bounds(m, (int)i, count_add(m->rows[i].lo, less), count_add(m->rows[i].hi, less));
	}
	pattern->kind = ++m->kind_count;
	m->kind_machines += count;
	for (size_t g = 0; g < m->program->group_count; g++) {
		struct column column = {.pattern = *pattern};

		if (!fix_can_become(m->program, pattern, (int)g))
			continue;
		column.pattern.group = (int)g;
		column.moves = pattern_moves(m->program, &column.pattern);
		ARRAY_ROOM(m->columns, m->column_count, m->column_capacity);
		m->columns[m->column_count++] = column;
	}
	master_add_row(m, (struct row){ROW_KIND, pattern->kind, NULL, count, count, 1});
	m->kind_price = memory_resize(m->kind_price, (size_t)m->kind_count + 1, sizeof *m->kind_price);
}

static bool
fix_is_of_use(const struct master *m, const struct column *column)
{
	const struct pattern *pattern = &column->pattern;
	size_t words = m->program->unit_words;

	if (column->marked || master_is_used_up(m, m->row_of_group[pattern->group]) ||
	    (m->row_of_moves != SIMPLEX_NONE && column->moves > m->rows[m->row_of_moves].hi))
		return false;
	if (pattern->kind)
		return true;
	BITS_EACH(u, pattern->units, words)
		if (master_is_used_up(m, m->row_of_unit[u]))
			return false;
	return !master_is_used_up(m, m->row_of_hardware[pattern->hardware]);
}

void
fix_remove_columns(struct master *m)
{
	int *place = memory_zeroed(m->column_count, sizeof *place); /* new number; -1: in the basis */
	size_t kept = 0;

	for (size_t i = 0; i < m->lp.rows; i++)
		if (m->lp.basis[i] >= 0)
			place[m->lp.basis[i]] = -1;
	for (size_t i = 0; i < m->column_count; i++)
		if (place[i] || fix_is_of_use(m, &m->columns[i])) {
			place[i] = (int)kept;
			m->columns[kept++] = m->columns[i];
		}
	for (size_t i = 0; i < m->lp.rows; i++)
		if (m->lp.basis[i] >= 0)
			m->lp.basis[i] = place[m->lp.basis[i]];
	m->column_count = kept;
	m->candidate_count = 0; /* they went by the old numbers */
	free(place);
}
