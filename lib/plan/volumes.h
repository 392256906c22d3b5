/* SPDX-License-Identifier: Apache-2.0
 *
 * The volumes of nodes in a plan: attached and mounted before the first action on the node of a service that asks for them, and
 * released by the deletion of the node. What is set up elsewhere may get a volume that is released: it waits for that, and nothing that
 * leaves waits for what comes in its place.
 */
#ifndef PLAN_VOLUMES_H
#define PLAN_VOLUMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct builder;
struct layout;
struct node;
struct scope;

/* Tells whether a service, which asks for volumes as it is now, stood on the node and had some. */
bool volumes_stood(const struct layout *layout, const struct node *node, uint32_t service);

/* Marks the services whose volumes may go from a machine that answers, and is deleted, to another node; the caller frees the result. NULL:
 * there are none. */
bool *volumes_find_handed(const struct layout *layout, const struct scope *scope);

/* Tells whether there are some. */
bool volumes_change_hands(const struct layout *layout, const struct scope *scope);

/* Returns the fields of the tasks that give a node the volumes of the services that are set up on it, the placements first to end - 1;
 * NULL where there are none. */
const char *volumes_of_new(struct builder *builder, uint32_t node, size_t first, size_t end);

/* Returns the fields of the task that deletes a node: the volumes that its services have, or may have. */
const char *volumes_of_leaving(struct builder *builder, uint32_t node);

/* Lets what attaches wait for all deletions that may release a volume of the service, but for those of nodes that hand over in turn. */
void volumes_add_waits(struct builder *builder);

#endif
