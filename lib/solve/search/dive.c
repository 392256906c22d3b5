/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/search/dive.h"

#include <math.h>
#include <stdlib.h>

#include "solve/search/branch.h"
#include "solve/search/counts.h"
#include "solve/search/shares.h"
#include "solve/search/spread.h"

enum {
	MISTAKES = 12,                     /* that are taken back in one dive */
	ROUNDS = 100, ROUNDS_EACH_ROW = 8, /* of a dive: one that takes more goes in circles, up to any number of machines */
};

/* Fixes machines of a pattern, as marked ones as far as these are wanted. */
static void
dive_fix(struct master *m, const struct pattern *pattern, int64_t count)
{
	int64_t marked = 0;

	if (master_passes(m, pattern) && m->rows[m->row_of_marked].hi > 0)
		marked = m->rows[m->row_of_marked].hi < count ? m->rows[m->row_of_marked].hi : count;
	if (marked)
		master_fix(m, pattern, true, marked);
	if (count > marked)
		master_fix(m, pattern, false, count - marked);
}

static int64_t
dive_whole_part(const struct share *share)
{
	return (int64_t)floor(share->value + SHARE_WHOLE);
}

/* Fixes the whole part of what the relaxation uses, and rounds one pattern up, that with the largest rest; where nothing can
 * come of that, down, and no more of it is used. Returns false if neither will do. */
static bool
dive_round_one(struct master *m, const struct shares *shares, int objective, int sign, int *mistakes)
{
	size_t most = 0; /* the pattern with the largest rest */
	double largest = -1;
	struct region *region;
	int64_t whole;
	struct state state = {0};
	bool good;

	for (size_t i = 0; i < shares->count; i++) {
		double rest = shares->list[i].value - (double)dive_whole_part(&shares->list[i]);

		if (rest > largest + SHARE_WHOLE) {
			largest = rest;
			most = i;
		}
	}
	region = pattern_region(m->program, shares->list[most].pattern, &m->arena);
	whole = dive_whole_part(&shares->list[most]);
	master_save(m, &state);
	for (size_t i = 0; i < shares->count; i++) {
		int64_t count = dive_whole_part(&shares->list[i]) + (i == most);

		if (count > 0)
			dive_fix(m, shares->list[i].pattern, count);
	}
	good = master_relax_roughly(m, objective, sign);
	if (!good && ++*mistakes <= MISTAKES) {
		master_restore(m, &state);
		master_bound_region(m, region, NO_MIN, whole);
		good = master_relax_roughly(m, objective, sign);
	}
	state_release(&state);
	return good;
}

/* Takes what the relaxation uses, in whole numbers. Returns true if that is a solution but for the zones: if none is
 * the best, also with all fractions left out, for the method may have stopped in a corner that has some for nothing. */
static bool
dive_is_whole(const struct master *m, const struct shares *shares, int objective, struct uses *uses)
{
	if (shares_are_whole(shares)) {
		*uses = shares_uses(shares);
		return true;
	}
	*uses = (struct uses){0};
	for (size_t i = 0; i < shares->count && objective == SIMPLEX_NONE; i++)
		if (dive_whole_part(&shares->list[i]) > 0) {
			ARRAY_ROOM(uses->list, uses->count, uses->capacity);
			uses->list[uses->count++] = (struct use){*shares->list[i].pattern, dive_whole_part(&shares->list[i])};
		}
	return objective == SIMPLEX_NONE && master_keeps_rows(m, uses);
}

/* Takes over a solution in whole numbers, with what was fixed since base; also one whose machines cannot be given zones
 * (SEARCH_OPEN). Doubles may have gone wrong: then it is none. */
static enum search_status
dive_take(struct master *m, struct uses *rest, size_t base, struct uses *uses)
{
	enum search_status zones;

	if (!master_keeps_rows(m, rest) || (zones = spread_judge(m, rest)) == SEARCH_OPEN)
		return SEARCH_NONE;
	for (size_t i = base; i < m->fixed.count; i++) {
		ARRAY_ROOM(rest->list, rest->count, rest->capacity);
		rest->list[rest->count++] = m->fixed.list[i];
	}
	*uses = *rest;
	*rest = (struct uses){0};
	return zones == SEARCH_FOUND ? SEARCH_FOUND : SEARCH_OPEN;
}

/* Begins with numbers of instances that keep the rules of counts: rounding does not come upon them. Where the relaxation has
 * no solution with these, it goes on without. */
static bool
dive_fix_counts(struct master *m, struct counts *counts, int objective, int sign)
{
	struct state state = {0};
	struct shares shares;
	bool good = true;

	if (counts->count == 0)
		return true;
	shares = shares_of(m);
	master_save(m, &state);
	if (!counts_fix(counts, m, &shares) || !master_relax_roughly(m, objective, sign)) {
		master_restore(m, &state);
		good = master_relax_roughly(m, objective, sign);
	}
	state_release(&state);
	free(shares.list);
	return good;
}

enum search_status
dive(struct master *m, struct counts *counts, int objective, int sign, struct uses *uses)
{
	struct state state = {0};
	size_t base = m->fixed.count, rounds = ROUNDS + ROUNDS_EACH_ROW * m->row_count;
	bool unproven = m->unproven, going;
	enum search_status found = SEARCH_NONE;
	int mistakes = 0;

	master_save(m, &state);
	going = dive_fix_counts(m, counts, objective, sign);
	while (going && rounds-- > 0) {
		struct shares shares = shares_of(m);
		struct uses rest;

		going = !dive_is_whole(m, &shares, objective, &rest);
		if (going)
			going = dive_round_one(m, &shares, objective, sign, &mistakes);
		else
			found = dive_take(m, &rest, base, uses);
		free(rest.list);
		free(shares.list);
	}
	m->unproven = unproven;
	master_restore(m, &state);
	state_release(&state);
	return found;
}
