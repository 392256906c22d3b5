/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/lp/budget.h"

#include "base/clock.h"

enum { NODE_WORK = 1000000 }; /* steps: about a millisecond */

static void
budget_look_at_clock(struct budget *budget)
{
	if (budget->deadline_ms && clock_monotonic_ms() >= budget->deadline_ms)
		budget->spent = budget->late = true;
}

static void
budget_count_steps(struct budget *budget, unsigned long steps)
{
	budget->steps += steps;
	if (budget->steps_max && budget->steps >= budget->steps_max)
		budget->spent = true;
}

bool
budget_node(struct budget *budget)
{
	budget_look_at_clock(budget);
	if (budget->nodes_max && budget->nodes >= budget->nodes_max)
		budget->spent = true;
	if (!budget->spent)
		budget->nodes++;
	return !budget->spent;
}

bool
budget_work(struct budget *budget, unsigned long steps)
{
	budget->work += steps;
	budget_count_steps(budget, steps);
	for (; budget->work >= NODE_WORK; budget->work -= NODE_WORK)
		budget_node(budget);
	return !budget->spent;
}

bool
budget_prepare(struct budget *budget, unsigned long steps)
{
	budget_count_steps(budget, steps);
	budget_look_at_clock(budget);
	return !budget->spent;
}

struct budget
budget_part(const struct budget *budget, unsigned long nodes)
{
	struct budget part = {
		.nodes_max = nodes, .deadline_ms = budget->deadline_ms, .spent = budget->spent, .late = budget->late,
	};

	if (budget->steps_max)
		part.steps_max = budget->steps_max > budget->steps ? budget->steps_max - budget->steps : 1;
	if (budget->nodes_max && budget->nodes_max <= budget->nodes)
		part.spent = true;
	else if (budget->nodes_max && budget->nodes_max - budget->nodes < nodes)
		part.nodes_max = budget->nodes_max - budget->nodes;
	return part;
}

void
budget_take(struct budget *budget, const struct budget *part)
{
	budget->nodes += part->nodes;
	budget->work += part->work;
	budget->late = budget->late || part->late;
	budget->steps += part->steps;
	budget->spent = budget->late || (budget->nodes_max && budget->nodes >= budget->nodes_max) ||
	    (budget->steps_max && budget->steps >= budget->steps_max);
}
