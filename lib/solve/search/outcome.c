/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/search/outcome.h"

#include <stdlib.h>

#include "solve/program/bits.h"

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

void
outcome_release(struct outcome *outcome)
{
	free(outcome->uses.list);
	arena_release(&outcome->arena);
	*outcome = (struct outcome){0};
}
