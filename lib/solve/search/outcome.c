/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/search/outcome.h"

#include <stdlib.h>

#include "solve/program/bits.h"
#include "solve/program/pattern.h"

void
outcome_add(struct outcome *outcome, const struct program *p, const struct uses *more)
{
	struct uses *uses = &outcome->uses;

	for (size_t i = 0; i < more->count; i++) {
		uint64_t *units;

		if (more->list[i].count <= 0)
			continue;
		units = arena_alloc(&outcome->arena, p->unit_words, sizeof *units);
		bits_copy(units, more->list[i].pattern.units, p->unit_words);
		ARRAY_ROOM(uses->list, uses->count, uses->capacity);
		uses->list[uses->count] = more->list[i];
		uses->list[uses->count++].pattern.units = units;
	}
}

int64_t
outcome_machines(const struct program *p, const struct outcome *outcome)
{
	int64_t machines = 0;

	for (size_t i = 0; i < outcome->uses.count; i++)
		if (!pattern_departure(p, &outcome->uses.list[i].pattern))
			machines += outcome->uses.list[i].count;
	return machines;
}

void
outcome_release(struct outcome *outcome)
{
	free(outcome->uses.list);
	arena_release(&outcome->arena);
	*outcome = (struct outcome){0};
}
