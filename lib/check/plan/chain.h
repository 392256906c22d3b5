/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks what a plan does to each service on each node, taken by itself: it is all that has to be done, and nothing that
 * must not be.
 */
#ifndef CHECK_PLAN_CHAIN_H
#define CHECK_PLAN_CHAIN_H

#include "check/plan/judge.h"

/* Sorts the tasks of the judge's plan into chains, and reports what is wrong with one of them. */
void chain_check_all(struct judge *judge);

/* Returns the task of a chain with that action; JUDGE_NONE if there is none. */
int chain_task(const struct judge *judge, const struct chain *chain, enum action action);

/* Returns the chain of a service on a node; NULL if there is none. */
const struct chain *chain_find(const struct judge *judge, int service, int node);

#endif
