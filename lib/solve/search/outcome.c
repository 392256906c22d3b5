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
		struct use use = more->list[i];

		if (use.count <= 0)
			continue;
		use.pattern.units = bits_duplicate(use.pattern.units, p->unit_words, &outcome->arena);
		ARRAY_ROOM(uses->list, uses->count, uses->capacity);
		uses->list[uses->count++] = use;
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
