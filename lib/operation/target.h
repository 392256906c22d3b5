/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of a cluster as a person names them:
 *
 *	shop                the cluster
 *	shop/1000           a node, by its number, its id, or its host name with or without the domain
 *	shop/@nginx         the nodes that have a service
 *	shop/1000/nginx     a service on a node; shop/@nginx/nginx, on each that has it
 *
 * The options -N 1000 and -s nginx say the same as /1000 and /@nginx.
 */
#ifndef OPERATION_TARGET_H
#define OPERATION_TARGET_H

#include <stdbool.h>

#include "base/memory.h"
#include "base/option.h"
#include "json/place.h"

struct error;
struct layout;
struct node;

struct target_options {
	struct option_list nodes, services;
};

#define TARGET_NODES(options) \
	OPTION_LIST('N', "node", &(options)->nodes, "NODE", "only this node (number, id or host name); may be repeated")
#define TARGET_OPTIONS(options) \
	TARGET_NODES(options), \
	OPTION_LIST('s', "service", &(options)->services, "SERVICE", "only nodes with this service; may be repeated")

struct target { /* release it */
	const char *cluster;
	struct string_list nodes;    /* any of them; empty: all */
	struct string_list services; /* nodes that have any of them; empty: all */
	const char *service;         /* on these nodes, or NULL */
	struct arena arena;
};

/* Parses a target. options, which may be NULL, add nodes and services. Fails with EX_USAGE where the text is none. */
int target_parse(const char *text, const struct target_options *options, struct target *target, struct error *err);
void target_release(struct target *target);

/* Does the same for an operand of a command, and exits with EX_USAGE where it is none. */
void target_operand(const struct command *command, const char *text, const struct target_options *options,
    struct target *target);

/* Does the same for a command to which a service on a node means nothing. */
void target_operand_nodes(const struct command *command, const char *text, const struct target_options *options,
    struct target *target);

/* Returns whether the target is a whole cluster. */
bool target_is_whole(const struct target *target);

/* Returns whether the target names the node. */
bool target_has(const struct target *target, const struct node *node);

/* Returns the first node that the target names. NULL with EX_NO if there is none, or if one of its names names none. */
const struct node *target_first(const struct target *target, const struct layout *layout, struct error *err);

/* Removes the nodes that the target does not name from a layout. Fails as target_first. */
int target_narrow(const struct target *target, struct layout *layout, struct error *err);

/* Finds the ids of the nodes named as above ("1000", "@nginx"), each once, in the arena. Fails with EX_NO where a name names
 * none. */
int target_nodes(const char *cluster, const struct string_list *names, const struct layout *layout, struct arena *arena,
    struct string_list *ids, struct error *err);

#endif
