/* SPDX-License-Identifier: Apache-2.0
 *
 * A plan as its judge sees it; inside of check.h. Steps, nodes and services are numbers here, and what a step
 * waits for is a list of numbers smaller than its own. Most of what has to hold is proved from the edges at hand, in time
 * linear in the plan; what cannot be proved so is asked of all ways through the plan (check-exact.c).
 */
#ifndef CHECK_PLAN_JUDGE_H
#define CHECK_PLAN_JUDGE_H

#include "base/names.h"
#include "model/name.h"
#include "model/plan-document.h"

enum { JUDGE_NONE = -1 };

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
	struct problems *findings;
	struct names steps, nodes, services;
	int *node_of, *service_of; /* of each step; JUDGE_NONE for milestones, for what is not there */
	size_t *first;             /* step i waits for before[first[i]] .. before[first[i + 1] - 1], each once */
	uint32_t *before;
	bool *dead;                /* of each node */
	bool by_pairs;             /* nodes are replaced a few at a time: the k-th that is new takes the place of the k-th that leaves */
	uint32_t *tasks;           /* those of services, by service, then node, then stage */
	size_t task_count;
	struct chain *chains;      /* by service, then node */
	size_t chain_count;
	struct pair *doubts;       /* what could not be proved yet */
	size_t doubt_count, doubt_capacity;
};

/* The place of a step's record, or of a node's, to find fault with. */
struct place judge_place(const struct judge *judge, size_t step);
struct place judge_node_place(const struct judge *judge, size_t node);

/* Sorts the tasks into chains, and finds fault with them one by one (check-chain.c). */
void judge_chains(struct judge *judge);

/* The task of a chain with that action; JUDGE_NONE where there is none. */
int chain_task(const struct judge *judge, const struct chain *chain, enum action action);

/* Judges the order of the tasks: on each node (check-node.c), between services (check-order.c). */
void judge_nodes(struct judge *judge);
void judge_order(struct judge *judge);

/* The steps that make a node, or delete it, by node; those of which there is none are left out. Returns how many. */
size_t judge_node_steps(const struct judge *judge, enum action action, uint32_t *steps);

/* The chain of a service on a node; NULL where there is none. */
const struct chain *judge_chain(const struct judge *judge, int service, int node);

/* Judges that of nodes which are replaced a few at a time each is up before the other leaves (check-limit.c). */
void judge_pairs(struct judge *judge);

/* Judges on how many nodes a service may be down (check-limit.c). */
void judge_limit(struct judge *judge);

/* Notes that one step has to be done before another, where that is not plain from the edges between the tasks of
 * their node; and settles all that was noted (check-exact.c). */
void judge_ask(struct judge *judge, uint32_t before, uint32_t after);
void judge_settle(struct judge *judge);

/* Which of up to 64 steps each step of the plan waits for: fills behind with bits. */
void judge_walk(const struct judge *judge, const uint32_t *block, size_t count, uint64_t *behind);

/* Finds fault with a task that does not wait for another. */
void judge_fault(const struct judge *judge, uint32_t before, uint32_t after);

/* Which service needs which other (check-needs.c): those that service s needs are list[first[s]] .. list[first[s + 1] - 1]. */
struct needs {
	size_t *first;
	struct need_edge {
		uint32_t from, to;
		bool local;
	} *list;
};

struct needs needs_find(const struct judge *judge, bool at_install, bool at_run, bool reversed);
void needs_release(struct needs *needs);

#endif
