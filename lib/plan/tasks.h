/* SPDX-License-Identifier: Apache-2.0
 *
 * The tasks of a plan: which there are on each node, in which order, and what each tells its plugin.
 */
#ifndef PLAN_TASKS_H
#define PLAN_TASKS_H

struct builder;

/* Adds all tasks, node by node, each behind those before it on its own node. */
void tasks_add(struct builder *builder);

#endif
