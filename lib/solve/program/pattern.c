/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/program/pattern.h"

#include "solve/program/bits.h"

struct region
region_all(const struct program *program, struct arena *arena)
{
	return (struct region){
		.group = ANY, .hardware = ANY, .zone = ANY, .class = ANY,
		.with = arena_alloc(arena, program->unit_words, sizeof(uint64_t)),
		.without = arena_alloc(arena, program->unit_words, sizeof(uint64_t)),
	};
}

bool
region_has(const struct program *program, const struct region *region, const struct pattern *pattern)
{
	int class = pattern_class(program, pattern);

	return (region->class == class || (region->class == ANY && class != CLASS_LEAVES)) &&
	    (region->group == ANY || region->group == pattern->group) &&
	    (region->zone == ANY || region->zone == program->groups[pattern->group].zone) &&
	    (region->hardware == ANY || region->hardware == pattern->hardware) &&
	    bits_within(region->with, pattern->units, program->unit_words) &&
	    !bits_meet(region->without, pattern->units, program->unit_words);
}

bool
region_same(const struct program *program, const struct region *a, const struct region *b)
{
	return a->group == b->group && a->hardware == b->hardware && a->zone == b->zone && a->class == b->class &&
	    bits_equal(a->with, b->with, program->unit_words) && bits_equal(a->without, b->without, program->unit_words);
}

struct region *
pattern_region(const struct program *program, const struct pattern *pattern, struct arena *arena)
{
	struct region *region = arena_alloc(arena, 1, sizeof *region);

	*region = region_all(program, arena);
	region->group = pattern->group;
	region->hardware = pattern->hardware;
	region->class = pattern_class(program, pattern);
	for (size_t u = 0; u < program->unit_count; u++)
		bits_add(bits_has(pattern->units, u) ? region->with : region->without, u);
	return region;
}

bool
pattern_same(const struct program *program, const struct pattern *a, const struct pattern *b)
{
	return a->kind == b->kind && a->group == b->group && a->hardware == b->hardware &&
	    bits_equal(a->units, b->units, program->unit_words);
}

enum departure
pattern_departure(const struct program *program, const struct pattern *pattern)
{
	return program->hardware[pattern->hardware].departure;
}

int
pattern_class(const struct program *program, const struct pattern *pattern)
{
	if (pattern->kind)
		return pattern->kind;
	return pattern_departure(program, pattern) ? CLASS_LEAVES : CLASS_OPEN;
}

int64_t
pattern_moves(const struct program *program, const struct pattern *pattern)
{
	const struct group *group = &program->groups[pattern->group];
	size_t words = program->unit_words;
	int64_t sum = group->standing;

	if (!group->moves || pattern_departure(program, pattern) == DEPARTURE_ASKED)
		return 0;
	if (pattern_departure(program, pattern) == DEPARTURE_MOVE)
		return 1 + group->standing;
	BITS_EACH(u, pattern->units, words)
		sum += group->moves[u];
	return sum;
}

int64_t
pattern_lost(const struct program *program, const struct pattern *pattern)
{
	return pattern_departure(program, pattern) == DEPARTURE_ASKED ? program->groups[pattern->group].standing : 0;
}

int64_t
pattern_weight(const struct program *program, enum objective objective, const struct pattern *pattern)
{
	const struct weights *weights = &program->weights[objective];
	size_t words = program->unit_words;
	int64_t sum = weights->hardware ? weights->hardware[pattern->hardware] : 0;

	if (weights->unit)
		BITS_EACH(u, pattern->units, words)
			sum += weights->unit[u];
	return sum;
}

size_t
pattern_size(const struct program *program, const uint64_t *units)
{
	size_t size = 0;

	BITS_EACH(u, units, program->unit_words)
		size += program->units[u].size;
	return size;
}
