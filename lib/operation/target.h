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

/* Takes text apart. EX_USAGE where it is none. */
int target_parse(const char *text, struct target *target, struct error *err);
void target_release(struct target *target);

/* Whether the node is meant. */
bool target_has(const struct target *target, const struct node *node);

/* The first node that is meant; NULL with EX_NO and what there is. */
const struct node *target_first(const struct target *target, const struct layout *layout, struct error *err);

/* The ids of the nodes that are named as above ("1000", "@nginx"), each once, in the arena. EX_NO where a name means none. */
int target_nodes(const char *cluster, const struct string_list *names, const struct layout *layout, struct arena *arena,
    struct string_list *ids, struct error *err);

#endif
