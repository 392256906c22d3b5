/* SPDX-License-Identifier: Apache-2.0
 *
 * Why the conditions leave nothing out. Take machines that cannot be given zones, and of the units to be spread a
 * smallest set for which they cannot: only what they hold of this set matters, and more machines, or machines that hold
 * more of it, never hurt. The leaves of a tree over the set (does a machine hold the first unit? the second? ...), for
 * each zone that a machine may be fixed in, partition all machines that there can be. Each leaf in turn gets as many
 * machines as it can have, holding as much as they can, without zones becoming possible. A solution with no more than that in
 * any leaf has no zones either. So each solution has more in some leaf, or no instance at all of a unit of the set.
 *
 * Why this ends: each condition raises what a leaf has at least, never above the number of zones, and there are
 * finitely many leaves.
 */
#include "solve/search/spread.h"

#include <stdlib.h>

#include "solve/program/bits.h"

struct separation { /* of a solution whose machines cannot be given zones */
	struct master *master;
	struct machine_classes classes; /* those of the solution, then those added to the leaves */
	size_t real;      /* the number of those of the solution */
	uint64_t *set;    /* units that cannot all have their zones */
	struct cuts *cuts;
	bool open;        /* the limit was reached */
};

static void
spread_add_uses(struct machine_classes *classes, const struct program *p, const struct uses *uses)
{
	for (size_t i = 0; i < uses->count; i++)
		machine_classes_add(classes, uses->list[i].pattern.units, p->groups[uses->list[i].pattern.group].zone,
		    uses->list[i].count);
}

enum search_status
spread_judge(const struct master *m, const struct uses *uses)
{
	struct machine_classes classes = {0};
	enum search_status status;

	if (!m->program->spread)
		return SEARCH_FOUND;
	spread_add_uses(&classes, m->program, &m->fixed);
	spread_add_uses(&classes, m->program, uses);
	status = zones_place(m->program, m->budget, &classes, m->program->spread, NULL);
	free(classes.list);
	return status;
}

/* Returns whether the machines can be given zones with count more of them. If that is left open, returns true. */
static bool
spread_would_help(struct separation *s, const uint64_t *units, int zone, int64_t count)
{
	enum search_status status;

	machine_classes_add(&s->classes, units, zone, count);
	status = zones_place(s->master->program, s->master->budget, &s->classes, s->set, NULL);
	s->classes.count--;
	s->open = s->open || status == SEARCH_OPEN;
	return status != SEARCH_NONE;
}

/* Drops from the set what is not needed for the machines to be without zones. */
static void
spread_shrink(struct separation *s)
{
	const struct program *p = s->master->program;

	BITS_EACH(u, s->set, p->unit_words) {
		enum search_status status;

		if (s->open)
			return;
		bits_drop(s->set, u);
		status = zones_place(p, s->master->budget, &s->classes, s->set, NULL);
		if (status != SEARCH_NONE)
			bits_add(s->set, u);
		s->open = s->open || status == SEARCH_OPEN;
	}
}

static bool
spread_in_leaf(const struct separation *s, const struct region *leaf, const struct machine_class *class)
{
	size_t words = s->master->program->unit_words;

	return class->zone == leaf->zone && class->count > 0 && bits_within(leaf->with, class->units, words) &&
	    !bits_meet(leaf->without, class->units, words);
}

/* Returns the number of machines in an open leaf beyond which more are no better. */
static int64_t
spread_most_useful(const struct separation *s)
{
	const struct program *p = s->master->program;
	int64_t most = 0;

	BITS_EACH(u, s->set, p->unit_words)
		most = p->units[u].zones_min > most ? p->units[u].zones_min : most;
	return most < (int64_t)p->zones_open || p->zones_unlimited ? most : (int64_t)p->zones_open;
}

/* Adds to the leaf as many machines as leave zones impossible. If more would help, that is a cut. */
static void
spread_cut_leaf(struct separation *s, const struct region *leaf)
{
	const struct program *p = s->master->program;
	uint64_t *units = bits_duplicate(s->set, p->unit_words, &s->master->arena);
	int64_t low = 0, high = leaf->zone == ZONE_OPEN ? spread_most_useful(s) : 1; /* low more do not help */
	struct cut cut;

	for (size_t i = 0; i < p->unit_words; i++)
		units[i] &= ~leaf->without[i];
	if (!spread_would_help(s, units, leaf->zone, high)) {
		machine_classes_add(&s->classes, units, leaf->zone, high);
		return;
	}
	while (high - low > 1) {
		int64_t middle = low + (high - low) / 2;

		if (spread_would_help(s, units, leaf->zone, middle))
			high = middle;
		else
			low = middle;
	}
	machine_classes_add(&s->classes, units, leaf->zone, low);
	cut = (struct cut){arena_alloc(&s->master->arena, 1, sizeof *leaf), high, NO_MAX};
	*cut.region = *leaf;
	for (size_t i = s->master->fixed.count; i < s->real; i++)
		cut.lo += spread_in_leaf(s, leaf, &s->classes.list[i]) ? s->classes.list[i].count : 0;
	ARRAY_ROOM(s->cuts->list, s->cuts->count, s->cuts->capacity);
	s->cuts->list[s->cuts->count++] = cut;
}

static struct region
spread_copy_region(struct master *m, const struct region *region)
{
	struct region copy = *region;

	copy.with = bits_duplicate(region->with, m->program->unit_words, &m->arena);
	copy.without = bits_duplicate(region->without, m->program->unit_words, &m->arena);
	return copy;
}

/* Cuts the tree below a region, of units from u on: a branch in which the solution has no machine is a leaf. */
static void
spread_cut_tree(struct separation *s, const struct region *region, size_t u)
{
	const struct program *p = s->master->program;
	struct region half;
	bool any = false;

	for (size_t i = 0; i < s->real && !any; i++)
		any = spread_in_leaf(s, region, &s->classes.list[i]);
	u = bits_next(s->set, p->unit_words, u);
	if (!any || u == SIZE_MAX) {
		if (!bits_within(s->set, region->without, p->unit_words) && !s->open)
			spread_cut_leaf(s, region);
		return;
	}
	half = spread_copy_region(s->master, region);
	bits_add(half.with, u);
	spread_cut_tree(s, &half, u + 1);
	half = spread_copy_region(s->master, region);
	bits_add(half.without, u);
	spread_cut_tree(s, &half, u + 1);
}

/* Cuts the trees of all zones in which machines may be of which it is open what they become. */
static void
spread_cut_trees(struct separation *s)
{
	const struct program *p = s->master->program;
	struct region all = region_all(p, &s->master->arena);

	all.zone = ZONE_OPEN;
	spread_cut_tree(s, &all, 0);
	for (all.zone = 0; all.zone < (int)p->zone_count; all.zone++) {
		bool used = false;

		for (size_t i = 0; i < p->group_count; i++)
			used = used || (p->groups[i].zone == all.zone && !p->groups[i].only);
		if (used)
			spread_cut_tree(s, &all, 0);
	}
}

/* Adds a cut for each unit that may have no instances: then it needs no zones. */
static void
spread_cut_units(struct separation *s)
{
	const struct program *p = s->master->program;

	BITS_EACH(u, s->set, p->unit_words) {
		const struct uses *fixed = &s->master->fixed;
		bool absent = p->units[u].min == 0;
		struct region *region;

		for (size_t i = 0; i < fixed->count && absent; i++)
			absent = fixed->list[i].count <= 0 || !bits_has(fixed->list[i].pattern.units, u);
		if (!absent)
			continue;
		region = arena_alloc(&s->master->arena, 1, sizeof *region);
		*region = region_all(p, &s->master->arena);
		bits_add(region->with, u);
		ARRAY_ROOM(s->cuts->list, s->cuts->count, s->cuts->capacity);
		s->cuts->list[s->cuts->count++] = (struct cut){region, NO_MIN, 0};
	}
}

enum search_status
spread_cuts(struct master *m, const struct uses *uses, struct cuts *cuts)
{
	struct separation s = {.master = m, .cuts = cuts};

	s.set = memory_zeroed(m->program->unit_words, sizeof *s.set);
	bits_copy(s.set, m->program->spread, m->program->unit_words);
	spread_add_uses(&s.classes, m->program, &m->fixed);
	spread_add_uses(&s.classes, m->program, uses);
	s.real = s.classes.count;
	spread_shrink(&s);
	if (!s.open)
		spread_cut_trees(&s);
	if (!s.open)
		spread_cut_units(&s);
	free(s.classes.list);
	free(s.set);
	return s.open ? SEARCH_OPEN : SEARCH_NONE;
}
