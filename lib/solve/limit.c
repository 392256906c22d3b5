/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/limit.h"

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/plural.h"
#include "model/answer/answer.h"
#include "solve/solve.h"

struct budget
limit_budget(const struct solve_terms *terms)
{
	struct budget budget = {.nodes_max = terms->node_limit};

	if (terms->time_limit_ms)
		budget.deadline_ms = clock_monotonic_ms() + terms->time_limit_ms;
	else if (!terms->node_limit) {
		budget.nodes_max = SOLVE_NODES;
		budget.steps_max = SOLVE_STEPS;
	}
	return budget;
}

/* Names the limit that was reached. */
static const char *
limit_reached(const struct solve_terms *terms, const struct budget *budget, struct arena *arena)
{
	if (budget->late)
		return arena_printf(arena, "%g s", (double)terms->time_limit_ms / 1e3);
	if (terms->node_limit)
		return arena_printf(arena, "%lu %s", terms->node_limit,
		    plural(terms->node_limit, "node", "nodes"));
	return arena_printf(arena, "the default limit, here %lu nodes", budget->nodes);
}

const char *
limit_way_out(const struct solve_terms *terms, const struct budget *budget)
{
	if (budget->late)
		return "raise --time-limit";
	return terms->node_limit ? "raise --node-limit, or give --time-limit" : "give a higher --node-limit, or --time-limit";
}

/* Appends how much better the best layout could be. */
static void
limit_append_gap(const struct solution *solution, struct buffer *out)
{
	size_t count = 0;

	for (size_t i = 0; i < solution->gap.count; i++) {
		const struct amount *gap = &solution->gap.list[i];

		if (gap->value > 0)
			buffer_printf(out, "%s%.2g %% of its %s", count++ ? " and " : "at most ", 100 * gap->value, gap->resource);
	}
	buffer_text(out, count ? " could be saved" : "only in the order of preference, dense");
}

const char *
limit_words(const struct solve_terms *terms, const struct budget *budget, const struct solution *solution, struct arena *arena)
{
	struct buffer gap = {0};
	const char *words;

	limit_append_gap(solution, &gap);
	words = arena_printf(arena, "the layout may not be the best (%s): the search stopped after %s; %s", gap.data,
	    limit_reached(terms, budget, arena), limit_way_out(terms, budget));
	buffer_release(&gap);
	return words;
}

int
limit_error(const struct solve_terms *terms, const struct budget *budget, struct error *err)
{
	struct arena arena = {0};

	error_set(err, EX_TEMPFAIL, "request: no layout was found before the search stopped after %s; %s",
	    limit_reached(terms, budget, &arena), limit_way_out(terms, budget));
	arena_release(&arena);
	return -1;
}
