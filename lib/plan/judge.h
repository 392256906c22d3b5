/* SPDX-License-Identifier: Apache-2.0
 *
 * A plan as its judge sees it; inside of check.h. Steps, nodes and services are numbers here, and what a step
 * waits for is a list of numbers smaller than its own.
 */
#ifndef PLAN_JUDGE_H
#define PLAN_JUDGE_H

#include "base/names.h"
#include "model/plan-document.h"

enum { JUDGE_NONE = -1 };

struct judge {
	const struct plan_document *plan;
	struct problems *findings;
	struct names steps, nodes, services;
	int *node_of, *service_of; /* of each step; JUDGE_NONE for milestones, for what is not there */
	size_t *first;             /* step i waits for before[first[i]] .. before[first[i + 1] - 1] */
	uint32_t *before;
};

/* The place of a step's record, to find fault with. */
struct place judge_place(const struct judge *judge, size_t step);

/* Judges the order of the tasks (check-order.c). */
void judge_order(const struct judge *judge);

#endif
