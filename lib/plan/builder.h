/* SPDX-License-Identifier: Apache-2.0
 *
 * The steps of a plan while they are made; inside of steps.h. Tasks come first (tasks.h), with the order on each node and,
 * if there is a limit, from node to node; then what they wait for otherwise (waits.h, pairs.h).
 */
#ifndef PLAN_BUILDER_H
#define PLAN_BUILDER_H

#include "base/names.h"
#include "model/entity.h"
#include "plan/absent.h"
#include "plan/lookups.h"
#include "plan/scope.h"
#include "plan/steps.h"

/* The groups of a service's tasks: one of each action, and three more. */
enum {
	GROUP_DONE = ACTION_COUNT, /* the last task on each node where a rolling plan changes it in place */
	GROUP_UP,                  /* the last task on each node where it is set up */
	GROUP_READY,               /* its check on each node where it is started, or its start where it has none */
	GROUP_COUNT,
};

struct expectations;

struct task_group {
	uint32_t count, task; /* task: the last one made */
	uint32_t milestone;   /* for all of them, or none */
	int type;             /* of the group of an action: number of the automator, and the fields as text */
	const char *fields;
};

/* The rules by which a task may wait for others. */
enum rule {
	RULE_INSTALL,
	RULE_START,
	RULE_STOP,
	RULE_REMOVE,
	RULE_ROLL,    /* what a rolling plan changes in place, for what it needs of such */
	RULE_PUT_IN,  /* what looks services up, for new instances of them */
	RULE_TAKE_OUT, /* what is taken down, for those that looked it up */
	RULE_REPLACE, /* what is taken down, for what comes in its place */
	RULE_COUNT,
};

struct barrier { /* all tasks of one service that wait by one rule */
	uint32_t count, task; /* task: the last one made */
	uint32_t step;        /* what each of them waits for, or none */
	uint32_t *near;       /* services whose tasks on the same node each of them waits for */
	size_t near_count;
};

struct task_place { /* where a service task stands, by step */
	uint32_t service;
	unsigned groups; /* bits 1 << number */
	unsigned waits;  /* the rules by which it waits: bits 1 << number */
	bool reads;       /* it is the first on its node and service to read the configuration */
};

struct turn { /* of a node, in a service that is changed on a few nodes at a time: its first task there, and its last */
	uint32_t first, last;
};

struct roll { /* of a service that may be down on width nodes at a time: a batch of so many begins when the one before is done */
	struct turn *turns; /* in the order of the nodes */
	size_t count, capacity;
	size_t width; /* 0: there is no limit */
};

struct builder {
	struct steps *steps;
	struct arena *arena;
	const struct layout *layout;
	const struct dependencies *dependencies;
	const struct scope *scope;
	const struct expectations *history; /* or NULL */
	struct task_place *places;
	struct task_group *groups;          /* of each definition, GROUP_COUNT of them */
	struct barrier *barriers[RULE_COUNT]; /* of each definition */
	struct roll *rolls;             /* of each definition */
	struct names types;             /* the automators */
	uint32_t *creates, *confirms, *deletes, *attaches, *mounts; /* the tasks of each node, or none */
	uint32_t *bootstraps;           /* of each automator: its task on the node at hand, or none */
	uint32_t *partners;             /* of each node that is replaced: the new one; of that: the old; or none */
	unsigned readers;               /* the actions that read the configuration of the cluster */
	struct turn *chains;            /* of each placement: its first task and its last, or none */
	struct lookups lookups;
	struct absent absent;
	struct graph put_in;            /* of services: from one that looks up to one whose new instances it waits for */
	uint32_t addresses;             /* the step that what reads the configuration waits for, or none */
	bool *installed_by_address;     /* of each definition: its installation reads addresses */
	bool strict;                    /* what rolls waits by the rules of its tasks too, not only for what rolls */
	bool hands_over;                /* what leaves, all at once, has volumes for what comes in its place, so it does not wait for that */
	bool any_near;                  /* some barrier has services that are near */
};

/* Begins to fill *steps, which borrows the arena, the layout and the scope; history may be NULL. */
void builder_init(struct builder *builder, struct steps *steps, struct arena *arena, const struct layout *layout,
    const struct dependencies *dependencies, const struct scope *scope, const struct expectations *history);
void builder_release(struct builder *builder);

/* Adds a step, of the node of that number or GRAPH_NONE; returns its number. */
uint32_t builder_step(struct builder *builder, const struct step *step, uint32_t node);

/* Adds the milestone "WHAT: NAME"; returns its number. */
uint32_t builder_milestone(struct builder *builder, const char *what, const char *name);

/* Lets a step wait for another; does nothing if one of them is none. */
void builder_edge(struct builder *builder, uint32_t before, uint32_t after);

/* Tells whether the node hands its volumes over in its turn, or gets some so: handover.h orders its tasks. */
bool builder_hands_over(const struct builder *builder, size_t node);

/* Returns the group of a service's tasks: that of an action, GROUP_DONE or GROUP_UP. */
struct task_group *builder_group(const struct builder *builder, uint32_t service, unsigned group);

/* Returns how an action is done to a service. What stands is taken down by the definition by which it was set up. */
const struct service_action *builder_service_action(const struct builder *builder, uint32_t service, enum action action);

/* Notes the tasks first to last, which change a service on one node; builder_add_batches, at the end, keeps the limit of each
 * service: they wait for those of all nodes of the batch before. Does nothing if the service has no limit. */
void builder_take_turn(struct builder *builder, uint32_t service, uint32_t first, uint32_t last);
void builder_add_batches(struct builder *builder);

#endif
