/* SPDX-License-Identifier: Apache-2.0
 *
 * New nodes in place of nodes that leave, whose services have volumes that are kept: they get these, and so stand in the zones of these.
 */
#ifndef SOLVE_VOLUME_ZONES_H
#define SOLVE_VOLUME_ZONES_H

#include <stdbool.h>
#include <stddef.h>

struct node;
struct request;

/* Gives each new node the zone of one that leaves with the same services, as far as every service then still stands in as many zones as it
 * has to, and did. */
void volume_zones_keep(const struct request *request, struct node *nodes, size_t count);

/* Tells whether a new node may get volumes of a node that is replaced, so that it cannot stand in another zone. */
bool volume_zones_bind(const struct request *request, const struct node *node);

#endif
