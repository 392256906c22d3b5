/* SPDX-License-Identifier: Apache-2.0
 *
 * The planner: from a layout and what the user asks for to the tasks that do it, and their order. The same input gives the
 * same plan. Time and memory are linear in nodes times services times actions.
 */
#ifndef PLAN_PLAN_H
#define PLAN_PLAN_H

#include <stdio.h>

#include "base/graph.h"
#include "base/memory.h"
#include "model/plan.h"
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

/* Makes a plan, which borrows the layout and is to be released in any case; it names there what stays stopped. job_id and history
 * may be NULL. Returns 0, or -1: EX_NO if the parameters name what is not there or dependencies form a cycle, EX_DATAERR for a
 * service without definition. */
int plan_make(struct plan *plan, struct layout *layout, const struct plan_parameters *parameters, const char *job_id,
    const struct expectations *history, struct error *err);
void plan_release(struct plan *plan);

/* Prints the plan's records: the job, the layout, the steps. */
void plan_print(const struct plan *plan, const struct layout *layout, FILE *stream);

/* Fills path (room for all) with the steps of a longest way through the plan; returns how many. */
size_t plan_critical_path(const struct plan *plan, uint32_t *path);

/* Returns how many seconds the plan takes with so many workers (0: as many as there is work for), one task at a time on a
 * node, the highest rank first. Each step takes its seconds; NULL: its expect_s. */
double plan_duration(const struct plan *plan, const double *seconds, size_t workers);

/* Fills in what the job record tells of the expected duration with so many tasks in parallel (0: any number): its median and
 * 90th percentile if all tasks were measured, else how many were not. */
void plan_estimate(struct plan *plan, size_t slots);

#endif
