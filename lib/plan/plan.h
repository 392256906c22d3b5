/* SPDX-License-Identifier: Apache-2.0
 *
 * The planner: from a layout and a wish to the tasks that make it so, and what has to be done before what. The same
 * input gives the same plan. Time and memory are linear in nodes times services times actions.
 */
#ifndef PLAN_PLAN_H
#define PLAN_PLAN_H

#include <stdio.h>

#include "base/memory.h"
#include "model/plan.h"
#include "plan/graph.h"
#include "plan/selection.h"

struct error;
struct expectations;
struct layout;

struct plan {
	struct arena arena;
	struct job job;
	struct step *steps; /* each behind all that it comes after */
	size_t count;
	uint32_t *nodes;              /* of each step: the number of its node in the layout, GRAPH_NONE for a milestone */
	struct neighbours successors; /* of each step */
};

/* job_id and history may be NULL. The layout has to outlive the plan. 0, or -1: EX_NO where the wish names what is not there or
 * dependencies form a cycle, EX_DATAERR for a service without definition. The plan is to be released in any case. */
int plan_make(struct plan *plan, const struct layout *layout, const struct plan_parameters *parameters, const char *job_id,
    const struct expectations *history, struct error *err);
void plan_release(struct plan *plan);

/* Prints the plan's records: the job, the layout, the steps. */
void plan_print(const struct plan *plan, const struct layout *layout, FILE *stream);

/* The steps of a longest way through the plan (room for all in path); returns how many. */
size_t plan_critical_path(const struct plan *plan, uint32_t *path);

/* How long it takes, in seconds, with so many workers (0: as many as there is work for), one task at a time on a node,
 * the highest rank first. */
double plan_makespan(const struct plan *plan, size_t workers);

#endif
