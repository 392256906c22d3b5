/* SPDX-License-Identifier: Apache-2.0
 *
 * The steps of a plan while they are made; inside of steps.h. Tasks come first (tasks.c), with the order on each
 * node; then what they wait for on other nodes (waits.c).
 */
#ifndef PLAN_BUILDER_H
#define PLAN_BUILDER_H

#include "base/names.h"
#include "plan/scope.h"
#include "plan/steps.h"

struct class { /* all tasks of one action on one service */
	uint32_t count, task; /* task: the last one made */
	uint32_t milestone;   /* for all of them, or none */
	int type;             /* number of the automator */
	const char *fields;
};

struct gate { /* all tasks of one service that wait by one rule */
	uint32_t count, task; /* task: the last one made */
	uint32_t step;        /* what each of them waits for, or none */
};

struct task_place { /* where a service task stands, by step */
	uint32_t service;
	unsigned waits; /* the rules by which it waits: bits 1 << number */
	bool reads;     /* it is the first on its node and service to read the configuration */
};

enum { BUILDER_RULES = 4 };

struct builder {
	struct steps *steps;
	struct arena *arena;
	const struct layout *layout;
	const struct dependencies *dependencies;
	const struct scope *scope;
	struct task_place *places;
	struct class *classes;              /* of each definition, ACTION_COUNT of them */
	struct gate *gates[BUILDER_RULES];  /* of each definition */
	struct names types;                 /* the automators */
	uint32_t *confirms;                 /* of each node, or none */
};

uint32_t builder_step(struct builder *builder, const struct step *step, uint32_t node);
void builder_edge(struct builder *builder, uint32_t before, uint32_t after); /* nothing where one is none */
struct class *builder_class(const struct builder *builder, uint32_t service, enum action action);

/* All tasks, each behind those before it on its own node. */
void builder_tasks(struct builder *builder);

/* Milestones, and each task behind those it waits for. */
void builder_waits(struct builder *builder);

/* Notes by which rules a task waits; *covered are those by which an earlier one of its node and service does. */
void builder_note_waits(struct builder *builder, uint32_t task, unsigned *covered);

#endif
