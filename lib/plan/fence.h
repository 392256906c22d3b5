/* SPDX-License-Identifier: Apache-2.0
 *
 * The fence: where a machine that does not answer had a service with data, nothing is told to the service on other nodes before
 * that machine is deleted. What takes its place can be sure that nobody writes there any more.
 */
#ifndef PLAN_FENCE_H
#define PLAN_FENCE_H

#include <stdint.h>

struct builder;

/* Puts those of the first so many steps that tell such a service the configuration behind the deletion of the dead nodes that had it. */
void fence_add(struct builder *builder, uint32_t tasks);

#endif
