/* SPDX-License-Identifier: Apache-2.0
 *
 * The search for the best layout.
 *
 * Identical machines are what makes this problem look hard, so no machine is ever looked at: a solution is how many machines
 * there are of each pattern (a set of services on a hardware type). There may be 2^services patterns; they are never listed.
 * All questions are put to branch.c, which answers "is there a solution with these further conditions?" exactly, and which
 * looks for patterns only where prices call for them (relax.c, price.c). At each node of its search it first asks what
 * the rules of counts say of whole numbers alone (counts.c): ratios that no whole numbers keep never reach the linear program. Thousands of
 * services, whose linear program is too large, first get a solution by placing one after the other (greedy.c), and what sums say of an
 * objective (amounts-bound.c) bounds it where the linear program does not.
 *
 * Objectives come one after the other: the least cost is found, made a condition, then the fewest machines among
 * these, and so on.
 *
 * dense, Coopr's own preference, ranks patterns (more services, then hardware, image and service names) and wants
 * the lexicographically greatest vector of counts. That needs no vector:
 *
 *	1. find the first pattern in that order which any solution uses;
 *	2. find the greatest number of machines of it that any solution has;
 *	3. fix these machines, and go on with what is left as if it were a problem of its own.
 *
 * Why the first answer is the best one. Let p be the pattern of step 1 and c the number of step 2. Patterns before
 * p are in no solution, so their counts are 0 in all of them; p has at most c. So the greatest vector has c
 * machines of p, and the rest of it is the greatest vector of what is left: services need c fewer instances and
 * may have c fewer, there are c fewer machines. What is left cannot use a pattern before p, nor p again: together
 * with the fixed machines that would be a solution that uses such a pattern, or more than c of p. So nothing
 * need be remembered but what is left, and nothing is ever taken back.
 *
 * On a change the pattern of step 1 is one whatever machine becomes it, a present one or a new one; which of them do stays
 * open to the end (fix.h). Moves are one more objective before dense, and leaving is a pattern too (build-present.c).
 * Groups that nothing keeps from their densest pattern are fixed before step 1 and after each step 3, unasked (dominance.c).
 *
 * Step 1 does not try patterns one by one either. It asks for a machine with at least k services, by bisection; then, with k
 * known, for one on the first hardware types, by bisection; then images; then, name by name, whether the service can be on it:
 * each question is one more condition on one machine (a filter). A solution in hand answers most questions without a search, and the prices
 * that refuted one question often refute the next (refutation.c).
 */
#include "solve/search/search.h"

#include <stdlib.h>
#include <string.h>

#include "solve/lp/column.h"
#include "solve/lp/reduced-cost-fixing.h"
#include "solve/lp/refutation.h"
#include "solve/program/bits.h"
#include "solve/search/amounts-bound.h"
#include "solve/search/branch.h"
#include "solve/search/dominance.h"
#include "solve/search/fix.h"

enum { LARGE_PART = 50 }; /* of the budget that is spent on a program that is too large for it */

struct search {
	const struct program *program;
	struct master master;
	struct uses found; /* a solution of what is left */
	struct pattern_filter filter;
	struct arena arena; /* of the filter */
	struct refutations refutations; /* of questions since machines were fixed last */
	bool stale;        /* the basis that questions begin with is that of before they were */
	struct reduced_program reduced;
	bool open;         /* a question was left open: the solution found may not be the best */
};

/* Returns a pattern in the solution in hand that passes the filter; NULL if there is none. */
static const struct pattern *
search_pattern_in_hand(struct search *s)
{
	s->master.filter = &s->filter;
	for (size_t i = 0; i < s->found.count; i++)
		if (s->found.list[i].count > 0 && master_passes(&s->master, &s->found.list[i].pattern))
			return &s->found.list[i].pattern;
	return NULL;
}

/* Has the linear program solved with what was fixed, where it was not yet: each question begins with its basis, and has only to make up for what
 * it adds. That there is a solution is known. */
static void
search_refresh(struct search *s)
{
	bool unproven = s->master.unproven;

	if (s->stale)
		master_relax(&s->master, SIMPLEX_NONE, 1);
	s->stale = false;
	s->master.unproven = unproven;
}

/* Looks for a solution with lo to hi machines that pass the filter; with sign -1, for the one with the most. Puts it in
 * hand; if there is none, returns false and changes nothing. */
static bool
search_ask(struct search *s, int64_t lo, int64_t hi, int sign)
{
	struct master *m = &s->master;
	enum search_status status = SEARCH_NONE;
	unsigned long before;

	if (s->open) /* what is found from now on would not be the best */
		return false;
	search_refresh(s);
	before = m->relaxations;
	m->filter = &s->filter;
	m->filter_number++;
	m->row_of_marked = master_add_row(m, (struct row){ROW_MARKED, 0, NULL, lo, hi, 1});
	if (sign)
		status = branch_best(m, m->row_of_marked, sign, &s->found);
	else if (!refutations_hold(&s->refutations, m)) {
		status = branch_find(m, &s->found);
		if (status == SEARCH_NONE && m->relaxations == before + 1)
			refutations_keep(&s->refutations, m);
	}
	m->filter = NULL;
	master_drop_row(m);
	s->open = s->open || status == SEARCH_OPEN;
	return status == SEARCH_FOUND;
}

/* Returns whether any solution has a machine that passes the filter, and puts it in hand. */
static bool
search_can_be(struct search *s)
{
	return search_pattern_in_hand(s) || (column_may_pass(&s->master) && search_ask(s, 1, 1, 0));
}

/* Returns the most services on a machine of the solution in hand. */
static size_t
search_size_in_hand(const struct search *s)
{
	size_t most = 0;

	for (size_t i = 0; i < s->found.count; i++) {
		const struct use *use = &s->found.list[i];
		size_t size = use->count > 0 && !use->pattern.kind ? pattern_size(s->program, use->pattern.units) : 0;

		most = size > most ? size : most;
	}
	return most;
}

/* Returns the most services on a machine of any solution, at most limit; 0 if no solution has a machine. */
static size_t
search_find_size(struct search *s, size_t limit)
{
	size_t low = search_size_in_hand(s);

	for (size_t ask_for = limit; low < limit; ask_for = (low + limit + 1) / 2) {
		s->filter.size = ask_for;
		if (search_can_be(s))
			low = search_size_in_hand(s);
		else
			limit = ask_for - 1;
	}
	s->filter.size = low;
	return low;
}

static size_t
search_type_in_hand(struct search *s, bool hardware)
{
	const struct pattern *pattern = search_pattern_in_hand(s);

	return hardware ? (size_t)pattern->hardware : program_image(s->program, pattern->group, pattern->units);
}

/* Narrows the filter to the first type that a machine of it can be; the solution in hand passes the filter before and
 * after. */
static void
search_find_type(struct search *s, bool hardware)
{
	uint64_t *set = hardware ? s->filter.hardware : s->filter.images;
	size_t words = hardware ? s->program->hardware_words : s->program->image_words;
	size_t low = 0, high = search_type_in_hand(s, hardware);

	while (low < high) {
		size_t middle = (low + high) / 2;

		memset(set, 0, words * sizeof *set);
		for (size_t i = low; i <= middle; i++)
			bits_add(set, i);
		if (search_can_be(s))
			high = search_type_in_hand(s, hardware);
		else
			low = middle + 1;
	}
	memset(set, 0, words * sizeof *set);
	bits_add(set, high);
}

/* Narrows the filter to the first set of services, by name. */
static void
search_find_services(struct search *s)
{
	const struct program *p = s->program;
	struct region *region = &s->filter.region;

	for (size_t i = 0; i < p->service_count && !s->open; i++) {
		size_t u = (size_t)p->unit_of[i];

		if (bits_has(region->with, u) || bits_has(region->without, u))
			continue;
		if (!master_is_used_up(&s->master, s->master.row_of_unit[u]) &&
		    pattern_size(p, region->with) + p->units[u].size <= s->filter.size) {
			bits_add(region->with, u);
			if (search_can_be(s))
				continue;
			bits_drop(region->with, u);
		}
		bits_add(region->without, u);
	}
}

/* Step 1: finds the first pattern that any solution uses. Returns false if no solution has a machine, or that was left open. */
static bool
search_first_pattern(struct search *s, size_t *limit, struct pattern *pattern)
{
	pattern_filter_clear(&s->filter, s->program);
	*limit = search_find_size(s, *limit);
	if (*limit == 0)
		return false;
	search_find_type(s, true);
	search_find_type(s, false);
	search_find_services(s);
	if (s->open)
		return false;
	*pattern = *search_pattern_in_hand(s);
	if (!fix_is_open(&s->master, pattern))
		s->filter.region.group = pattern->group;
	return true;
}

/* Returns how many machines of the solution in hand pass the filter, which by now only one kind does. */
static int64_t
search_count_in_hand(const struct search *s)
{
	int64_t sum = 0;

	for (size_t i = 0; i < s->found.count; i++)
		if (master_passes(&s->master, &s->found.list[i].pattern))
			sum += s->found.list[i].count;
	return sum;
}

/* Returns how many machines of a pattern each row by itself allows. */
static int64_t
search_room_for(const struct search *s, const struct pattern *pattern)
{
	const struct master *m = &s->master;
	int64_t room = SOLVE_MACHINES;
	bool shared = fix_is_open(m, pattern);

	for (size_t i = 0; i < m->row_count; i++) {
		int64_t each = master_coefficient(m, &m->rows[i], pattern, false);

		if (each > 0 && m->rows[i].kind != ROW_LINEAR && (!shared || !row_is_about_groups(&m->rows[i])) &&
		    m->rows[i].hi != NO_MAX && m->rows[i].hi / each < room)
			room = m->rows[i].hi / each;
	}
	return room;
}

/* Steps 2 and 3. Machines of a kind that several groups can become stay in the solution in hand: which of them it is
 * may still change. */
static void
search_fix_pattern(struct search *s, struct pattern *pattern)
{
	bool shared = fix_is_open(&s->master, pattern);
	int64_t count;

	s->master.filter = &s->filter;
	count = search_count_in_hand(s);
	if (count < search_room_for(s, pattern))
		search_ask(s, count + 1, NO_MAX, -1);
	s->master.filter = &s->filter;
	count = search_count_in_hand(s);
	if (shared)
		fix_kind(&s->master, pattern, count);
	else
		master_fix(&s->master, pattern, false, count);
	for (size_t i = 0; i < s->found.count; i++)
		if (master_passes(&s->master, &s->found.list[i].pattern)) {
			s->found.list[i].pattern.kind = pattern->kind;
			s->found.list[i].count = shared ? s->found.list[i].count : 0;
		}
	s->master.filter = NULL;
}

static void
search_dense(struct search *s)
{
	size_t limit = price_largest(s->program, s->master.budget);
	size_t used = 0, loose = 0;
	struct pattern pattern;

	dominance_fix(&s->master, &s->found, &used, &loose);
	s->stale = true;
	while (!s->open && s->master.rows[0].hi > 0 && search_first_pattern(s, &limit, &pattern)) {
		search_fix_pattern(s, &pattern);
		dominance_fix(&s->master, &s->found, &used, &loose);
		fix_remove_columns(&s->master);
		refutations_clear(&s->refutations);
		s->stale = true;
	}
}

/* Returns whether the linear program has so many rows that the budget does not hold the steps until it is solved for the first time. */
static bool
search_is_too_large(const struct search *s)
{
	const struct master *m = &s->master;
	uint64_t steps = (uint64_t)m->row_count * m->row_count * m->row_count;

	return m->column_count < m->row_count && steps > SOLVE_STEPS;
}

/* Finds what an objective is at least, where its least value was not found: of solutions that are as good in those before it. */
static void
search_bound(struct search *s, int row, struct bound *bound)
{
	struct master *m = &s->master;
	int64_t by_sums = amounts_bound(m, row);

	master_set_bounds(m, row, m->rows[row].lo, master_activity(m, row, &s->found));
	if (search_is_too_large(s) || !branch_bound(m, row, &bound->least) || bound->least < by_sums)
		bound->least = by_sums;
	bound->known = true;
}

/* Minimises one objective, and makes its value a condition. */
static void
search_least(struct search *s, int row, struct bound *bound)
{
	struct master *m = &s->master;

	if (!s->open)
		s->open = branch_best(m, row, 1, &s->found) == SEARCH_OPEN;
	if (s->open)
		search_bound(s, row, bound);
	else {
		bound->least = master_activity(m, row, &s->found);
		bound->known = !m->unproven;
		master_set_bounds(m, row, m->rows[row].lo, bound->least);
	}
	bound->least += master_activity(m, row, &m->fixed);
	if (!s->open && (row == m->row_of_moves || row == m->row_of_lost))
		reduced_cost_fix(m, row, &s->found, &s->reduced);
}

/* Minimises the moves, and then what goes with machines that leave because fewer are asked for. */
static void
search_moves(struct search *s, struct bound *moves)
{
	struct bound lost;

	if (s->master.row_of_moves == SIMPLEX_NONE)
		*moves = (struct bound){0, true};
	else
		search_least(s, s->master.row_of_moves, moves);
	if (s->master.row_of_lost != SIMPLEX_NONE && !s->open)
		search_least(s, s->master.row_of_lost, &lost);
}

void
search_best(const struct program *p, struct budget *budget, struct outcome *outcome)
{
	struct search s = {.program = p};
	enum search_status status;

	*outcome = (struct outcome){0};
	master_init(&s.master, p, budget);
	pattern_filter_init(&s.filter, p, &s.arena);
	status = branch_any(&s.master, &s.found);
	if (status == SEARCH_FOUND && search_is_too_large(&s) && budget->steps_max)
		budget->steps_max = budget->steps + (budget->steps_max - budget->steps) / LARGE_PART;
	s.open = status == SEARCH_OPEN;
	for (size_t i = 0; i < p->objective_count && status == SEARCH_FOUND; i++) {
		enum objective objective = p->objectives[i];

		if (objective == OBJECTIVE_DENSE) { /* which leaves nothing open */
			if (!s.open)
				search_dense(&s);
			break;
		}
		if (objective == OBJECTIVE_MOVES)
			search_moves(&s, &outcome->bound[objective]);
		else
			search_least(&s, objective == OBJECTIVE_MACHINES ? 0 : s.master.row_of_objective[objective],
			    &outcome->bound[objective]);
	}
	if (status == SEARCH_FOUND) {
		outcome_add(outcome, p, &s.master.fixed);
		outcome_add(outcome, p, &s.found); /* what is not fixed: all of it, unless dense was an objective and was finished */
	}
	outcome->status = s.open ? SEARCH_OPEN : status;
	outcome->proved = !s.master.unproven;
	refutations_clear(&s.refutations);
	master_release(&s.master);
	reduced_program_release(&s.reduced);
	free(s.found.list);
	arena_release(&s.arena);
}
