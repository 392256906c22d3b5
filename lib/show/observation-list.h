/* SPDX-License-Identifier: Apache-2.0
 *
 * What was seen last of a cluster's machines and instances, for people and for programs.
 */
#ifndef SHOW_OBSERVATION_LIST_H
#define SHOW_OBSERVATION_LIST_H

#include <stdbool.h>
#include <stdio.h>

#include "cluster/observation.h"

struct arena;
struct buffer;
struct node;

/* Returns the state of a machine: "up", "unreachable", "gone", or "unknown" where nobody has looked for a while; while it is not
 * there, "to be created". */
const char *observation_list_machine(const struct observations *seen, const struct node *node, int64_t fresh_ms);

/* Returns the services of the node, in the arena: "apache mysql (unhealthy)". */
const char *observation_list_services(const struct observations *seen, const struct node *node, struct arena *arena);

/* Prints a line for each instance that was not ready when it was seen last. Of machines that are gone it says how the cluster of that
 * name gets others (NULL: it gets none). */
void observation_list_print_faults(const struct observations *seen, const char *cluster, FILE *out);

/* Appends a record of the kind "observation" for each. */
void observation_list_records(const struct observations *seen, struct buffer *out);

#endif
