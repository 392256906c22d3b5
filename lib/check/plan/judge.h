/* SPDX-License-Identifier: Apache-2.0
 *
 * A plan as its judge sees it; inside of check.h. Steps, nodes and services are numbers here, and a step waits for steps of
 * smaller numbers. Most of what has to hold is proved from the edges at hand, in time linear in the plan; what cannot be
 * proved so is looked for on all ways through the plan.
 */
#ifndef CHECK_PLAN_JUDGE_H
#define CHECK_PLAN_JUDGE_H

#include "base/names.h"
#include "model/action.h"
#include "model/name.h"
#include "model/plan-document.h"

enum {
	JUDGE_NONE = -1,
	JUDGE_BLOCK = 64, /* so many steps are followed at a time: a bit each */
};

enum chain_kind {
	CHAIN_SET_UP,
	CHAIN_TAKE_DOWN, /* for good */
	CHAIN_IN_PLACE,
};

struct chain { /* the tasks of one service on one node: tasks[first] .. tasks[end - 1] */
	size_t first, end;
	int node, service;
	enum chain_kind kind;
	bool rolls;   /* it is changed in place, by a plan that does so service by service */
	bool assured; /* it is only started, so that another service finds what it needs */
};

struct pair { /* of steps; the one has to be done before the other */
	uint32_t before, after;
};

struct judge {
	const struct plan_document *plan;
	const struct cluster_action *action; /* of the job */
	struct problems *findings;
	struct names steps, nodes, services;
	int *node_of, *service_of; /* of each step; JUDGE_NONE for milestones, for what is not there */
	size_t *first;             /* step i waits for before[first[i]] .. before[first[i + 1] - 1], each once */
	uint32_t *before;
	bool *dead;                /* of each node */
	bool by_pairs;             /* the k-th node that is new takes the place of the k-th that leaves, a few at a time */
	bool hands_over;           /* what leaves, all at once, has volumes for what is new, and does not wait for it */
	int *heirs;                /* of each node of a pair that hands over in its turn: the other one; else JUDGE_NONE; NULL: there is none */
	uint32_t *tasks;           /* those of services, by service, then node, then stage */
	size_t task_count;
	struct chain *chains;      /* by service, then node */
	size_t chain_count;
	struct pair *unproved;       /* what could not be proved yet */
	size_t unproved_count, unproved_capacity;
};

/* Return the place of a step's record, or of a node's, to report problems of. */
struct place judge_place(const struct judge *judge, size_t step);
struct place judge_node_place(const struct judge *judge, size_t node);

/* Tells whether the node hands its volumes over in its turn, or gets some so. */
bool judge_hands_over(const struct judge *judge, size_t node);

/* Reports that a task does not wait for another. */
void judge_report(const struct judge *judge, uint32_t before, uint32_t after);

/* Fills behind[step], for each step of the plan, with a bit for each of up to JUDGE_BLOCK steps that it waits for. */
void judge_walk(const struct judge *judge, const uint32_t *block, size_t count, uint64_t *behind);

/* Notes that one step has to be done before another, unless the edges between the tasks of their node show that it is;
 * judge_prove reports all that were noted and are not. */
void judge_require(struct judge *judge, uint32_t before, uint32_t after);
void judge_prove(struct judge *judge);

#endif
