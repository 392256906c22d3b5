/* SPDX-License-Identifier: Apache-2.0
 *
 * The tasks of a plan: which there are on each node, in which order, and what each tells its plugin.
 */
#ifndef PLAN_TASKS_H
#define PLAN_TASKS_H

#include <stdint.h>

#include "model/action.h"

struct builder;
struct placement;

/* Adds all tasks, node by node, each behind those before it on its own node. */
void tasks_add(struct builder *builder);

/* Adds a task of a service on a node, as the service's definition has it; returns its step. */
uint32_t tasks_add_service_task(struct builder *builder, const struct placement *placement, enum action action);

#endif
