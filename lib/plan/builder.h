/* SPDX-License-Identifier: Apache-2.0
 *
 * The steps of a plan while they are made; inside of steps.h. Tasks come first (tasks.c), with the order on each
 * node and from node to node where there is a limit; then what they wait for otherwise (waits.c).
 */
#ifndef PLAN_BUILDER_H
#define PLAN_BUILDER_H

#include "base/names.h"
#include "model/entity.h"
#include "plan/scope.h"
#include "plan/steps.h"

/* The classes of a service's tasks: one of each action, and two more. */
enum {
	CLASS_DONE = ACTION_COUNT, /* the last task on each node where a rolling plan changes it in place */
	CLASS_UP,                  /* the last task on each node where it is set up */
	CLASS_COUNT,
};

struct expectations;

struct class {
	uint32_t count, task; /* task: the last one made */
	uint32_t milestone;   /* for all of them, or none */
	int type;             /* of the class of an action: number of the automator, and the fields as text */
	const char *fields;
};

/* By which a task may wait for others. */
enum rule {
	RULE_INSTALL,
	RULE_START,
	RULE_STOP,
	RULE_REMOVE,
	RULE_ROLL,    /* what a rolling plan changes in place, for what it needs of such */
	RULE_REPLACE, /* what is taken down, for what comes in its place */
	RULE_COUNT,
};

struct gate { /* all tasks of one service that wait by one rule */
	uint32_t count, task; /* task: the last one made */
	uint32_t step;        /* what each of them waits for, or none */
	uint32_t *near;       /* services whose tasks on the same node each of them waits for */
	size_t near_count;
};

struct task_place { /* where a service task stands, by step */
	uint32_t service;
	unsigned classes; /* bits 1 << number */
	unsigned waits;   /* the rules by which it waits: bits 1 << number */
	bool reads;       /* it is the first on its node and service to read the configuration */
};

struct window { /* of a service that is changed on so many nodes at a time */
	uint32_t *last; /* of the last placements: the last task of each */
	size_t width, used;
};

struct builder {
	struct steps *steps;
	struct arena *arena;
	const struct layout *layout;
	const struct dependencies *dependencies;
	const struct scope *scope;
	const struct expectations *history; /* or NULL */
	struct task_place *places;
	struct class *classes;          /* of each definition, CLASS_COUNT of them */
	struct gate *gates[RULE_COUNT]; /* of each definition */
	struct window *windows;         /* of each definition */
	struct names types;             /* the automators */
	uint32_t *creates, *confirms, *deletes; /* of each node, or none */
	uint32_t *partners;             /* of each node that is replaced: the new one; of that: the old; or none */
	bool lifts;                     /* what rolls waits by the rules of its tasks too, not only for what rolls */
	bool any_near;                  /* some gate has services that are near */
};

uint32_t builder_step(struct builder *builder, const struct step *step, uint32_t node);
void builder_edge(struct builder *builder, uint32_t before, uint32_t after); /* nothing where one is none */
struct class *builder_class(const struct builder *builder, uint32_t service, unsigned class);

/* How an action is done to a service: what stands is taken down as it was defined then. */
const struct service_action *builder_does(const struct builder *builder, uint32_t service, enum action action);

/* All tasks, each behind those before it on its own node and in its window. */
void builder_tasks(struct builder *builder);

/* Milestones, and each task behind those it waits for. */
void builder_waits(struct builder *builder);

/* Finds who takes whose place; and puts each node that is replaced behind what takes its place, and that behind the
 * pair so many places before it (pairs.c). */
void builder_find_pairs(struct builder *builder);
void builder_pairs(struct builder *builder);

/* Notes by which rules a task of a placement waits; *covered are those by which an earlier one of it does. */
void builder_note_waits(struct builder *builder, const struct placement *placement, uint32_t task, unsigned *covered);

#endif
