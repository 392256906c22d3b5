/* SPDX-License-Identifier: Apache-2.0
 *
 * The order of tasks between services, through milestones: what a task of one service waits for in others, and for the
 * addresses of nodes.
 */
#ifndef PLAN_WAITS_H
#define PLAN_WAITS_H

#include <stdint.h>

struct builder;
struct placement;

/* Notes by which rules a task of a placement waits; *covered are those by which an earlier one of it does. */
void waits_note(struct builder *builder, const struct placement *placement, uint32_t task, unsigned *covered);

/* Adds the milestones, and puts each task behind those that it waits for. */
void waits_add(struct builder *builder);

#endif
