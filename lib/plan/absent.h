/* SPDX-License-Identifier: Apache-2.0
 *
 * The instances that were stopped and shall not run: before a plan and after it, and which of them are left out where they are
 * looked up. One is left out from the stop that takes it out until it is started, unless all instances of its service stop.
 */
#ifndef PLAN_ABSENT_H
#define PLAN_ABSENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct buffer;
struct dependencies;
struct layout;
struct scope;

struct absent { /* arrays by service and node: service * nodes + node */
	size_t nodes;
	bool *was_stopped, *stopped; /* before the plan; after it */
	bool *was_out, *out;         /* left out before; after */
};

void absent_init(struct absent *absent, const struct layout *layout, const struct dependencies *dependencies,
    const struct scope *scope);
void absent_release(struct absent *absent);

/* Tells whether the plan takes instances of a service out for as long as they are stopped; whether it puts some in again. */
bool absent_leaves(const struct absent *absent, uint32_t service);
bool absent_returns(const struct absent *absent, uint32_t service);

/* Returns the text {"SERVICE":["NODE",...]} in the arena, of the hidden instances (by service and node) of those of the given
 * services; members are sorted by name. */
const char *absent_print(const bool *hidden, const struct layout *layout, const struct dependencies *dependencies,
    const uint32_t *services, size_t count, struct arena *arena);

/* Returns the instances of a layout that are left out, as such a text in the arena; NULL if there are none. */
const char *absent_of_layout(const struct layout *layout, const struct dependencies *dependencies, struct arena *arena);

#endif
