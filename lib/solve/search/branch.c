/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/search/branch.h"

#include <math.h>
#include <stdlib.h>

#include "solve/search/counts.h"
#include "solve/search/dive.h"
#include "solve/search/greedy.h"
#include "solve/search/shares.h"
#include "solve/search/spread.h"

enum {
	DIVE_EVERY = 8,      /* levels */
	HELD_MOST = 1 << 26, /* numbers in the states that are saved on the way down */
	COPIES = 4,          /* of the inverse, in time, to save and to restore it */
	BOUND_NODES = 2000,  /* at most, to find a bound after the end, */
	BOUND_STEPS = 2000000000, /* and steps */
	BOUND_PART = 256,    /* of what it is at most, that is given away at first */
};

struct branching {
	struct master *master;
	int objective, sign; /* SIMPLEX_NONE: the first solution will do */
	struct uses *found;
	struct counts counts;
	bool any;            /* found holds a solution */
	bool open;           /* the limit was reached */
	bool better;         /* one was found here */
	size_t depth;
};

static bool branch(struct branching *b);

static void
branch_take(struct branching *b, struct uses *uses)
{
	free(b->found->list);
	*b->found = *uses;
	*uses = (struct uses){0};
	b->any = b->better = true;
}

/* Demands less than found has from now on. */
static void
branch_demand_better(struct branching *b)
{
	struct master *m = b->master;
	int64_t best, lo, hi;

	if (b->objective == SIMPLEX_NONE || !b->any)
		return;
	lo = m->rows[b->objective].lo;
	hi = m->rows[b->objective].hi;
	best = master_activity(m, b->objective, b->found);
	if (b->sign > 0)
		master_set_bounds(m, b->objective, lo, hi < best ? hi : best - 1);
	else
		master_set_bounds(m, b->objective, lo > best ? lo : best + 1, hi);
}

struct way { /* to make a choice */
	int unit;
	int64_t share; /* instances in the relaxation, in SHARE_WHOLE */
};

static int
branch_compare_ways(const void *a, const void *b)
{
	const struct way *x = a, *y = b;

	if (x->share != y->share)
		return x->share < y->share ? 1 : -1;
	return (x->unit > y->unit) - (x->unit < y->unit);
}

/* Lists the ways to make a choice, those of which the relaxation has the most instances first. */
static struct way *
branch_ways(const struct choice *c, const struct shares *shares)
{
	struct way *ways = memory_zeroed(c->count, sizeof *ways);

	for (size_t i = 0; i < c->count; i++)
		ways[i] = (struct way){c->units[i], llround(shares_of_unit(shares, c->units[i]) / SHARE_WHOLE)};
	qsort(ways, c->count, sizeof *ways, branch_compare_ways);
	return ways;
}

/* Finds the choice that the relaxation makes least: of which the second way has the most instances. Returns the number of choices if it
 * makes each in one way, or in none. */
static size_t
branch_open_choice(const struct master *m, const struct shares *shares)
{
	size_t count = m->program->choice_count, open = count;
	int64_t most = 1;

	for (size_t i = 0; i < count; i++) {
		const struct choice *c = &m->program->choices[i];
		struct way *ways = m->chosen[i] ? NULL : branch_ways(c, shares);

		if (ways && c->count > 1 && ways[1].share > most) {
			most = ways[1].share;
			open = i;
		}
		free(ways);
	}
	return open;
}

/* Tries each way to make a choice. */
static bool
branch_choice(struct branching *b, size_t choice, const struct shares *shares)
{
	const struct choice *c = &b->master->program->choices[choice];
	struct way *ways = branch_ways(c, shares);
	struct state state = {0};
	bool done = false;

	master_save(b->master, &state);
	for (size_t i = 0; i < c->count && !done; i++) {
		master_choose(b->master, choice, ways[i].unit);
		done = branch(b);
		master_restore(b->master, &state);
	}
	state_release(&state);
	free(ways);
	return done;
}

/* Tries the whole number of instances next to a fraction, then fewer and more: one after the other they would be tried for ever where
 * nothing bounds them. */
static bool
branch_count(struct branching *b, int row, double value)
{
	struct master *m = b->master;
	int64_t nearest = (int64_t)nearbyint(value), lo = m->rows[row].lo, hi = m->rows[row].hi;
	const int64_t ranges[][2] = {{nearest, nearest}, {lo, nearest - 1}, {nearest + 1, hi}};
	struct state state = {0};
	bool done = false;

	master_save(m, &state);
	for (size_t i = 0; i < 3 && !done; i++) {
		if (ranges[i][0] < lo || ranges[i][1] > hi)
			continue;
		master_set_bounds(m, row, ranges[i][0], ranges[i][1]);
		done = branch(b);
		master_restore(m, &state);
	}
	state_release(&state);
	return done;
}

/* Tries each condition that a solution with zones keeps, and from then on its opposite. */
static bool
branch_cuts(struct branching *b, const struct cuts *cuts)
{
	struct master *m = b->master;
	struct state state = {0};
	bool done = false;

	for (size_t i = 0; i < cuts->count && !done; i++) {
		const struct cut *cut = &cuts->list[i];
		bool more = cut->hi == NO_MAX;

		master_save(m, &state);
		master_bound_region(m, cut->region, cut->lo, cut->hi);
		done = branch(b);
		master_restore(m, &state);
		master_bound_region(m, cut->region, more ? NO_MIN : cut->hi + 1, more ? cut->lo - 1 : NO_MAX);
	}
	state_release(&state);
	return done;
}

/* Tries a region with more machines than the fraction it has, and then with fewer. */
static bool
branch_region(struct branching *b, struct region *region, double sum)
{
	struct cut ways[] = {{region, (int64_t)ceil(sum), NO_MAX}, {region, NO_MIN, (int64_t)floor(sum)}};

	return branch_cuts(b, &(struct cuts){.list = ways, .count = 2});
}

/* Takes a solution but for the zones. Doubles may have gone wrong: then it is none. */
static bool
branch_descend_whole(struct branching *b, struct uses *uses)
{
	struct cuts cuts = {0};
	enum search_status status;
	bool done, rough = b->master->cut_short;

	if (!master_keeps_rows(b->master, uses)) {
		if (!rough || b->master->thorough) {
			b->master->unproven = true;
			return false;
		}
		b->master->thorough = true; /* nothing is left to branch on */
		done = branch(b);
		b->master->thorough = false;
		return done;
	}
	status = spread_judge(b->master, uses);
	if (status == SEARCH_FOUND) {
		branch_take(b, uses);
		return b->objective == SIMPLEX_NONE || (rough && branch(b)); /* there may be better ones here */
	}
	if (status == SEARCH_NONE)
		status = spread_cuts(b->master, uses, &cuts);
	b->open = b->open || status == SEARCH_OPEN;
	done = b->open || branch_cuts(b, &cuts);
	free(cuts.list);
	return done;
}

/* Tries each way to make one thing whole that the relaxation leaves open. What decides most comes first: how many machines there are of a
 * type, then which services are chosen, then how many instances the rules count. */
static bool
branch_open(struct branching *b, const struct shares *shares)
{
	struct master *m = b->master;
	double value;
	struct region *region = shares_region_of_type(m, shares, &value);
	size_t choice;
	int row;

	if (region)
		return branch_region(b, region, value);
	choice = branch_open_choice(m, shares);
	if (choice < m->program->choice_count)
		return branch_choice(b, choice, shares);
	row = counts_fraction(&b->counts, m, shares, &value);
	if (row != SIMPLEX_NONE)
		return branch_count(b, row, value);
	region = shares_region(m, shares, &value);
	return branch_region(b, region, value);
}

/* Searches below this node. Returns true if nothing more is to be looked for. */
static bool
branch_descend(struct branching *b)
{
	struct master *m = b->master;
	struct shares shares = shares_of(m);
	bool done;

	if (shares_are_whole(&shares) && branch_open_choice(m, &shares) == m->program->choice_count) {
		struct uses uses = shares_uses(&shares);

		free(shares.list);
		done = branch_descend_whole(b, &uses);
		free(uses.list);
		return done;
	}
	if (b->depth % DIVE_EVERY == 1) {
		struct uses uses = {0};
		enum search_status found = dive(m, &b->counts, b->objective, b->sign, &uses);

		if (found == SEARCH_FOUND)
			branch_take(b, &uses);
		done = found == SEARCH_OPEN ? branch_descend_whole(b, &uses) : b->any && b->objective == SIMPLEX_NONE;
		free(uses.list);
		free(shares.list);
		if (done || found == SEARCH_OPEN)
			return done;
		shares = shares_of(m); /* those from before borrowed patterns of columns, which may have moved in the dive */
	}
	done = branch_open(b, &shares);
	free(shares.list);
	return done;
}

static bool
branch(struct branching *b)
{
	bool done = false;

	branch_demand_better(b);
	if (b->depth * b->master->row_count * b->master->row_count > HELD_MOST)
		return b->open = true;
	b->depth++;
	if (counts_tighten(&b->counts, b->master) && master_relax_roughly(b->master, b->objective, b->sign))
		done = branch_descend(b);
	else if (b->master->budget->spent)
		done = b->open = true;
	b->depth--;
	return done;
}

static enum search_status
branch_run(struct branching *b)
{
	struct state state = {0};

	if (!budget_work(b->master->budget, COPIES * b->master->row_count * b->master->row_count))
		return SEARCH_OPEN;
	counts_init(&b->counts, b->master->program);
	master_save(b->master, &state);
	branch(b);
	master_take_back(b->master, &state);
	counts_release(&b->counts);
	if (b->open)
		return SEARCH_OPEN;
	return b->better ? SEARCH_FOUND : SEARCH_NONE;
}

enum search_status
branch_find(struct master *master, struct uses *found)
{
	struct branching b = {.master = master, .objective = SIMPLEX_NONE, .sign = 1, .found = found};

	return branch_run(&b);
}

enum search_status
branch_any(struct master *m, struct uses *found)
{
	const struct program *p = m->program;

	if (m->column_count == 0 && (p->objective_count ? greedy_is_wanted(p) : greedy_applies(p)) && greedy_find(p, &m->arena, found))
		return SEARCH_FOUND;
	return branch_find(m, found);
}

enum search_status
branch_best(struct master *master, int row, int sign, struct uses *found)
{
	struct branching b = {.master = master, .objective = row, .sign = sign, .found = found, .any = found->count > 0};

	return branch_run(&b);
}

/* Returns whether it is proved that no solution has an activity of the row of hi at most. */
static bool
branch_is_beyond(struct master *m, int row, int64_t hi)
{
	struct state state = {0};
	bool unproven = m->unproven, beyond;

	m->unproven = false;
	master_save(m, &state);
	master_set_bounds(m, row, m->rows[row].lo, hi);
	beyond = !master_relax_roughly(m, row, 1) && !m->unproven && !m->budget->spent;
	master_take_back(m, &state);
	m->unproven = unproven;
	return beyond;
}

bool
branch_bound(struct master *m, int row, int64_t *bound)
{
	struct budget *budget = m->budget, little = {.nodes_max = BOUND_NODES, .steps_max = BOUND_STEPS};
	double least = 0;
	bool known;

	m->budget = &little;
	known = master_relax_roughly(m, row, 1);
	if (known) {
		least = simplex_activity(&m->lp, row) * m->rows[row].scale;
		known = master_bound(m, row, 1, bound);
	}
	for (int part = BOUND_PART; part > 1 && least > 1 && !known && !little.spent; part /= 4) { /* the less, the sooner it is proved */
		*bound = (int64_t)(least - least / part);
		known = branch_is_beyond(m, row, *bound - 1);
	}
	m->budget = budget;
	return known;
}
