/* SPDX-License-Identifier: Apache-2.0
 *
 * What a task is told of its cluster: the member "cluster" of a take record, with the macros of the config expanded
 * by what is known of the nodes.
 */
#ifndef MODEL_SETTING_H
#define MODEL_SETTING_H

#include <stddef.h>

#include "base/memory.h"

struct buffer;
struct error;

struct setting { /* the nodes that macros are looked up in; zero-initialise */
	struct arena arena;
	struct node *nodes;
	size_t count, capacity;
};

/* Adds a node by its record. */
int setting_add(struct setting *setting, const char *record, size_t length, struct error *err);

/* Appends the object, from the cluster's record: catalogue, config, id, name, provider, tenant; and "unexpanded", the macros that
 * could not be expanded and stay as they are. self: the record of the node that "self" means, or NULL. */
int setting_print(struct setting *setting, const char *cluster, size_t length, const char *self,
    size_t self_length, struct buffer *out, struct error *err);

void setting_release(struct setting *setting);

#endif
