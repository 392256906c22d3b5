/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of a cluster as a person names them:
 *
 *	shop                the cluster
 *	shop/1000           a node, by its number, its id, or its host name with or without the domain
 *	shop/@nginx         the nodes that have a service
 *	shop/1000/nginx     a service on a node; shop/@nginx/nginx, on each that has it
 */
#ifndef OPERATION_TARGET_H
#define OPERATION_TARGET_H

#include <stdbool.h>

struct arena;
struct error;
struct layout;
struct node;
struct string_list;

struct target { /* release it */
	char *cluster;
	char *node, *service; /* or NULL */
};

/* Parses a target. Fails with EX_USAGE where the text is none. */
int target_parse(const char *text, struct target *target, struct error *err);
void target_release(struct target *target);

/* Returns whether the target names the node. */
bool target_has(const struct target *target, const struct node *node);

/* Returns the first node that the target names; NULL with EX_NO and the nodes that there are. */
const struct node *target_first(const struct target *target, const struct layout *layout, struct error *err);

/* Finds the ids of the nodes named as above ("1000", "@nginx"), each once, in the arena. Fails with EX_NO where a name names
 * none. */
int target_nodes(const char *cluster, const struct string_list *names, const struct layout *layout, struct arena *arena,
    struct string_list *ids, struct error *err);

#endif
